"""The graph of calls around a symbol."""

import time
from collections.abc import Iterator, Mapping, Sequence

from central.tenancy.credentials import Credential
from central.trace.answers import Graph, GraphEdge, GraphNode, missing_projects, receipt_of
from central.trace.backward import Edge
from central.trace.growing import Growth, Pair
from central.trace.hints import hint_for
from central.trace.limits import limits_met
from central.trace.query import GraphRequest
from central.trace.scope import Sight, chosen_definitions
from central.trace.services.tracing import cut_definitions, steadily, trace_span, unresolved_of
from central.trace.things import Key
from central.trace.walking import CUT_CALLERS


def graph(*, credential: Credential, request: GraphRequest) -> Graph:
    """Callers and callees up to `depth` levels each way; cycles are gone through once.

    At most `limit` nodes, the nearest first; `truncated` says whether that is too few. Raises
    NotFoundError for what is not there.
    """
    started = time.perf_counter()
    with trace_span(credential, "graph", request.choice.symbol) as told:
        answer = steadily(credential, lambda sight: _graph(sight, request, started))
        told.note(resultCount=len(answer.nodes))
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
