"""Bringing the graph up to what was written and indexed: after each apply, and after a crash.

A lost wake-up delays it and a kill repeats a part of it. Runs beside applies.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Annotated, Final, TypeVar

import structlog
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q

from aeterna_code_search.contract.projects import MissingProject
from central.background import GRAPH
from central.knowledge.access import visible_nodes
from central.knowledge.identifiers import code_key
from central.knowledge.matching import Matcher
from central.knowledge.models import CODE_KINDS, CodeLinks, Document, Node
from central.knowledge.scope import GraphScope
from central.knowledge.services.comparing import compare_graph
from central.knowledge.services.linking import link_mentions, read_files
from central.knowledge.services.semantic import (
    documents_to_link,
    link_chunks,
    link_document,
    remove_edges_of_replaced_chunks,
)
from central.knowledge.services.violations import check_policies, remove_unlinked_code
from central.knowledge.watermarks import FileRange, file_of, repositories_due
from central.projections import Difference, Projection
from central.repositories.models import Repository
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from indexer.errors import EmbeddingError, StoreError

GRAPH_TURN_SECONDS: Final = 10.0  # of an organisation's documents, and of its repositories
_Subject = TypeVar("_Subject", Document, Repository)
_IsOver = Callable[[], bool]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What is due; it is being done."""

    documents: Annotated[int, "Without a vector or links of their version"]
    projects: list[MissingProject]


def refresh(*, credential: Credential) -> Refreshed:
    """Wake the worker; nothing is waited for. Raises ForbiddenError for a token of a job."""
    scope = GraphScope(credential)
    GRAPH.wake()
    due = documents_to_link(credential.organization)
    return Refreshed(
        documents=visible_nodes(credential=credential).filter(document__in=due).count(),
        projects=scope.receipt([]).missing,
    )


class KnowledgeGraph(Projection):
    """What organisations' documents are linked to, organisations in turn.

    What a vector store or an embedder that is unavailable holds up stays due, and what fails holds
    up nothing else.
    """

    lock = 0x6B6E6F77

    def __init__(self, is_stopping: _IsOver = lambda: False) -> None:
        super().__init__(is_stopping)
        self._failed: set[Document | Repository] = set()
        self._until = 0.0

    def behind(self) -> Iterable[int]:
        """Return organisations with documents or repositories to link, or policies to check."""
        due = ~Q(linked_version=F("version")) | ~Q(embedder=F("node__organization__embedder"))
        found = Organization.objects.filter(
            Q(pk__in=Document.objects.filter(due).values("node__organization"))
            | Q(repositories__in=repositories_due())
        )
        return found.distinct().order_by("pk").values_list("pk", flat=True)

    def update(self, subject: int) -> bool:
        """Work on what is due and has not failed, for a time for each kind."""
        organization = Organization.objects.get(pk=subject)
        documents = documents_to_link(organization)
        tried = self._work_on(documents, _link)  # few, and people wait for them
        tried += self._work_on(_repositories_due(organization), self._catch_up_repository)
        # Read from the repositories' files:
        return bool(tried + self._work_on(documents.all(), _link))

    def rebuild(self, repository: Repository, *, repair: bool) -> Difference:
        """Rebuild a repository's part of the graph; with `repair`, a different one is kept.

        Documents link to every repository, so that the organisation's lock is needed.
        """
        with self.held(repository.organization_id) as has_lock:
            if has_lock:
                return compare_graph(repository, repair=repair)
        return Difference(due=1, differing=0)

    def _is_over(self) -> bool:
        return self._is_stopping() or monotonic() > self._until

    def _work_on(self, subjects: Iterable[_Subject], work: Callable[[_Subject], bool]) -> int:
        """Work on subjects that have not failed, one at least; return on how many."""
        self._until = monotonic() + GRAPH_TURN_SECONDS
        tried = 0
        for subject in subjects:
            if self._is_stopping() or (tried and self._is_over()):
                break
            if subject in self._failed:
                continue
            tried += 1
            if not _attempt(work, subject):
                self._failed.add(subject)
        return tried

    def _catch_up_repository(self, repository: Repository) -> bool:
        with Matcher() as matcher:
            try:
                _link_code(repository, matcher)
            except StoreError as exc:
                _log.warning("linking_deferred", repository=str(repository), error=str(exc))
                return False
            check_policies(repository, matcher, is_over=self._is_over)
            remove_unlinked_code(repository)
        return True


def _repositories_due(organization: Organization) -> Iterator[Repository]:
    """Yield them as they are by then."""
    for key in repositories_due(organization):
        yield from Repository.objects.filter(pk=key).select_related("organization")


def _attempt(work: Callable[[_Subject], bool], subject: _Subject) -> bool:
    """Whether it was done; what fails is logged."""
    try:
        return work(subject)
    except Exception:  # noqa: BLE001 (one that fails blocks no other)
        _log.exception("graph_catch_up_failed", subject=str(subject))
        return False


@transaction.atomic
def _link_code(repository: Repository, matcher: Matcher) -> None:
    links, _ = CodeLinks.objects.get_or_create(repository=repository)
    # Generation and files in one statement: what is applied later is linked later.
    seen = (
        Repository.objects.filter(pk=repository.pk)
        .annotate(last=Max("file_set__pk"))
        .values_list("generation", "last")
        .get()
    )
    generation, last = seen[0], seen[1] or 0
    fresh = FileRange(repository, links.file_id, last)
    remove_edges_of_replaced_chunks(fresh)
    _move_renamed_code(fresh)
    read_files(fresh, matcher)
    link_chunks(fresh)
    CodeLinks.objects.filter(pk=links.pk).update(generation=generation, file_id=last)


def _move_renamed_code(fresh: FileRange) -> None:
    """Give code nodes of a file that was renamed with its content the new path.

    A blob that several new files have, or that several files lost, moves nothing.
    """
    gone = Node.objects.filter(repository=fresh.repository, kind__in=CODE_KINDS).exclude(blob="")
    gone = gone.filter(~Exists(file_of(OuterRef("path"), fresh.repository)))
    by_blob: dict[str, set[str]] = defaultdict(set)
    for path, blob in gone.values_list("path", "blob"):
        by_blob[blob].add(path)
    arrived: dict[str, list[str]] = defaultdict(list)
    for blob, path in fresh.files().filter(blob__in=list(by_blob)).values_list("blob", "path"):
        arrived[blob].append(path)
    for blob, paths in by_blob.items():
        if len(paths) == len(arrived[blob]) == 1:
            _move(fresh.repository, paths.pop(), arrived[blob][0])
    known = Node.objects.filter(repository=fresh.repository, kind__in=CODE_KINDS)
    stored = fresh.files().filter(path__in=known.values("path"))
    for path, blob in stored.values_list("path", "blob"):
        known.filter(path=path).exclude(blob=blob).update(blob=blob)


def _move(repository: Repository, before: str, after: str) -> None:
    taken = Node.objects.filter(repository=repository, path=after)
    for node in Node.objects.filter(repository=repository, path=before, kind__in=CODE_KINDS):
        key = code_key(after, node.qualified_name)
        if not taken.filter(key=key).exists():
            Node.objects.filter(pk=node.pk).update(path=after, key=key)


def _link(document: Document) -> bool:
    with transaction.atomic():
        # A record may have been mentioned before it was written; its own end changes others'.
        link_mentions(document.node.organization, keys=[document.node.key])
    try:
        link_document(document)
    except (EmbeddingError, StoreError) as exc:
        _log.warning("semantic_links_deferred", node=document.public_id, error=str(exc))
        return False
    return True
