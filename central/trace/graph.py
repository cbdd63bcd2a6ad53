"""Call graphs around a definition, expanded level by level."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Confidence, Graph, GraphEdge, GraphNode, GraphRequest
from central.tenancy.credentials import Credential
from central.trace import unread_manifests
from central.trace.callees import find_callees
from central.trace.callers import CUT_CALLERS, find_callers
from central.trace.candidates import MAX_RESOLVED, MAX_UNCOUNTED
from central.trace.edges import Edge, Tally
from central.trace.receipts import (
    both_partly_parsed,
    hint_for,
    partly_parsed_inside,
    partly_parsed_with_names,
    trace_receipt,
)
from central.trace.request_scope import TraceScope, of_selector, selected_definitions
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Key, enclosing_names
from central.trace.resolve.references import ReferenceSite, count_bound_references, sites_within

_BATCH_REFERENCES: Final = 1_000  # resolved between two checks whether the graph is full


class EdgeKey(NamedTuple):
    """Caller and callee of an edge. A file's top level is the node without a name."""

    caller: Key
    callee: Key


@dataclass(slots=True)
class CallGraph:
    """Nodes with their `distances` in steps from the nearest root, and the edges between them.

    The caller is the innermost definition around a reference; a definition inside a node has the
    node's distance. `definitions` has no entry for a file's top level. `paths` are (repository,
    path, whether it is generated) of the nodes' files. `tally` is that of the roots' callers, and
    `untargeted` are references of their names that lead to nothing visible.
    `is_full`: there are more nodes than `limit`. `is_cut`: the callers of a node are incomplete.
    """

    resolver: BatchResolver
    min_confidence: Confidence
    limit: int
    roots: list[Key] = field(default_factory=list)
    definitions: dict[Key, Definition] = field(default_factory=dict)
    distances: dict[Key, int] = field(default_factory=dict)
    edges: dict[EdgeKey, list[Edge]] = field(default_factory=dict)
    paths: dict[int, tuple[int, str, bool]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    untargeted: Sequence[ReferenceSite] = ()
    is_full: bool = False
    is_cut: bool = False

    def start(self, roots: Sequence[Definition]) -> None:
        self._take([root.key for root in roots], 0, {root.key: root for root in roots})
        self.roots = list(self.distances)

    def expand(self, depth: int) -> None:
        """Add callers of callers and callees of callees, each node once in each direction."""
        above = below = self.roots
        gone_up, gone_down = set(above), set(below)
        for distance in range(1, depth + 1):
            above = self._unseen(self._callers(above, distance), gone_up)
            below = self._unseen(self._callees(below, distance), gone_down)
            if not above and not below:
                break

    def _unseen(self, keys: Iterable[Key], gone: set[Key]) -> list[Key]:
        """Return the new definitions among these nodes, and mark them as expanded."""
        level = [key for key in keys if key in self.definitions and key not in gone]
        gone.update(level)
        return level

    def _callers(self, level: Sequence[Key], distance: int) -> list[Key]:
        """Add the callers of a level, and return them."""
        definitions = [self.definitions[key] for key in level]
        if distance == 1:
            return self._add_callers(definitions, distance)
        callers: list[Key] = []
        batches = iter(self._batches(definitions))
        for batch in batches:
            rest = chain.from_iterable(batches) if self.is_full else ()
            callers += self._add_callers([*batch, *rest], distance)
        return list(dict.fromkeys(callers))

    def _add_callers(self, definitions: Sequence[Definition], distance: int) -> list[Key]:
        """Add callers with their edges; a full graph needs only references in its own files."""
        is_first = distance == 1  # the tally is of the roots' callers
        found = find_callers(
            self.resolver,
            definitions,
            min_confidence=self.min_confidence,
            is_tallied=is_first,
            within=sorted(self.paths) if self.is_full and not is_first else None,
        )
        self.is_cut = self.is_cut or found.is_cut
        if is_first:
            self.tally, self.untargeted = found.tally, found.untargeted
        owners, around = _owners(self.resolver, found.edges)
        callers = list(dict.fromkeys(owners.values()))
        self._take(callers, distance, around)
        self._join(found.edges, owners)
        return callers

    def _batches(self, definitions: Sequence[Definition]) -> list[list[Definition]]:
        """Group definitions by name into batches, the least referenced names first."""
        by_name: dict[tuple[str, str], list[Definition]] = defaultdict(list)
        for definition in definitions:
            by_name[definition.name, definition.ecosystem].append(definition)
        if len(by_name) <= 1:
            return list(by_name.values())
        counts = count_bound_references(self.resolver, list(by_name), limit=MAX_UNCOUNTED)
        batches: list[list[Definition]] = []
        room, total = 0, 0
        for count, name in sorted((count, name) for name, count in counts.items()):
            total += count
            # Of the rest of so many references, the class hierarchy selects.
            if not batches or (room < count and total <= MAX_RESOLVED):
                batches.append([])
                room = _BATCH_REFERENCES
            batches[-1] += by_name[name]
            room -= count
        return batches

    def _callees(self, level: Sequence[Key], distance: int) -> list[Key]:
        inside = sites_within(self.resolver, level)
        edges = find_callees(
            self.resolver,
            inside,
            min_confidence=self.min_confidence,
            is_tallied=False,
        ).edges
        callees = list(dict.fromkeys(edge.target for edge in edges))
        owners, found = _owners(self.resolver, edges, callees)
        self._take(list(dict.fromkeys(owners.values())), distance - 1, found)
        self._take(callees, distance, found)
        self._join(edges, owners)
        return callees

    def _take(
        self, keys: Sequence[Key], distance: int, definitions: Mapping[Key, Definition]
    ) -> None:
        fresh = [key for key in keys if key not in self.distances]
        fresh = [key for key in fresh if key in definitions or not key[1]]
        room = self.limit - len(self.distances)
        self.is_full = self.is_full or len(fresh) > room
        for key in fresh[:room]:
            self.distances[key] = distance
            if key in definitions:
                definition = self.definitions[key] = definitions[key]
                self.paths[definition.file] = (
                    definition.repository,
                    definition.path,
                    definition.generated,
                )

    def _join(self, edges: Iterable[Edge], owners: Mapping[Key, Key]) -> None:
        for edge in edges:
            edge_key = EdgeKey(owners[edge.site.file, edge.site.caller], edge.target)
            if edge_key.caller in self.distances and edge_key.callee in self.distances:
                self.paths[edge.site.file] = (
                    edge.site.repository,
                    edge.site.path,
                    edge.site.generated,
                )
                known = self.edges.setdefault(edge_key, [])
                if edge not in known:
                    known.append(edge)


def _owners(
    resolver: BatchResolver, edges: Iterable[Edge], others: Iterable[Key] = ()
) -> tuple[dict[Key, Key], dict[Key, Definition]]:
    """Return the innermost definition around each reference, and all around them and `others`."""
    places = {(edge.site.file, edge.site.caller) for edge in edges}
    around = {
        place: [(place[0], name) for name in enclosing_names(place[1])] for place in sorted(places)
    }
    keys = [key for keys in around.values() for key in keys]
    found = definitions_at(resolver, [*keys, *others])
    owners = {
        place: next((key for key in keys if key in found), (place[0], ""))
        for place, keys in around.items()
    }
    return owners, found


def graph(*, credential: Credential, request: GraphRequest) -> Graph:
    """Return callers and callees up to `depth` levels in each direction; cycles end.

    The graph has the nearest `limit` nodes; `truncated` says that there are more. Raises
    NotFoundError for an unknown project, file or symbol.
    """
    with of_selector(credential, "graph", request.selector) as scope:
        found = _graph(scope, request)
        scope.span.set_attributes(resultCount=len(found.nodes))
    return found


def _graph(scope: TraceScope, request: GraphRequest) -> Graph:
    chosen, cut = selected_definitions(scope, request.selector)
    call_graph = CallGraph(scope.resolver, request.min_confidence, request.limit)
    call_graph.start(chosen)
    call_graph.expand(request.depth)
    expanded = [
        definition
        for key, definition in call_graph.definitions.items()
        if call_graph.distances[key] < request.depth
    ]
    nodes = {key: _node(scope, key, call_graph) for key in call_graph.distances}
    receipt = trace_receipt(
        scope,
        tally=call_graph.tally,
        cut=[*cut, *_cut(call_graph)],
        partly_parsed=both_partly_parsed(
            partly_parsed_with_names(scope, expanded), partly_parsed_inside(scope, expanded)
        ),
        unread=unread_manifests.of_callers(scope, chosen, call_graph.untargeted),
    )
    hint = hint_for(scope, "callers and callees", receipt, min_confidence=request.min_confidence)
    return Graph(
        symbol=request.selector.symbol,
        root=[nodes[key].id for key in call_graph.roots],
        nodes=sorted(nodes.values(), key=lambda node: (node.distance, node.id)),
        edges=sorted(
            (_edge(scope, edge_key, edges, nodes) for edge_key, edges in call_graph.edges.items()),
            key=lambda edge: (edge.caller, edge.callee),
        ),
        truncated=bool(receipt.cut),
        truncated_reason=" ".join(receipt.cut) or None,
        receipt=receipt,
        hint=None if call_graph.edges else hint,
    )


def _cut(call_graph: CallGraph) -> Iterator[str]:
    if call_graph.is_full:
        yield (
            f"There are more than {call_graph.limit} nodes; lower depth, raise limit, or give "
            "project and file."
        )
    if call_graph.is_cut:
        yield CUT_CALLERS


def _node(scope: TraceScope, key: Key, call_graph: CallGraph) -> GraphNode:
    file, name = key
    repository, path, generated = call_graph.paths[file]
    project = scope.repositories[repository].name
    definition = call_graph.definitions.get(key)
    return GraphNode(
        id=f"code:{project}/{path}#{name}" if name else f"code:{project}/{path}",
        project=project,
        file=path,
        name=definition.name if definition else "<module>",
        qualified_name=name,
        kind=definition.kind if definition else "module",
        line=definition.start_line if definition else 1,
        distance=call_graph.distances[key],
        generated=generated,
    )


def _edge(
    scope: TraceScope, edge_key: EdgeKey, edges: Sequence[Edge], nodes: Mapping[Key, GraphNode]
) -> GraphEdge:
    """Return the first reference of highest confidence between two nodes."""
    best = min(edges, key=lambda edge: (-edge.confidence, edge.site.line, edge.site.column))
    return GraphEdge(
        caller=nodes[edge_key.caller].id,
        callee=nodes[edge_key.callee].id,
        project=scope.repositories[best.site.repository].name,
        file=best.site.path,
        line=best.site.line,
        kind=best.site.kind,
        rule=best.rule,
        confidence=best.confidence.name.lower(),
        count=len({edge.site.id for edge in edges}),
    )
