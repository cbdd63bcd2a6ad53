"""Bringing the graph up to what was written and indexed: after each apply, and after a crash.

Everything here is found by comparing watermarks with the corpus, so a lost wake-up delays it and a
kill repeats a part of it. Runs beside applies; one process at a time works on an organisation.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import monotonic
from typing import Annotated, TypeVar

import structlog
from django.db import transaction
from django.db.models import F, Max, Q

from central import leases
from central.background import GRAPH
from central.knowledge.access import visible_nodes
from central.knowledge.matching import Matcher
from central.knowledge.models import CodeLinks, Document
from central.knowledge.scope import GraphScope
from central.knowledge.services.linking import link_mentions, read_files
from central.knowledge.services.moved_code import move_renamed_code
from central.knowledge.services.semantic import (
    documents_to_link,
    link_chunks,
    link_document,
    remove_edges_of_replaced_chunks,
)
from central.knowledge.services.violations import check_policies, remove_unlinked_code
from central.knowledge.watermarks import FileRange, repositories_due
from central.repositories.models import Repository
from central.repositories.visibility import MissingProject
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from indexer.errors import EmbeddingError, StoreError
from indexer.limits import GRAPH_TURN_SECONDS

_LOCK = 0x6B6E6F77  # the namespace of this module's advisory locks

_TURNS = 1_000
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


def catch_up(
    *,
    organization: Organization | None = None,
    is_stopping: _IsOver = lambda: False,
) -> None:
    """Do all that is due, organisations in turn.

    Not in a transaction. `is_stopping` is asked before each document and repository. What a vector
    store or an embedder that is unavailable holds up stays due, and what fails holds up nothing
    else.
    """
    failed: set[Document | Repository] = set()
    for _ in range(_TURNS):  # again: another process may have been refused the lock
        tried = 0
        for due in _organizations_due(organization):
            with held(due) as is_held:
                if is_held:
                    tried += _take_turn(due, is_stopping, failed)
        if not tried or is_stopping():
            break


def _organizations_due(organization: Organization | None) -> list[Organization]:
    due = ~Q(linked_version=F("version")) | ~Q(embedder=F("node__organization__embedder"))
    found = Organization.objects.filter(
        Q(pk__in=Document.objects.filter(due).values("node__organization"))
        | Q(repositories__in=repositories_due(organization))
    )
    if organization is not None:
        found = found.filter(pk=organization.pk)
    return list(found.distinct().order_by("pk"))


def _take_turn(
    organization: Organization, is_stopping: _IsOver, failed: set[Document | Repository]
) -> int:
    """Work on what is due and has not failed; returns on how many documents and repositories."""
    turn = _Turn(is_stopping, failed)
    turn.work_on(documents_to_link(organization), _link)  # few, and people wait for them
    turn.work_on(
        _repositories_due(organization),
        lambda repository: _catch_up_repository(repository, turn.is_over),
    )
    turn.work_on(documents_to_link(organization), _link)  # read from the repositories' files
    return turn.tried


class _Turn:
    """Work on an organisation, for a time for each kind; `tried` counts documents, repositories."""

    def __init__(self, is_stopping: _IsOver, failed: set[Document | Repository]) -> None:
        self._is_stopping = is_stopping
        self._failed = failed
        self._until = 0.0
        self.tried = 0

    def is_over(self) -> bool:
        return self._is_stopping() or monotonic() > self._until

    def work_on(self, subjects: Iterable[_Subject], work: Callable[[_Subject], bool]) -> None:
        """Work on subjects that have not failed, one at least. What fails stays due."""
        self._until = monotonic() + GRAPH_TURN_SECONDS
        before = self.tried
        for subject in subjects:
            if self._is_stopping() or (self.tried > before and self.is_over()):
                return
            if subject in self._failed:
                continue
            self.tried += 1
            if not _attempt(work, subject):
                self._failed.add(subject)


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


def _catch_up_repository(repository: Repository, is_over: _IsOver) -> bool:
    with Matcher() as matcher:
        try:
            _link_code(repository, matcher)
        except StoreError as exc:
            _log.warning("linking_deferred", repository=str(repository), error=str(exc))
            return False
        check_policies(repository, matcher, is_over=is_over)
        remove_unlinked_code(repository)
    return True


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
    move_renamed_code(fresh)
    read_files(fresh, matcher)
    link_chunks(fresh)
    CodeLinks.objects.filter(pk=links.pk).update(generation=generation, file_id=last)


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


def held(organization: Organization) -> AbstractContextManager[bool]:
    """Whether this process alone may work on the organisation's graph, as long as the block runs.

    Documents link to every repository, so a smaller lock would let two processes delete what the
    other makes.
    """
    return leases.held(_LOCK, organization.pk)
