"""Answers about nodes: one node, lists of them, a walk, violations, what is not migrated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

from django.db.models import Prefetch, Q, QuerySet

from aeterna_code_search.contract.knowledge import Direction, NodeFilter, Traversal
from central.http.cursors import decode_cursor, encode_cursor
from central.knowledge.access import visible_nodes
from central.knowledge.answers import (
    EdgeView,
    GraphReceipt,
    NodeView,
    code_lines,
    code_view,
    node_views,
)
from central.knowledge.models import CODE_KINDS, DOCUMENT_KINDS, Document, Edge, Node
from central.knowledge.resolution import CodePlace, Target, find_targets, node_id
from central.knowledge.scope import GraphScope
from central.knowledge.services.not_run import reasons_not_run
from central.knowledge.traversal import walk
from central.repositories.listing import visible_repository
from central.sentences import Sentence
from central.tenancy.credentials import Credential

_SALT: Final = "central.knowledge.nodes"
_LINKED: Final = 100  # edges of a node that its own answer shows


@dataclass(frozen=True, slots=True)
class NodesAnswer:
    """Nodes."""

    count: int
    nodes: list[NodeView]
    edges: list[EdgeView]  # of the nodes of one id; none in a list
    next_cursor: str | None
    receipt: GraphReceipt


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node of a walk."""

    node: NodeView
    distance: Annotated[int, "Steps from the nearest root"]


@dataclass(frozen=True, slots=True)
class TraverseAnswer:
    """Nodes nearest first, and the edges among them."""

    roots: list[str]
    nodes: list[FoundNode]
    edges: list[EdgeView]
    truncated: bool
    receipt: GraphReceipt
    hint: Annotated[str | None, "Why nothing was reached"]


def get_nodes(*, credential: Credential, text: str) -> NodesAnswer:
    """All that an id means, with bodies and edges. Raises what `find_targets` raises."""
    scope = GraphScope(credential)
    targets = find_targets(text, credential=credential)
    views = [
        _with_not_run(view, target, scope)
        for target, view in zip(targets, target_views(targets, scope), strict=True)
    ]
    found = walk(credential=credential, roots=_nodes_of(targets), limit=_LINKED)
    edges = edge_views([step.edge for step in found.steps[:_LINKED]])
    return NodesAnswer(len(views), views, edges, None, scope.receipt(_repositories(targets)))


def _with_not_run(view: NodeView, target: Target, scope: GraphScope) -> NodeView:
    if view.policy is None or not isinstance(target, Node):
        return view
    reasons = reasons_not_run(target, repositories=scope.snapshots)
    return replace(view, policy=replace(view.policy, not_run=reasons))


def list_nodes(*, credential: Credential, wanted: NodeFilter) -> NodesAnswer:
    """Documents by id, a page at a time. Raises InvalidError, NotFoundError (for a project)."""
    scope = GraphScope(credential)
    documents = visible_nodes(credential=credential).filter(kind__in=DOCUMENT_KINDS)
    if wanted.kind:
        documents = documents.filter(kind=wanted.kind)
    if wanted.project:
        repository = visible_repository(credential=credential, project=wanted.project)
        documents = documents.filter(repository=repository)
    if wanted.query:
        documents = documents.filter(
            Q(document__title__icontains=wanted.query)
            | Q(document__public_id__icontains=wanted.query)
        )
    if wanted.archived is not None:
        documents = documents.filter(document__archived_at__isnull=not wanted.archived)
    narrowed = [wanted.kind, wanted.project, wanted.query, wanted.archived]
    asked = [credential.organization.slug, *narrowed]
    if after := decode_cursor(wanted.cursor, salt=_SALT, asked=asked):
        documents = documents.filter(Q(key__gt=after[0]) | Q(key=after[0], pk__gt=after[1]))
    read = documents.select_related("repository", "document", "document__policy")
    rows = list(read.defer("document__vector").order_by("key", "pk")[: wanted.limit + 1])
    page = rows[: wanted.limit]
    cursor = None
    if len(rows) > wanted.limit:
        cursor = encode_cursor(salt=_SALT, asked=asked, position=[page[-1].key, page[-1].pk])
    receipt = scope.receipt(node.repository_id or 0 for node in page)
    return NodesAnswer(len(page), node_views(page, scope.snapshots), [], cursor, receipt)


