"""Answers about code: which violates policies, which is not migrated, what to know of a file."""

from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Final

from django.db.models import Q, QuerySet

from aeterna_code_search.contract.knowledge import UnmigratedRequest, ViolationsRequest
from central.corpus.models import File, Symbol
from central.db import fetch_rows_planned_each_time, sql_with
from central.http.cursors import decode_cursor, encode_cursor
from central.knowledge.access import visible_nodes
from central.knowledge.answers import EdgeView, GraphReceipt, NodeView, node_views
from central.knowledge.models import Edge, Node, NodeKind, PolicyCheck
from central.knowledge.resolution import CodePlace, node_id
from central.knowledge.scope import GraphScope
from central.knowledge.services.not_run import PolicyNotRun, policies_not_run
from central.knowledge.services.policy_checks import VIOLATES
from central.knowledge.services.questions import code_views, edge_view, with_ends
from central.repositories.listing import visible_repository
from central.repositories.models import Repository
from central.tenancy.credentials import Credential

_VIOLATIONS_SALT: Final = "central.knowledge.violations"
_UNMIGRATED_SALT: Final = "central.knowledge.unmigrated"


@dataclass(frozen=True, slots=True)
class Violation:
    """Code that violates a policy."""

    code: NodeView
    policy: Annotated[str, "The policy's id"]
    title: str
    severity: str
    message: str
    edge: Annotated[EdgeView, "`properties.matches` has lines and text"]


@dataclass(frozen=True, slots=True)
class ViolationsAnswer:
    """Violations in the order of paths."""

    project: str
    count: int
    violations: list[Violation]
    over_limit: Annotated[int, "Files that took too much time or memory to be matched"]
    not_run: list[PolicyNotRun]
    next_cursor: str | None
    receipt: GraphReceipt
    hint: Annotated[str | None, "Why there is none"]


@dataclass(frozen=True, slots=True)
class UnmigratedAnswer:
    """Definitions without a `migrated_to` edge."""

    project: str
    count: int
    total: Annotated[int, "On all pages"]
    code: list[NodeView]
    next_cursor: str | None
    receipt: GraphReceipt
    hint: Annotated[str | None, "Why there is none"]


def violations(*, credential: Credential, request: ViolationsRequest) -> ViolationsAnswer:
    """Violations in a project, by policies that the credential sees. Raises NotFoundError."""
    project, limit = request.project, request.limit
    scope = GraphScope(credential)
    repository = visible_repository(credential=credential, project=project)
    visible = visible_nodes(credential=credential)
    edges = Edge.objects.filter(type=VIOLATES, source__repository=repository, target__in=visible)
    asked = [credential.organization.slug, project]
    if after := decode_cursor(request.cursor, salt=_VIOLATIONS_SALT, asked=asked):
        edges = edges.filter(
            Q(source__path__gt=after[0]) | Q(source__path=after[0], pk__gt=after[1])
        )
    # With both ends, in one statement: the worker may delete them at any moment.
    read = with_ends(edges).select_related("target__document__policy")
    rows = list(read.order_by("source__path", "pk")[: limit + 1])
    page = rows[:limit]
    following = None
    if len(rows) > limit:
        position = [page[-1].source.path, page[-1].pk]
        following = encode_cursor(salt=_VIOLATIONS_SALT, asked=asked, position=position)
    code = node_views((edge.source for edge in page), scope.snapshots)
    checks = PolicyCheck.objects.filter(repository=repository, policy__in=visible.values("pk"))
    return ViolationsAnswer(
        project=project,
        count=len(page),
        violations=[
            Violation(
                code=view,
                policy=node_id(edge.target),
                title=edge.target.document.title,
                severity=edge.target.document.policy.severity,
                message=edge.target.document.policy.message,
                edge=edge_view(edge),
            )
            for edge, view in zip(page, code, strict=True)
        ],
        over_limit=len(set(chain(*checks.values_list("over_limit", flat=True)))),
        not_run=policies_not_run(repository, credential=credential),
        next_cursor=following,
        receipt=scope.receipt([repository.pk], projects=[repository.pk]),
        hint=None if page else _no_violations(repository, visible, scope),
    )


