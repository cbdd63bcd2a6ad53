"""Call graphs around a definition, by rounds."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from central.tenancy.credentials import Credential
from central.trace.answers import (
    Graph,
    GraphEdge,
    GraphNode,
    hint_for,
    missing_projects,
    receipt_of,
)
from central.trace.callees import find_callees
from central.trace.callers import CUT_CALLERS, Edge, find_callers
from central.trace.request_scope import Sight, chosen_definitions
from central.trace.requests import GraphRequest
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import Inquiry, limits_met
from central.trace.resolve.questions import Key
from central.trace.resolve.references import Site
from central.trace.resolve.resolve import Confidence
from central.trace.service import cut_definitions, steadily, trace_span, unresolved_of


class Pair(NamedTuple):
    """A node that uses another. A file's top level is the node without a name."""

    caller: Key
    callee: Key


@dataclass(slots=True)
class Growth:
    """`distances` of all nodes from the nearest root, in steps; edges by what they join.

    The caller is the innermost definition around a reference; one inside of a node is as near as
    the node. `definitions` are the nodes that are some: a file's top level is none. `paths` are
    (repository, path) of the nodes' files. `open_…` is as in backward.Found, of the roots.
    `is_full`: there are more nodes than `limit`; `is_cut`: callers of a node were not all found.
    """

    inquiry: Inquiry
    least: Confidence
    limit: int
    roots: list[Key] = field(default_factory=list)
    definitions: dict[Key, Definition] = field(default_factory=dict)
    distances: dict[Key, int] = field(default_factory=dict)
    edges: dict[Pair, list[Edge]] = field(default_factory=dict)
    paths: dict[int, tuple[int, str]] = field(default_factory=dict)
    open_count: int = 0
    open_sample: list[Site] = field(default_factory=list)
    is_full: bool = False
    is_cut: bool = False

    def start(self, roots: Sequence[Definition]) -> None:
        """Begin with these; they count as nodes."""
        self._take([one.key for one in roots], 0, {one.key: one for one in roots})
        self.roots = list(self.distances)

    def grow(self, depth: int) -> None:
        """Callers of callers and callees of callees, each node gone through once each way."""
        above = below = self.roots
        gone_up, gone_down = set(above), set(below)
        for distance in range(1, depth + 1):
            above = self._unseen(self._callers(above, distance), gone_up)
            below = self._unseen(self._callees(below, distance), gone_down)
            if not above and not below:
                break

    def _unseen(self, keys: Iterable[Key], gone: set[Key]) -> list[Key]:
        """The nodes among these that are definitions and not gone through; now they are."""
        level = [key for key in keys if key in self.definitions and key not in gone]
        gone.update(level)
        return level

    def _callers(self, level: Sequence[Key], distance: int) -> list[Key]:
        definitions = [self.definitions[key] for key in level]
        found = find_callers(self.inquiry, definitions, least=self.least)
        self.is_cut = self.is_cut or found.is_cut
        if distance == 1:
            self.open_count, self.open_sample = found.open_count, found.open_sample
        owners, around = _owners(self.inquiry, found.edges)
        callers = list(dict.fromkeys(owners.values()))
        self._take(callers, distance, around)
        self._join(found.edges, owners)
        return callers

    def _callees(self, level: Sequence[Key], distance: int) -> list[Key]:
        edges = find_callees(self.inquiry, level, least=self.least).edges if level else []
        owners, around = _owners(self.inquiry, edges)
        self._take(list(dict.fromkeys(owners.values())), distance - 1, around)
        callees = list(dict.fromkeys(edge.target for edge in edges))
        self._take(callees, distance, definitions_at(self.inquiry, callees))
        self._join(edges, owners)
        return callees

    def _take(
        self, keys: Sequence[Key], distance: int, definitions: Mapping[Key, Definition]
    ) -> None:
        """Make nodes of as many as there is room for."""
        fresh = [key for key in keys if key not in self.distances]
        fresh = [key for key in fresh if key in definitions or not key[1]]
        room = self.limit - len(self.distances)
        self.is_full = self.is_full or len(fresh) > room
        for key in fresh[:room]:
            self.distances[key] = distance
            if key in definitions:
                one = self.definitions[key] = definitions[key]
                self.paths[one.file] = one.repository, one.path

    def _join(self, edges: Iterable[Edge], owners: Mapping[Key, Key]) -> None:
        """Take in the edges between nodes."""
        for edge in edges:
            pair = Pair(owners[edge.site.file, edge.site.caller], edge.target)
            if pair.caller in self.distances and pair.callee in self.distances:
                self.paths[edge.site.file] = edge.site.repository, edge.site.path
                known = self.edges.setdefault(pair, [])
                if edge not in known:
                    known.append(edge)


