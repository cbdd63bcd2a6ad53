"""Deletion of a retired repository: its rows, its points, then itself.

Every step is small and may be repeated: after an interruption the repository stays retired and the
next sweep continues. Points are deleted after the chunks, from which a reconcile that started
earlier could restore them; the runs, which name the collections, are deleted after the points.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Model

from central.corpus.backends import collection_of, vector_store
from central.corpus.branch_lifecycle import delete_branch
from central.corpus.branches.tables import IN_OTHERS
from central.corpus.models import (
    Commit,
    CommitChange,
    CommitPatch,
    Dependency,
    Embedding,
    File,
    Package,
    ScipDocument,
    ScipSymbol,
    TermStat,
    TrigramPosting,
    TrigramSegment,
    WithheldPath,
)
from central.corpus.replace import Replacement
from central.db import execute, sql
from central.extensions import added
from central.ingest.models import Batch, Delivery, IndexRun
from central.repositories.models import BranchPush, Push, Repository
from central.repositories.states import LIVE_RUN_STATES
from central.tenancy.models import Organization
from indexer.store.base import Collection

WRITERS_SECONDS: Final = 120  # until an apply or a reconcile has noticed a retired repository
_FILES = 500  # a transaction
_ROWS = 10_000  # a statement


def deletion(
    model: type[Model], condition: str, *, schema: str = "", **parts: type[Model] | str
) -> str:
    """Make the statement that deletes some of a model's rows; one parameter is in `condition`.

    `schema`, with a dot, if they are in another table of this name.
    """
    return sql(
        "DELETE FROM {schema}{table} WHERE ctid = ANY(ARRAY("
        "SELECT ctid FROM {schema}{table} WHERE {condition} LIMIT {rows}))",
        schema=schema,
        table=model,
        condition=condition,
        rows=str(_ROWS),
        **parts,
    )


def delete_rows(statement: str, key: int) -> None:
    """Delete all rows that a `deletion` has for its parameter, some at a time."""
    while execute(statement, [key]) == _ROWS:
        pass


_OF_RUN = "run_id IN (SELECT id FROM {run} WHERE repository_id = %s)"
_OF_REPOSITORY = "repository_id = %s"

# Tables that do not depend on a file, in an order that foreign keys allow.
_DELETIONS = (
    deletion(
        Dependency,
        "package_id IN (SELECT id FROM {package} WHERE repository_id = %s)",
        package=Package,
    ),
    *(
        deletion(
            TrigramPosting,
            "segment_id IN (SELECT id FROM {segment} WHERE {of} = %s)",
            segment=TrigramSegment,
            of=of,
        )
        for of in ("repository_id", "history_of_id")
    ),
    deletion(TrigramSegment, "history_of_id = %s"),
    *(
        deletion(model, _OF_REPOSITORY)
        for model in (
            *(Package, TermStat, Embedding, TrigramSegment, ScipDocument, ScipSymbol),
            *(CommitPatch, CommitChange, Commit, WithheldPath),
        )
    ),
    # Of its other branches the text index is left.
    deletion(
        TrigramPosting,
        "segment_id IN (SELECT id FROM {others}{segment} WHERE repository_id = %s)",
        schema=IN_OTHERS,
        segment=TrigramSegment,
        others=IN_OTHERS,
    ),
    deletion(TrigramSegment, _OF_REPOSITORY, schema=IN_OTHERS),
    *(deletion(model, _OF_RUN, run=IndexRun) for model in (Batch, Delivery)),
    *(deletion(model, _OF_REPOSITORY) for model in (Push, BranchPush)),
)
_DELETE_RUNS = deletion(IndexRun, _OF_REPOSITORY)
_DELETE = sql("DELETE FROM {repository} WHERE id = %s", repository=Repository)

_log = structlog.get_logger(__name__)


def purgeable_repositories(*, now: datetime, organization: Organization | None = None) -> list[int]:
    """Return keys of retired repositories without writers, longest retired first.

    For WRITERS_SECONDS, an apply or a reconcile may still write points of a retired one.
    """
    unnoticed_since = now - timedelta(seconds=WRITERS_SECONDS)
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
    collections = collections_of(repository)  # runs of branches, which name them, go first
    _drop(collections)
    for branch in repository.branch_set.all():
        delete_branch(branch)
    _delete_files(repository_id)
    for statement in chain(*added("deletions"), _DELETIONS):
        delete_rows(statement, repository_id)
    _drop(collections)  # with what a reconcile has written since
    delete_rows(_DELETE_RUNS, repository_id)
    execute(_DELETE, [repository_id])  # the ORM would look through tables that are not indexed so
    _log.info("repository_purged", repository=str(repository))


def _drop(collections: Sequence[Collection]) -> None:
    store = vector_store()
    for collection in collections:
        store.drop(collection)


def collections_of(repository: Repository) -> list[Collection]:
    """Return the collections of all embedders that runs of the repository were opened with.

    Those of its other branches, too.
    """
    runs = IndexRun.objects.filter(repository=repository).order_by()
    embedders = {repository.embedder, *runs.values_list("embedder", flat=True).distinct()}
    return [
        collection_of(repository, embedder, of_others=of_others)
        for embedder in sorted(embedders - {""})
        for of_others in (False, True)
    ]


def _delete_files(repository_id: int) -> None:
    """Delete files with their dependent rows."""
    files = File.objects.filter(repository_id=repository_id).order_by("path")
    while paths := list(files.values_list("path", flat=True)[:_FILES]):
        with transaction.atomic():
            Replacement(repository_id).remove_files(paths)
