"""What people wrote about code: linked decisions and memories, and the policies that hold there.

A link to a file concerns its definitions, one to a definition its file, and one to a directory
whatever is below.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, NamedTuple

from django.db.models import Q

from central.corpus.models import File
from central.knowledge.access import visible_nodes
from central.knowledge.answers import GraphReceipt, NodeView, document_view
from central.knowledge.models import (
    CODE_KINDS,
    DOCUMENT_KINDS,
    Edge,
    Node,
    NodeKind,
    Policy,
    Severity,
)
from central.knowledge.scope import GraphScope
from central.knowledge.services.policy_checks import VIOLATES, pattern_matcher
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential

EXCERPT: Final = 400  # characters of a body
_MAX_EDGES: Final = 2_000  # that are read
_FIRST: Final = ("implements", "mentions")  # what says most


class CodeSubject(NamedTuple):
    """An indexed file or, with a qualified name, a definition of it. `file` lacks its content."""

    file: File
    qualified_name: str = ""

    @property
    def paths(self) -> list[str]:
        """Its file's, and those of the directories above."""
        parts = self.file.path.split("/")
        return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]

    def concerns(self, path: str, qualified_name: str) -> bool:
        """Whether the subject is a part of this place."""
        if path != self.file.path:
            return path in self.paths and not qualified_name
        return _is_within(self.qualified_name, qualified_name)

    def contains(self, path: str, qualified_name: str) -> bool:
        """Whether this place is a part of the subject."""
        return path == self.file.path and _is_within(qualified_name, self.qualified_name)