def _no_violations(repository: Repository, visible: QuerySet[Node], scope: GraphScope) -> str:
    if repository.pk in scope.due:
        return "No violation is known yet; policies are still being checked. Ask again in a moment."
    policies = visible.filter(kind=NodeKind.POLICY, document__archived_at=None).filter(
        Q(repository=None) | Q(repository=repository)
    )
    files = File.objects.filter(repository=repository, skipped="", generated="")
    languages = files.values("language")
    applying = policies.filter(document__policy__language__in=languages).count()
    if applying:
        policies_of = "the policy" if applying == 1 else f"one of the {applying} policies"
        return f"No code of this project violates {policies_of} for its languages."
    if policies.exists():
        return "No policy is for a language of this project."
    return "There are no policies yet. Create one: codesearch graph add policy --help."


_UNMIGRATED = """
    FROM {symbol} s JOIN {file} f ON f.id = s.file_id
    WHERE f.repository_id = %(repository)s AND starts_with(f.path, %(path)s)
        AND f.generated = '' AND NOT EXISTS (
            SELECT 1 FROM {node} n JOIN {edge} e ON e.source_id = n.id
            WHERE n.repository_id = f.repository_id AND n.kind IN ('code_file', 'code_symbol')
                AND e.type = 'migrated_to' AND (
                    (n.path = f.path AND n.qualified_name IN ('', s.qualified_name))
                    OR (n.qualified_name = '' AND starts_with(f.path, n.path || '/'))))"""
_sql = sql_with(unmigrated=_UNMIGRATED, symbol=Symbol, file=File, node=Node, edge=Edge)
_COUNT_UNMIGRATED: Final = _sql("SELECT count(*) {unmigrated}")
_LIST_UNMIGRATED: Final = _sql("""SELECT f.path, f.blob, s.qualified_name, s.id {unmigrated}
                AND (f.path, s.id) > (%(after)s, %(key)s)
            ORDER BY f.path, s.id LIMIT %(limit)s""")


def unmigrated(*, credential: Credential, request: UnmigratedRequest) -> UnmigratedAnswer:
    """Definitions below `path` of which nothing says where they went. Raises NotFoundError.

    A `migrated_to` edge counts on the definition, on its file, or on a directory above.
    """
    project, limit = request.project, request.limit
    scope = GraphScope(credential)
    repository = visible_repository(credential=credential, project=project)
    path = request.path.removeprefix("./")
    asked = [credential.organization.slug, project, path]
    after = decode_cursor(request.cursor, salt=_UNMIGRATED_SALT, asked=asked) or ["", 0]
    given = {"repository": repository.pk, "path": path, "after": after[0], "key": after[1]}
    [(total,)] = fetch_rows_planned_each_time(_COUNT_UNMIGRATED, given)
    rows = fetch_rows_planned_each_time(_LIST_UNMIGRATED, given | {"limit": limit + 1})
    page = rows[:limit]
    following = None
    if len(rows) > limit:
        position = [page[-1][0], page[-1][3]]
        following = encode_cursor(salt=_UNMIGRATED_SALT, asked=asked, position=position)
    places = [CodePlace(repository, row[0], row[2], row[1]) for row in page]
    return UnmigratedAnswer(
        project=project,
        count=len(page),
        total=total,
        code=code_views(places, scope),
        next_cursor=following,
        receipt=scope.receipt([repository.pk], projects=[repository.pk]),
        hint=None if page else _nothing_unmigrated(repository.pk, path),
    )


def _nothing_unmigrated(repository: int, path: str) -> str:
    files = File.objects.filter(repository=repository, path__startswith=path)
    if not Symbol.objects.filter(file__in=files).exists():
        if not files.exists():
            return f"There is no file below {path!r:.200}. Check the path; it begins at the top."
        return "There are no definitions below this path: nothing is to be migrated."
    return "Every definition has a migrated_to edge, on itself, its file or a directory above."
