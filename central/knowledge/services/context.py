"""What to know before a file is changed: decisions, policies, memories, callers and callees.

Most useful first, and no more than fits `max_tokens`, at about four bytes a token.
"""

import json
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import Q

from central.common.documents import document
from central.corpus.models import File, Symbol
from central.knowledge.access import visible_nodes
from central.knowledge.answers import GraphReceipt, NodeView, node_views
from central.knowledge.models import CODE_KINDS, DOCUMENT_KINDS, Edge, Node, NodeKind, Policy
from central.knowledge.resolution import CodePlace, node_not_found
from central.knowledge.scope import GraphScope
from central.knowledge.services.related import related_documents
from central.knowledge.services.violations import VIOLATES, pattern_matcher
from central.repositories.listing import repository_in_sight
from central.tenancy.credentials import Credential
from central.trace.answers import Link
from central.trace.query import ChangedFile, Choice, ImpactRequest, TraceRequest
from central.trace.services.assessing import impact
from central.trace.services.tracing import callees

_BYTES_PER_TOKEN: Final = 4
_EXCERPT: Final = 400  # characters of a body
_RELATED: Final = 10
_CALLERS: Final = 20
_TRACED_DEFINITIONS: Final = 5
_STRONG: Final = 0.6  # calibrated similarity, below which a document is noise


@dataclass(frozen=True, slots=True)
class ContextDocument:
    """A decision or a memory. `why`: the types of the edges, or related."""

    node: NodeView
    why: list[str]
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class ApplicablePolicy:
    """A policy that holds for the file; `matches` where it is violated here."""

    node: NodeView
    severity: str
    message: str
    is_violated: bool
    matches: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A caller or a callee in another file or repository."""

    project: str
    file: str
    line: int
    name: str
    of: str
    confidence: str


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """`truncated`: what did not fit into max_tokens, by kind."""

    project: str
    file: str
    commit: str
    decisions: list[ContextDocument]
    policies: list[ApplicablePolicy]
    memories: list[ContextDocument]
    callers: list[Neighbour]
    callees: list[Neighbour]
    truncated: dict[str, int]
    receipt: GraphReceipt


def context(
    *, credential: Credential, project: str, file: str, max_tokens: int = 4_000
) -> ContextAnswer:
    """All that the graph and the trace say of a file. Raises NotFoundError, StoreError."""
    scope = GraphScope(credential)
    repository = repository_in_sight(credential=credential, project=project)
    row = File.objects.filter(repository=repository, path=file).defer("content").first()
    if row is None:
        raise node_not_found(f"code:{project}/{file}")
    documents = _documents(row, scope)
    answer = ContextAnswer(
        project=project,
        file=file,
        commit=repository.last_indexed_commit,
        decisions=[one for one in documents if one.node.kind == NodeKind.KNOWLEDGE],
        policies=_policies(row, scope),
        memories=[one for one in documents if one.node.kind == NodeKind.MEMORY],
        callers=_callers(credential, project, file),
        callees=_callees(credential, project, row),
        truncated={},
        receipt=scope.receipt([repository.pk]),
    )
    return _fit(answer, max_tokens)


def _documents(file: File, scope: GraphScope) -> list[ContextDocument]:
    """Linked ones first, then those that resemble the file."""
    own = Node.objects.filter(repository=file.repository_id, path=file.path, kind__in=CODE_KINDS)
    kinds: dict[int, set[str]] = {}
    edges = Edge.objects.filter(Q(source__in=own) | Q(target__in=own)).exclude(type=VIOLATES)
    for edge in edges.values_list("source_id", "target_id", "type"):
        for end in edge[:2]:
            kinds.setdefault(end, set()).add(edge[2])
    nodes = (
        visible_nodes(credential=scope.credential)
        .filter(pk__in=list(kinds), kind__in=DOCUMENT_KINDS)
        .select_related("repository", "document", "document__policy")
    )
    linked = [
        ContextDocument(_shortened(view, node), sorted(kinds[node.pk]))
        for node, view in zip(nodes, node_views(nodes, scope.snapshots), strict=True)
    ]
    linked.sort(
        key=lambda one: ("implements" not in one.why, "mentions" not in one.why, one.node.id)
    )
    known = {one.node.id for one in linked}
    place = CodePlace(file.repository, file.path)
    alike = related_documents(
        place, scope, kinds=[NodeKind.KNOWLEDGE, NodeKind.MEMORY], limit=_RELATED
    )
    return linked + [
        ContextDocument(one.node, ["related"], one.similarity)
        for one in alike
        if one.node.id not in known and (one.similarity or 0) >= _STRONG
    ]


def _rank(types: list[str]) -> int:
    """How much an edge of these types says; 0 is most."""
    return next((n for n, kind in enumerate(("implements", "mentions")) if kind in types), 2)


def _shortened(view: NodeView, node: Node) -> NodeView:
    return replace(view, body=node.document.body[:_EXCERPT])


def _policies(file: File, scope: GraphScope) -> list[ApplicablePolicy]:
    """Policies of the file's language and path, violated ones first."""
    visible = visible_nodes(credential=scope.credential).filter(
        Q(repository__isnull=True) | Q(repository=file.repository_id), kind=NodeKind.POLICY
    )
    policies = [
        policy
        for policy in Policy.objects.filter(
            document__node__in=visible, document__archived_at=None, language=file.language
        )
        if pattern_matcher(policy)(file.path)
    ]
    nodes = {
        node.pk: node
        for node in visible.filter(pk__in=[policy.pk for policy in policies]).select_related(
            "repository", "document", "document__policy"
        )
    }
    matches: dict[int, list[dict[str, Any]]] = {}
    for target, properties in Edge.objects.filter(
        type=VIOLATES,
        target__in=list(nodes),
        source__repository=file.repository_id,
        source__path=file.path,
    ).values_list("target_id", "properties"):
        matches.setdefault(target, []).extend(properties.get("matches", []))
    found = [
        ApplicablePolicy(
            node=node_views([nodes[policy.pk]], scope.snapshots)[0],
            severity=policy.severity,
            message=policy.message,
            is_violated=policy.pk in matches,
            matches=matches.get(policy.pk, []),
        )
        for policy in policies
    ]
    return sorted(found, key=lambda one: (not one.is_violated, one.severity, one.node.id))


