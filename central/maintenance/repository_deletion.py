"""Deletion of a retired repository: its rows, its points, then itself.

Every step is small and may be repeated: after an interruption the repository stays retired and the
next sweep continues. Points are deleted after the chunks, from which a reconcile that started
earlier could restore them; the runs, which name the collections, are deleted after the points.
"""

from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import connection, transaction

from central.corpus.backends import collection_of, vector_store
from central.corpus.models import File
from central.corpus.replace import CorpusDelta, remove_files
from central.ingest.models import IndexRun
from central.repositories.models import Repository
from central.repositories.states import LIVE_RUN_STATES
from central.tenancy.models import Organization
from indexer.store.base import Collection

_FILES = 500  # a transaction
_ROWS = 10_000  # a statement

_OF_PACKAGE = "package_id IN (SELECT id FROM corpus_package WHERE repository_id = %s)"
_OF_RUN = "run_id IN (SELECT id FROM ingest_indexrun WHERE repository_id = %s)"
_OF_REPOSITORY = "repository_id = %s"

# Tables that do not depend on a file, in an order that foreign keys allow.
_TABLES = (
    ("corpus_dependency", _OF_PACKAGE),
    ("corpus_package", _OF_REPOSITORY),
    ("corpus_termstat", _OF_REPOSITORY),
    ("corpus_embedding", _OF_REPOSITORY),
    ("ingest_batch", _OF_RUN),
    ("ingest_delivery", _OF_RUN),
    ("repositories_push", _OF_REPOSITORY),
)
_RUNS = ("ingest_indexrun", _OF_REPOSITORY)
_registered: list[tuple[str, str]] = []

_log = structlog.get_logger(__name__)


def register_rows(table: str, condition: str) -> None:
    """Delete rows of an app above this one with their repository, in the order of calls.

    `condition` is SQL with one parameter, the repository's key.
    """
    _registered.append((table, condition))


def purgeable_repositories(*, now: datetime, organization: Organization | None = None) -> list[int]:
    """Return keys of retired repositories without writers, longest retired first.

    For the length of a lease, an apply or a reconcile may still write points of a retired one.
    """
    unnoticed_since = now - timedelta(seconds=settings.RUN_LEASE_SECONDS)
    retired = Repository.objects.filter(retired_at__lte=unnoticed_since)
    if organization:
        retired = retired.filter(organization=organization)
    live = IndexRun.objects.filter(state__in=LIVE_RUN_STATES, repository__in=retired)
    purgeable = retired.exclude(pk__in=live.values("repository"))
    return list(purgeable.order_by("retired_at").values_list("pk", flat=True))


def purge_repository(*, repository_id: int) -> None:
    """Delete a retired repository with its data. Not in a transaction. Raises StoreError."""
    repository = (
        Repository.objects.select_related("organization")
        .filter(pk=repository_id, retired_at__isnull=False)
        .first()
    )
    if repository is None:
        return
    _delete_files(repository_id)
    for table, condition in (*_registered, *_TABLES):
        _delete_rows(table, condition, repository_id)
    store = vector_store()
    for collection in collections_of(repository):
        store.drop(collection)
    _delete_rows(*_RUNS, repository_id)
    with connection.cursor() as cursor:  # the ORM would look through tables that are not indexed so
        cursor.execute("DELETE FROM repositories_repository WHERE id = %s", [repository_id])
    _log.info("repository_purged", repository=str(repository))


def collections_of(repository: Repository) -> list[Collection]:
    """Return the collections of all embedders that runs of the repository were opened with."""
    runs = IndexRun.objects.filter(repository=repository).order_by()
    embedders = {repository.embedder, *runs.values_list("embedder", flat=True).distinct()}
    return [collection_of(repository, embedder) for embedder in sorted(embedders - {""})]


def _delete_files(repository_id: int) -> None:
    """Delete files with their dependent rows."""
    files = File.objects.filter(repository_id=repository_id).order_by("path")
    while paths := list(files.values_list("path", flat=True)[:_FILES]):
        with transaction.atomic():
            remove_files(repository_id=repository_id, paths=paths, delta=CorpusDelta())


def _delete_rows(table: str, condition: str, repository_id: int) -> None:
    statement = (
        f"DELETE FROM {table} WHERE ctid = ANY(ARRAY("  # noqa: S608
        f"SELECT ctid FROM {table} WHERE {condition} LIMIT {_ROWS}))"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [repository_id])
        while cursor.rowcount == _ROWS:
            cursor.execute(statement, [repository_id])
