"""The knowledge graph: its documents, one node with what is around it, violations of a project."""

from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from central.errors import NotFoundError
from central.http.parameters import FLAG, INTEGER
from central.knowledge.answers import NodeView, PolicyView
from central.knowledge.models import CODE_KINDS, DOCUMENT_KINDS, NodeKind
from central.knowledge.resolution import CodePlace, find_target
from central.knowledge.serializers import (
    ListNodesSerializer,
    ProjectQuestionSerializer,
    TraverseSerializer,
)
from central.knowledge.services.about import has_documents
from central.knowledge.services.code_questions import Violation
from central.knowledge.services.code_questions import violations as violations_of
from central.knowledge.services.questions import get_nodes, list_nodes, traverse
from central.tenancy.credentials import Credential
from central.web.access import member_page
from central.web.knowledge_drawing import KIND_WORDS, end_of, link_graph, match_lines, value_text
from central.web.urls_for import file_url, given_in, node_url, symbol_url

_LIST: Final = ListNodesSerializer()
_TRAVERSE: Final = TraverseSerializer()
_VIOLATIONS: Final = ProjectQuestionSerializer()
_NUMBERS: Final = {"archived": FLAG, "depth": INTEGER}
_FILTERS: Final = ("kind", "project", "archived", "cursor")
DEPTHS: Final = (1, 2, 3)
_SEVERITIES: Final = {"error": "bad", "warning": "warn", "info": "info"}


@dataclass(frozen=True, slots=True)
class _ViolationRow:
    """A violation with addresses; `matches` are (words, address, text)."""

    violation: Violation
    tone: str
    code_url: str
    policy_url: str
    matches: list[tuple[str, str, str]]


@member_page
def knowledge(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Documents by id; `q`, `kind`, `project`, `archived` and `cursor` are in the address."""
    organization = credential.organization.slug
    given = given_in(request, numbers=_NUMBERS)
    asked: dict[str, Any] = {name: given[name] for name in _FILTERS if name in given}
    if text := str(given.get("q", "")).strip():
        asked["query"] = text
    answer = list_nodes(credential=credential, wanted=_LIST.read({**asked, "org_id": organization}))
    context = {
        "section": "knowledge",
        "asked": asked,
        "answer": answer,
        "rows": [end_of(node_view, organization, {}) for node_view in answer.nodes],
        "kinds": [(str(kind), KIND_WORDS[kind]) for kind in DOCUMENT_KINDS],
        "is_narrowed": bool(asked),
        "is_empty": not answer.nodes and not has_documents(credential=credential),
        "sees_all": credential.sees_all,
    }
    return render(request, "web/knowledge.html", context)


@member_page
def node(request: HttpRequest, credential: Credential, node: str) -> HttpResponse:
    """A node with the links around it; `depth` is 1 unless it is given.

    An id that may mean several nodes is answered with all of them; one that means none, with 404
    and those that are like it.
    """
    organization = credential.organization.slug
    try:
        found = get_nodes(credential=credential, text=node)
    except NotFoundError as exc:
        near: Any = exc.extra.get("near", ())
        suggestions = [{"text": name, "url": node_url(organization, name)} for name in near]
        raise NotFoundError(exc.message, code=exc.code, suggestions=suggestions) from exc
    context: dict[str, Any] = {"section": "knowledge", "asked": node}
    if found.count > 1:
        candidates = [end_of(node_view, organization, {}) for node_view in found.nodes]
        context |= {"candidates": candidates, "receipt": found.receipt}
        return render(request, "web/node_choice.html", context)
    given = given_in(request, numbers=_NUMBERS)
    again = {"depth": given["depth"]} if "depth" in given else {}
    (view,) = found.nodes
    asked = _TRAVERSE.read({"org_id": organization, "from": view.id, **again})
    answer = traverse(credential=credential, asked=asked)
    context |= {
        "end": end_of(view, organization, {}),
        "node": view,
        "is_code": view.kind in CODE_KINDS,
        "answer": answer,
        "graph": link_graph(answer, organization=organization, again=again),
        "depth": asked.depth,
        "depths": DEPTHS,
        "properties": [(name, value_text(value)) for name, value in view.properties.items()],
        "policy": _policy(view.policy) if view.policy else None,
        **_places(view, credential),
    }
    return render(request, "web/node.html", context)


@member_page
def violations(request: HttpRequest, credential: Credential, project: str) -> HttpResponse:
    """Code of a project that violates a policy, by path; `cursor` is in the address."""
    organization = credential.organization.slug
    given = given_in(request, numbers=_NUMBERS)
    cursor = {"cursor": given["cursor"]} if "cursor" in given else {}
    query = _VIOLATIONS.read({"org_id": organization, "project": project, **cursor})
    answer = violations_of(credential=credential, request=query)
    context = {
        "section": "repositories",
        "project": project,
        "answer": answer,
        "cursor": cursor,
        "not_run": [
            {"policy": policy, "url": node_url(organization, policy.policy)}
            for policy in answer.not_run
        ],
        "rows": [_violation(violation, organization) for violation in answer.violations],
    }
    return render(request, "web/violations.html", context)


def _violation(violation: Violation, organization: str) -> _ViolationRow:
    page = file_url(organization, violation.code.project or "", violation.code.path or "")
    matches = match_lines(violation.edge.properties)
    return _ViolationRow(
        violation,
        _SEVERITIES.get(violation.severity, "quiet"),
        node_url(organization, violation.code.id),
        node_url(organization, violation.policy),
        [(words, f"{page}#L{line}", text) for words, line, text in matches],
    )


def _policy(policy: PolicyView) -> dict[str, Any]:
    return asdict(policy) | {
        "include": ", ".join(policy.include),
        "exclude": ", ".join(policy.exclude),
        "tone": _SEVERITIES.get(policy.severity, "quiet"),
    }


def _places(view: NodeView, credential: Credential) -> dict[str, str]:
    """Addresses of the file that a node is or comes from, of the symbol or the directory."""
    organization = credential.organization.slug
    if not view.path or not view.project or view.missing or view.archived:
        return {}
    if view.kind == NodeKind.CODE_FILE and _is_directory(view, credential):
        search = reverse("web:search", kwargs={"organization": organization})
        below = urlencode({"project": view.project, "path": f"{view.path}/"})
        return {"directory_url": f"{search}?{below}"}
    line = view.start_line or 0
    found = {"file_url": file_url(organization, view.project, view.path, line)}
    if view.qualified_name:
        place = {"project": view.project, "file": view.path, "line": line}
        found["symbol_url"] = symbol_url(organization, view.qualified_name, **place)
    return found


def _is_directory(view: NodeView, credential: Credential) -> bool:
    """What is there and has no content of its own."""
    target = find_target(view.id, credential=credential)
    return isinstance(target, CodePlace) and not target.blob