def traverse(*, credential: Credential, asked: Traversal) -> TraverseAnswer:
    """Walk from a node, or from all that an ambiguous id means. Raises as `find_targets`."""
    scope = GraphScope(credential)
    targets = find_targets(asked.source, credential=credential)
    roots = _nodes_of(targets)
    found = walk(
        credential=credential,
        roots=roots,
        types=asked.types or None,
        direction=asked.direction,
        depth=asked.depth,
        limit=asked.limit,
    )
    nodes = nodes_by_key(found.distances)
    ordered = sorted(nodes.values(), key=lambda node: (found.distances[node.pk], node.pk))
    views = node_views(ordered, scope.snapshots)
    names = {id_of(target) for target in targets}
    ends = {key for step in found.steps for key in (step.node, step.origin)}
    shown = [  # definitions of a root that is a file are no roots, but edges may end there
        FoundNode(view, found.distances[node.pk])
        for node, view in zip(ordered, views, strict=True)
        if view.id not in names and node.pk in ends
    ]
    return TraverseAnswer(
        roots=[id_of(target) for target in targets],
        nodes=[FoundNode(view, 0) for view in target_views(targets, scope, with_body=False)]
        + shown,
        edges=_edges_between(nodes, [step.edge for step in found.steps]),
        truncated=found.is_cut,
        receipt=scope.receipt(
            [*_repositories(targets), *(node.repository_id or 0 for node in ordered)]
        ),
        hint=None if found.steps else _traversal_hint(asked),
    )


def nodes_by_key(keys: Iterable[int]) -> dict[int, Node]:
    """Nodes with what their views read, bodies excepted, but for those that go meanwhile.

    Each repository and document is read once: most nodes of a walk are code of a few repositories.
    """
    documents = Document.objects.select_related("policy").defer("vector", "body")
    read = Node.objects.prefetch_related("repository", Prefetch("document", documents))
    return {node.pk: node for node in read.filter(pk__in=list(keys)) if _is_whole(node)}


def _is_whole(node: Node) -> bool:
    """Whether what was read after the node was still there."""
    if node.repository_id is not None and node.repository is None:
        return False
    return node.kind in CODE_KINDS or hasattr(node, "document")


def _edges_between(nodes: Mapping[int, Node], keys: Sequence[int]) -> list[EdgeView]:
    """Views of edges whose ends are all in `nodes`, in the order of `keys`."""
    found = {}
    for edge in Edge.objects.filter(pk__in=keys, source__in=nodes, target__in=nodes):
        edge.source, edge.target = nodes[edge.source_id], nodes[edge.target_id]
        found[edge.pk] = edge_view(edge)
    return [found[key] for key in keys if key in found]


def edge_views(keys: Sequence[int]) -> list[EdgeView]:
    """Views of edges that are there, in the order of `keys`."""
    found = {edge.pk: edge_view(edge) for edge in with_ends(Edge.objects.filter(pk__in=keys))}
    return [found[key] for key in keys if key in found]


def with_ends(edges: QuerySet[Edge]) -> QuerySet[Edge]:
    """Edges with what their views read."""
    return edges.select_related(
        "source__repository", "source__document", "target__repository", "target__document"
    ).defer("source__document__vector", "target__document__vector")


def edge_view(edge: Edge) -> EdgeView:
    """An edge; reads both nodes with their repositories and documents."""
    return EdgeView(
        source=node_id(edge.source),
        target=node_id(edge.target),
        type=edge.type,
        origin=edge.origin,
        weight=edge.weight,
        cosine=edge.cosine,
        properties=edge.properties,
        author=edge.author,
        created_at=edge.created_at,
    )


def code_views(places: Sequence[CodePlace], scope: GraphScope) -> list[NodeView]:
    """Views of places in the same order."""
    lines = code_lines(places)
    return [code_view(place, scope.snapshots[place.repository.pk], lines) for place in places]


def target_views(
    targets: Sequence[Target], scope: GraphScope, *, with_body: bool = True
) -> list[NodeView]:
    return [
        code_views([target], scope)[0]
        if isinstance(target, CodePlace)
        else node_views([target], scope.snapshots, with_body=with_body)[0]
        for target in targets
    ]


def _nodes_of(targets: Sequence[Target]) -> list[int]:
    """Keys of the targets' nodes, and of the definitions' in files that have no node."""
    keys = [target.pk for target in targets if isinstance(target, Node)]
    for place in (target for target in targets if isinstance(target, CodePlace)):
        nodes = Node.objects.filter(repository=place.repository, path=place.path)
        if place.qualified_name:
            nodes = nodes.filter(key=place.key)
        keys.extend(nodes.filter(kind__in=CODE_KINDS).values_list("pk", flat=True))
    return keys


def _repositories(targets: Sequence[Target]) -> list[int]:
    return [target.repository.pk for target in targets if target.repository]


def id_of(target: Target) -> str:
    """The unambiguous id of what an id means."""
    return node_id(target) if isinstance(target, Node) else target.id


def _traversal_hint(asked: Traversal) -> str:
    narrowed = [f"types={','.join(asked.types)}"] if asked.types else []
    if asked.direction is not Direction.BOTH:
        narrowed.append(f"direction={asked.direction}")
    if narrowed:
        return f"No edge passes {' and '.join(narrowed)}. Leave that out to follow every edge."
    template = "Nothing is linked to this node yet. graph_link links nodes."
    return Sentence.of("nothing_linked", template)
