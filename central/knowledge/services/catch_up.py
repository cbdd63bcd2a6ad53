"""Bringing the graph up to what was written and indexed: after each apply, and after a crash.

Everything here is found by comparing watermarks with the corpus, so a lost wake-up delays it and a
kill repeats a part of it. Runs beside applies; one process at a time works on a repository.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from django.db import connection, transaction
from django.db.models import F, Max, Q

from central.knowledge.matching import Matcher
from central.knowledge.models import CodeLinks, Document, Mention
from central.knowledge.services.linking import FileRange, link_files, link_mentions
from central.knowledge.services.semantic import (
    documents_to_link,
    link_chunks,
    link_document,
    remove_edges_of_replaced_chunks,
)
from central.knowledge.services.violations import (
    check_policies,
    policies_to_check,
    remove_unlinked_code,
)
from central.repositories.models import Repository
from central.tenancy.models import Organization
from indexer.errors import EmbeddingError, StoreError

_LOCK = 0x6B6E6F77  # the namespace of this module's advisory locks

_log = structlog.get_logger(__name__)


def catch_up(
    *,
    organization: Organization | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> int:
    """Do all that is due; returns how many repositories and documents were worked on.

    Not in a transaction. `is_stopping` is asked before each. What a vector store or an embedder
    that is unavailable holds up stays due.
    """
    done = 0
    for document in _documents_due(organization):  # few, and people wait for them
        if is_stopping():
            return done
        done += _link(document)
    for repository in repositories_due(organization):
        if is_stopping():
            return done
        done += _catch_up_repository(repository)
    for document in _documents_due(organization):  # read from the repositories' files
        if is_stopping():
            return done
        done += _link(document)
    return done


def repositories_due(organization: Organization | None = None) -> Iterator[Repository]:
    """Indexed repositories whose code is not linked or checked up to their generation."""
    repositories = Repository.objects.filter(retired_at=None, generation__gt=0).select_related(
        "organization", "code_links"
    )
    if organization is not None:
        repositories = repositories.filter(organization=organization)
    for repository in repositories.order_by("pk"):
        if _linked_generation(repository) < repository.generation or policies_to_check(repository):
            yield repository


def _linked_generation(repository: Repository) -> int:
    links: CodeLinks | None = getattr(repository, "code_links", None)
    return links.generation if links else 0


def _catch_up_repository(repository: Repository) -> bool:
    """False if another process is at it."""
    with _held(repository) as is_held, Matcher() as matcher:
        if not is_held:
            return False
        try:
            _link_code(repository, matcher)
        except StoreError as exc:
            _log.warning("linking_deferred", repository=str(repository), error=str(exc))
            return False
        check_policies(repository, matcher)
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
    link_files(fresh, matcher)
    link_chunks(fresh)
    CodeLinks.objects.filter(pk=links.pk).update(generation=generation, file_id=last)


def _documents_due(organization: Organization | None) -> Iterator[Document]:
    due = ~Q(linked_version=F("version")) | ~Q(embedder=F("node__organization__embedder"))
    organizations = Organization.objects.filter(
        pk__in=Document.objects.filter(due).values("node__organization")
    )
    if organization is not None:
        organizations = organizations.filter(pk=organization.pk)
    for one in organizations:
        yield from documents_to_link(one)


def _link(document: Document) -> bool:
    try:
        link_document(document)
    except (EmbeddingError, StoreError) as exc:
        _log.warning("semantic_links_deferred", node=document.public_id, error=str(exc))
        return False
    _link_mentions_of(document)
    return True


@transaction.atomic
def _link_mentions_of(document: Document) -> None:
    """A record that people wrote here may have been mentioned before it was."""
    repository = document.node.repository
    keys = [document.node.key]
    if repository is not None:
        link_mentions(repository, keys=keys)
        return
    for mentioning in Repository.objects.filter(
        organization=document.node.organization,
        pk__in=Mention.objects.filter(key=document.node.key).values("repository_id"),
    ):
        link_mentions(mentioning)


@contextmanager
def _held(repository: Repository) -> Iterator[bool]:
    """Whether this process alone may work on a repository, for as long as the block runs."""
    key = [_LOCK, repository.pk % 2**31]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        row = cursor.fetchone()
    is_held = bool(row and row[0])
    try:
        yield is_held
    finally:
        if is_held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)
