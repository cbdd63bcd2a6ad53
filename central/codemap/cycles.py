"""Nodes of a directed graph that can reach one another."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

_Node = TypeVar("_Node", bound=Hashable)


def cycles_of(links: Iterable[tuple[_Node, _Node]]) -> list[list[_Node]]:
    """Return the strongly connected components of more than one node (Kosaraju's algorithm)."""
    ahead: dict[_Node, list[_Node]] = {}
    back: dict[_Node, list[_Node]] = {}
    for source, target in links:
        ahead.setdefault(source, []).append(target)
        back.setdefault(target, []).append(source)
    seen: set[_Node] = set()
    order = [node for start in ahead for node in _finished(start, ahead, seen)]
    seen = set()
    found = [list(_finished(start, back, seen)) for start in reversed(order)]
    return [component for component in found if len(component) > 1]


def _finished(
    start: _Node, links: Mapping[_Node, Sequence[_Node]], seen: set[_Node]
) -> Iterable[_Node]:
    """Yield the nodes that can be reached and were not seen, each after those behind it."""
    if start in seen:
        return
    seen.add(start)
    path = [(start, iter(links.get(start, ())))]
    while path:
        following = next((node for node in path[-1][1] if node not in seen), None)
        if following is None:
            yield path.pop()[0]
        else:
            seen.add(following)
            path.append((following, iter(links.get(following, ()))))
