"""Which nodes of a call graph stand in the picture as one: those of a file, or of a project. Pure.

A picture of few nodes has no groups. A reader opens a group by its id.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from central.trace.answers import GraphNode
from indexer.limits import PICTURE_NODES

_Levels: TypeAlias = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of one layer of the picture; `file` is "" if they are of a whole project."""

    id: str
    project: str
    file: str
    nodes: tuple[GraphNode, ...]


def groups_of(
    nodes: Sequence[GraphNode],
    *,
    roots: Collection[str],
    levels: _Levels,
    opened: Collection[str] = (),
) -> dict[str, NodeGroup]:
    """Return the group of each node that has one, by the node's id.

    By file, if that leaves few enough boxes or there is one project; else by project, and inside
    of an opened project by file. `levels` are the layers of the picture. Roots stand alone.
    """
    if len(nodes) <= PICTURE_NODES:
        return {}
    others = [node for node in nodes if node.id not in roots]
    by_file = _grouped(others, levels, lambda node: node.file)
    boxes = len(nodes) - len(by_file) + len({group.id for group in by_file.values()})
    if boxes <= PICTURE_NODES or len({node.project for node in nodes}) == 1:
        return _without(by_file, opened)
    by_project = _without(_grouped(others, levels, lambda _: ""), opened)
    rest = [node for node in others if node.id not in by_project]
    return by_project | _without(_grouped(rest, levels, lambda node: node.file), opened)


def _grouped(
    nodes: Sequence[GraphNode], levels: _Levels, file_of: Callable[[GraphNode], str]
) -> dict[str, NodeGroup]:
    """Return the groups that have more than one node."""
    members = defaultdict[tuple[int, str, str], list[GraphNode]](list)
    for node in nodes:
        members[levels[node.id], node.project, file_of(node)].append(node)
    found: dict[str, NodeGroup] = {}
    for (level, project, file), several in members.items():
        name = f"{level}:{project}/{file}" if file else f"{level}:{project}"
        group = NodeGroup(name, project, file, tuple(several))
        found |= {node.id: group for node in several if len(several) > 1}
    return found


def _without(groups: Mapping[str, NodeGroup], opened: Collection[str]) -> dict[str, NodeGroup]:
    return {node: group for node, group in groups.items() if group.id not in opened}