def _callers(credential: Credential, project: str, file: str) -> list[Neighbour]:
    answer = impact(
        credential=credential,
        request=ImpactRequest(project=project, files=(ChangedFile(file),), limit=_CALLERS),
    )
    links = [
        (symbol.definition.qualified_name, link)
        for symbol in answer.symbols
        for affected in symbol.projects
        for link in affected.callers
    ]
    return _neighbours(links, project, file, lambda link: link.caller)


def _callees(credential: Credential, project: str, file: File) -> list[Neighbour]:
    names = (
        Symbol.objects.filter(file=file)
        .order_by("-exported", "start_line")
        .values_list("qualified_name", "start_line")[:_TRACED_DEFINITIONS]
    )
    links: list[tuple[str, Link]] = []
    for name, line in names:
        choice = Choice(symbol=name, project=project, file=file.path, line=line)
        answer = callees(credential=credential, request=TraceRequest(choice=choice, limit=_CALLERS))
        links += [(name, link) for link in answer.callees]
    return _neighbours(links, project, file.path, lambda link: link.callee)


def _neighbours(
    links: list[tuple[str, Link]], project: str, file: str, end: Any
) -> list[Neighbour]:
    """The far ends in other files, each once; other repositories first."""
    found: dict[tuple[str, str, str, str], Neighbour] = {}
    for name, link in links:
        far = end(link)
        if (far.project, far.file) == (project, file):
            continue
        key = (far.project, far.file, far.qualified_name, name)
        found.setdefault(
            key,
            Neighbour(
                far.project,
                far.file,
                far.line,
                far.qualified_name or far.name,
                name,
                link.confidence,
            ),
        )
    return sorted(
        found.values(), key=lambda one: (one.project == project, one.project, one.file, one.line)
    )


_ORDER: Final = ("policies", "decisions", "callers", "memories", "callees")


def _fit(answer: ContextAnswer, max_tokens: int) -> ContextAnswer:
    """Drop the least useful until the rest fits; parts are cut from their ends, in turn."""
    budget = max_tokens * _BYTES_PER_TOKEN
    kept: dict[str, list[Any]] = {name: [] for name in _ORDER}
    waiting = {name: list(getattr(answer, name)) for name in _ORDER}
    while any(waiting.values()) and budget > 0:
        for name in _ORDER:
            if not waiting[name]:
                continue
            size = len(json.dumps(document(waiting[name][0]), default=str))
            if size > budget:
                budget = 0
                break
            budget -= size
            kept[name].append(waiting[name].pop(0))
    left = {name: len(rest) for name, rest in waiting.items() if rest}
    return replace(
        answer,
        decisions=kept["decisions"],
        policies=kept["policies"],
        memories=kept["memories"],
        callers=kept["callers"],
        callees=kept["callees"],
        truncated=left,
    )