class _Owners(NamedTuple):
    owners: dict[Key, Key]
    definitions: dict[Key, Definition]


def _owners(inquiry: Inquiry, edges: Iterable[Edge]) -> _Owners:
    """For the place of each edge's reference, the innermost definition around it."""
    places = {(edge.site.file, edge.site.caller) for edge in edges}
    around = {place: list(_around(place)) for place in sorted(places)}
    found = definitions_at(inquiry, [key for keys in around.values() for key in keys])
    return _Owners(
        {
            place: next((key for key in keys if key in found), (place[0], ""))
            for place, keys in around.items()
        },
        found,
    )


def _around(place: Key) -> Iterator[Key]:
    """`a.b` and `a` of `a.b`."""
    file, name = place
    while name:
        yield file, name
        name = name.rpartition(".")[0]


def graph(*, credential: Credential, request: GraphRequest) -> Graph:
    """Callers and callees up to `depth` levels each way; cycles are gone through once.

    At most `limit` nodes, the nearest first; `truncated` says whether that is too few. Raises
    NotFoundError for what is not there.
    """
    started = time.perf_counter()
    with trace_span(credential, "graph", request.choice.symbol) as told:
        answer = steadily(credential, lambda sight: _graph(sight, request, started))
        told.set_attributes(resultCount=len(answer.nodes))
    return answer


def _graph(sight: Sight, request: GraphRequest, started: float) -> Graph:
    chosen, has_more = chosen_definitions(sight, request.choice)
    growth = Growth(sight.inquiry, request.min_confidence, request.limit)
    growth.start(chosen)
    growth.grow(request.depth)
    nodes = {key: _node(sight, key, growth) for key in growth.distances}
    cut = [*cut_definitions(has_more), *_cut(growth), *limits_met(sight.inquiry)]
    missing = missing_projects(list(sight.repositories.values()), [])
    unresolved = unresolved_of(sight, growth.open_count, growth.open_sample)
    return Graph(
        symbol=request.choice.symbol,
        root=[nodes[key].id for key in growth.roots],
        nodes=sorted(nodes.values(), key=lambda node: (node.distance, node.id)),
        edges=sorted(
            (_edge(sight, pair, edges, nodes) for pair, edges in growth.edges.items()),
            key=lambda edge: (edge.caller, edge.callee),
        ),
        truncated=bool(cut),
        truncated_reason=" ".join(cut) or None,
        receipt=receipt_of(
            sight.repositories.values(),
            missing=missing,
            unresolved=unresolved,
            cut=cut,
            seconds=time.perf_counter() - started,
        ),
        hint=None
        if growth.edges
        else hint_for(
            "callers and callees",
            least=request.min_confidence,
            unresolved=unresolved.count,
            missing=missing,
        ),
    )


def _cut(growth: Growth) -> Iterator[str]:
    if growth.is_full:
        yield (
            f"There are more than {growth.limit} nodes; lower depth, raise limit, or give project "
            "and file."
        )
    if growth.is_cut:
        yield CUT_CALLERS


def _node(sight: Sight, key: Key, growth: Growth) -> GraphNode:
    file, name = key
    repository, path = growth.paths[file]
    project = sight.repositories[repository].name
    one = growth.definitions.get(key)
    return GraphNode(
        id=f"code:{project}/{path}#{name}" if name else f"code:{project}/{path}",
        project=project,
        file=path,
        name=one.name if one else "<module>",
        qualified_name=name,
        kind=one.kind if one else "module",
        line=one.start_line if one else 1,
        distance=growth.distances[key],
    )


def _edge(
    sight: Sight, pair: Pair, edges: Sequence[Edge], nodes: Mapping[Key, GraphNode]
) -> GraphEdge:
    """The surest of the references between two nodes, the first of those."""
    best = min(edges, key=lambda edge: (-edge.confidence, edge.site.line, edge.site.column))
    return GraphEdge(
        caller=nodes[pair.caller].id,
        callee=nodes[pair.callee].id,
        project=sight.repositories[best.site.repository].name,
        file=best.site.path,
        line=best.site.line,
        kind=best.site.kind,
        rule=best.rule,
        confidence=best.confidence.name.lower(),
        count=len({edge.site.id for edge in edges}),
    )
