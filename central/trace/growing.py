"""A graph that grows level by level, up to a number of nodes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from central.trace.backward import Edge, find_callers
from central.trace.forward import Confidence
from central.trace.inquiry import Inquiry
from central.trace.onward import find_callees, owner_of
from central.trace.sites import Site
from central.trace.symbols import Definition, definitions_at
from central.trace.things import Key


class Pair(NamedTuple):
    """A node that uses another. A file's top level is the node without a name."""

    caller: Key
    callee: Key


@dataclass(slots=True)
class Growth:
    """`distances` of all nodes from the nearest root, in steps; edges by what they join.

    `definitions` are the nodes that are some: a file's top level is none. `paths` are
    (repository, path) of the nodes' files. `open_…` is as in backward.Found, of the roots.
    """

    inquiry: Inquiry
    least: Confidence
    limit: int
    definitions: dict[Key, Definition] = field(default_factory=dict)
    distances: dict[Key, int] = field(default_factory=dict)
    edges: dict[Pair, list[Edge]] = field(default_factory=dict)
    paths: dict[int, tuple[int, str]] = field(default_factory=dict)
    open_count: int = 0
    open_sample: list[Site] = field(default_factory=list)
    is_truncated: bool = False

    def start(self, roots: Sequence[Definition]) -> None:
        """Begin with these; they count as nodes."""
        self.is_truncated = len(roots) > self.limit
        self._define(roots[: self.limit])
        self.distances = dict.fromkeys(self.definitions, 0)

    def grow(self, depth: int) -> None:
        """Callers of callers and callees of callees, each node gone through once each way."""
        above = below = list(self.definitions.values())
        for distance in range(1, depth + 1):
            above = self._callers(above, distance)
            below = self._callees(below, distance)
            if not above and not below:
                break

    def _callers(self, level: Sequence[Definition], distance: int) -> list[Definition]:
        found = find_callers(self.inquiry, level, least=self.least)
        if distance == 1:
            self.open_count, self.open_sample = found.open_count, found.open_sample
        pairs = [
            (Pair((edge.site.file, edge.site.caller), edge.target), edge) for edge in found.edges
        ]
        return self._add(pairs, [pair.caller for pair, _ in pairs], distance)

    def _callees(self, level: Sequence[Definition], distance: int) -> list[Definition]:
        keys = [one.key for one in level]
        edges = find_callees(self.inquiry, keys, least=self.least).edges if keys else []
        around = set(keys)
        pairs = [(Pair(owner_of(edge.site, around), edge.target), edge) for edge in edges]
        return self._add(pairs, [pair.callee for pair, _ in pairs], distance)

    def _add(
        self, pairs: Iterable[tuple[Pair, Edge]], ends: Iterable[Key], distance: int
    ) -> list[Definition]:
        """Take in as many new nodes as there is room for, and the edges between nodes."""
        fresh = [key for key in dict.fromkeys(ends) if key not in self.distances]
        found = definitions_at(self.inquiry, fresh)
        fresh = [key for key in fresh if key in found or not key[1]]
        room = self.limit - len(self.distances)
        self.is_truncated = self.is_truncated or len(fresh) > room
        taken = fresh[:room]
        self.distances |= dict.fromkeys(taken, distance)
        self._define(found[key] for key in taken if key in found)
        for pair, edge in pairs:
            if pair.caller in self.distances and pair.callee in self.distances:
                self.paths[edge.site.file] = edge.site.repository, edge.site.path
                known = self.edges.setdefault(pair, [])
                if edge not in known:
                    known.append(edge)
        return [found[key] for key in taken if key in found]

    def _define(self, definitions: Iterable[Definition]) -> None:
        for one in definitions:
            self.definitions[one.key] = one
            self.paths[one.file] = one.repository, one.path