@dataclass(frozen=True, slots=True)
class LinkedDocument:
    """A decision or a memory."""

    node: NodeView
    why: Annotated[list[str], "Types of the edges, or related"]
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class ApplicablePolicy:
    """A policy that holds for the file."""

    node: NodeView
    severity: str
    message: str
    is_violated: bool
    matches: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Documents with an excerpt as body, the closest links first; violated policies first."""

    documents: list[LinkedDocument]
    policies: list[ApplicablePolicy]


@dataclass(frozen=True, slots=True)
class KnowledgeAnswer:
    """The same with its receipt."""

    knowledge: Knowledge
    receipt: GraphReceipt


class _Link(NamedTuple):
    """An edge of code, with the node at its other end; `is_inside`: the code is in a subject."""

    document: int
    type: str
    properties: dict[str, Any]
    is_inside: bool


def _is_within(inner: str, outer: str) -> bool:
    """Whether a definition is another or stands in it; "" is the file."""
    return not outer or inner == outer or inner.startswith(f"{outer}.")


def has_documents(*, credential: Credential) -> bool:
    """Whether the credential sees any decision, policy or memory at all. One query."""
    return visible_nodes(credential=credential).filter(kind__in=DOCUMENT_KINDS).exists()


def documents_about(
    *, credential: Credential, places: Collection[tuple[str, str, str]]
) -> KnowledgeAnswer:
    """Of places as (project, path, qualified name or ""), those that are indexed. Seven queries."""
    scope = GraphScope(credential)
    names = {(project, path) for project, path, _ in places}
    files = {
        (file.repository.name, file.path): file
        for file in File.objects.filter(
            repository__in=visible_repositories(credential=credential),
            repository__name__in={project for project, _ in names},
            path__in={path for _, path in names},
        )
        .select_related("repository")
        .defer("content")
    }
    subjects = [
        CodeSubject(files[project, path], name)
        for project, path, name in places
        if (project, path) in files
    ]
    repositories = {subject.file.repository_id for subject in subjects}
    return KnowledgeAnswer(
        knowledge_about(credential=credential, subjects=subjects),
        scope.receipt(repositories, projects=repositories),
    )


def knowledge_about(*, credential: Credential, subjects: Sequence[CodeSubject]) -> Knowledge:
    """What concerns any of the subjects, which the credential must see. Four queries."""
    links = _links(subjects)
    linked = [link for link in links if link.type != VIOLATES]
    violated = [link for link in links if link.type == VIOLATES and link.is_inside]
    return Knowledge(
        documents=_documents(linked, credential),
        policies=_policies(subjects, violated, credential),
    )


def _links(subjects: Iterable[CodeSubject]) -> list[_Link]:
    """Edges of the nodes of code that concern a subject."""
    by_repository: dict[int, list[CodeSubject]] = {}
    for subject in subjects:
        by_repository.setdefault(subject.file.repository_id, []).append(subject)
    paths = {
        path for group in by_repository.values() for subject in group for path in subject.paths
    }
    rows = Node.objects.filter(
        repository__in=list(by_repository), path__in=paths, kind__in=CODE_KINDS
    ).values_list("pk", "repository_id", "path", "qualified_name")
    own: dict[int, bool] = {}
    for key, repository, path, name in rows:
        group = by_repository[repository or 0]
        is_inside = any(subject.contains(path, name) for subject in group)
        if is_inside or any(subject.concerns(path, name) for subject in group):
            own[key] = is_inside
    return _edges_of(own) if own else []


def _edges_of(own: Mapping[int, bool]) -> list[_Link]:
    """Edges of code nodes, by key with whether they are inside of a subject."""
    columns = ("source_id", "target_id", "type", "properties")
    outgoing = Edge.objects.filter(source__in=list(own)).values_list(*columns)
    incoming = Edge.objects.filter(target__in=list(own)).values_list(*columns)
    return [
        _Link(target, kind, properties, own[source])
        if source in own
        else _Link(source, kind, properties, own[target])
        for source, target, kind, properties in outgoing.union(incoming, all=True)[:_MAX_EDGES]
    ]


def _documents(links: Iterable[_Link], credential: Credential) -> list[LinkedDocument]:
    types: dict[int, set[str]] = {}
    for link in links:
        types.setdefault(link.document, set()).add(link.type)
    if not types:
        return []
    nodes = (
        visible_nodes(credential=credential)
        .filter(pk__in=list(types), kind__in=[NodeKind.KNOWLEDGE, NodeKind.MEMORY])
        .select_related("repository", "document", "document__policy")
        .defer("document__vector")
    )
    found = [
        LinkedDocument(
            replace(document_view(node, with_body=False), body=node.document.body[:EXCERPT]),
            sorted(types[node.pk]),
        )
        for node in nodes
    ]
    return sorted(
        found, key=lambda document: (document.node.archived, _rank(document.why), document.node.id)
    )


def _rank(types: list[str]) -> int:
    """How much edges of these types say; 0 is most."""
    return next((rank for rank, kind in enumerate(_FIRST) if kind in types), len(_FIRST))


def _policies(
    subjects: Sequence[CodeSubject], violated: Iterable[_Link], credential: Credential
) -> list[ApplicablePolicy]:
    """Policies of a subject's language and path."""
    visible = visible_nodes(credential=credential).filter(
        Q(repository__isnull=True)
        | Q(repository__in={subject.file.repository_id for subject in subjects}),
        kind=NodeKind.POLICY,
    )
    policies = Policy.objects.filter(
        document__node__in=visible,
        document__archived_at=None,
        language__in={subject.file.language for subject in subjects},
    ).select_related("document__node__repository")
    matches: dict[int, list[dict[str, Any]]] = {}
    for link in violated:
        matches.setdefault(link.document, []).extend(link.properties.get("matches", []))
    found = [
        ApplicablePolicy(
            node=document_view(policy.document.node, with_body=False),
            severity=policy.severity,
            message=policy.message,
            is_violated=policy.pk in matches,
            matches=matches.get(policy.pk, []),
        )
        for policy in policies.defer("document__vector")
        if _holds_for_any(policy, subjects)
    ]
    return sorted(found, key=_gravity)


def _gravity(policy: ApplicablePolicy) -> tuple[bool, int, str]:
    return not policy.is_violated, Severity.values.index(policy.severity), policy.node.id


def _holds_for_any(policy: Policy, subjects: Iterable[CodeSubject]) -> bool:
    holds_for = pattern_matcher(policy)
    project = policy.document.node.repository_id
    return any(
        subject.file.language == policy.language
        and project in (None, subject.file.repository_id)
        and holds_for(subject.file.path)
        for subject in subjects
    )
