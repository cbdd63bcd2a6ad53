"""What to know before a file is changed: decisions, policies, memories, callers and callees.

Most useful first, and no more than fits `max_tokens`, at about four bytes a token.
"""

import json
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from aeterna_code_search.contract.knowledge import ContextRequest
from aeterna_code_search.contract.trace import (
    ChangedFile,
    ImpactRequest,
    Link,
    SymbolSelector,
    TraceRequest,
)
from central.corpus.models import File, Symbol
from central.http.parameters import to_json
from central.knowledge.answers import GraphReceipt
from central.knowledge.models import NodeKind
from central.knowledge.resolution import CodePlace, node_not_found
from central.knowledge.scope import GraphScope
from central.knowledge.services.about import (
    ApplicablePolicy,
    CodeSubject,
    LinkedDocument,
    knowledge_about,
)
from central.knowledge.services.related import related_documents
from central.repositories.listing import visible_repository
from central.tenancy.credentials import Credential
from central.trace.impact import impact
from central.trace.service import callees

_BYTES_PER_TOKEN: Final = 4
_RELATED: Final = 10
_CALLERS: Final = 20
_TRACED_DEFINITIONS: Final = 5
_STRONG: Final = 0.6  # calibrated similarity, below which a document is noise


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A caller or a callee in another file or repository."""

    project: str
    file: str
    line: int
    name: str
    of: Annotated[str, "The definition of the file at the near end"]
    confidence: str


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """What to know before a file is changed."""

    project: str
    file: str
    commit: str
    decisions: list[LinkedDocument]
    policies: list[ApplicablePolicy]
    memories: list[LinkedDocument]
    callers: list[Neighbour]
    callees: list[Neighbour]
    truncated: Annotated[dict[str, int], "What did not fit max_tokens, by kind"]
    receipt: GraphReceipt


def context(*, credential: Credential, request: ContextRequest) -> ContextAnswer:
    """All that the graph and the trace say of a file. Raises NotFoundError, StoreError."""
    project, file = request.project, request.file
    scope = GraphScope(credential)
    repository = visible_repository(credential=credential, project=project)
    row = File.objects.filter(repository=repository, path=file).defer("content").first()
    if row is None:
        raise node_not_found(f"code:{project}/{file}")
    known = knowledge_about(credential=credential, subjects=[CodeSubject(row)])
    documents = known.documents + _alike(row, known.documents, scope)
    answer = ContextAnswer(
        project=project,
        file=file,
        commit=repository.last_indexed_commit,
        decisions=[document for document in documents if document.node.kind == NodeKind.KNOWLEDGE],
        policies=known.policies,
        memories=[document for document in documents if document.node.kind == NodeKind.MEMORY],
        callers=_callers(credential, project, file),
        callees=_callees(credential, project, row),
        truncated={},
        receipt=scope.receipt([repository.pk]),
    )
    return _fit(answer, request.max_tokens)


def _alike(file: File, linked: list[LinkedDocument], scope: GraphScope) -> list[LinkedDocument]:
    """Documents that resemble the file and are not linked to it."""
    known = {document.node.id for document in linked}
    alike = related_documents(
        CodePlace(file.repository, file.path),
        scope,
        kinds=[NodeKind.KNOWLEDGE, NodeKind.MEMORY],
        limit=_RELATED,
    )
    return [
        LinkedDocument(node.node, ["related"], node.similarity)
        for node in alike
        if node.node.id not in known and (node.similarity or 0) >= _STRONG
    ]


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
        selector = SymbolSelector(symbol=name, project=project, file=file.path, line=line)
        answer = callees(
            credential=credential, request=TraceRequest(selector=selector, limit=_CALLERS)
        )
        links += [(name, link) for link in answer.callees]
    return _neighbours(links, project, file.path, lambda link: link.callee)


def _neighbours(
    links: list[tuple[str, Link]], project: str, file: str, end: Any
) -> list[Neighbour]:
    """The far ends in other files, each once; other repositories first."""
    found: dict[tuple[str, str, str, str], Neighbour] = {}
    for name, link in links:
        far = end(link)
        place = (far.project, far.file)
        if place != (project, file):
            shown = far.qualified_name or far.name
            neighbour = Neighbour(*place, far.line, shown, name, link.confidence)
            found.setdefault((*place, far.qualified_name, name), neighbour)
    return sorted(
        found.values(),
        key=lambda neighbour: (
            neighbour.project == project,
            neighbour.project,
            neighbour.file,
            neighbour.line,
        ),
    )


_ORDER: Final = ("policies", "decisions", "callers", "memories", "callees")


def _fit(answer: ContextAnswer, max_tokens: int) -> ContextAnswer:
    """Drop the least useful until the rest fits; parts are cut from their ends, in turn."""
    budget = max_tokens * _BYTES_PER_TOKEN
    kept: dict[str, Any] = {name: [] for name in _ORDER}
    waiting = {name: list(getattr(answer, name)) for name in _ORDER}
    left: dict[str, int] = {}
    while any(waiting.values()) and budget > 0:
        for name in _ORDER:
            if not waiting[name]:
                continue
            size = len(json.dumps(to_json(waiting[name][0]), default=str))
            if size > budget:
                left[name] = len(waiting.pop(name))
                waiting[name] = []
                continue
            budget -= size
            kept[name].append(waiting[name].pop(0))
    left |= {name: len(rest) for name, rest in waiting.items() if rest}
    return replace(answer, **kept, truncated=left)
