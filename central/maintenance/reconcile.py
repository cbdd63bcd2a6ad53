"""Reconcile: the vector store is compared with the rows, corrected and reported."""

import math
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.utils import timezone

from central.corpus.backends import vector_store
from central.corpus.branches.tables import IN_OTHERS
from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, Embedding
from central.db import execute, sql_with
from central.errors import NotFoundError
from central.extensions import added
from central.ingest.services.salvage import salvage_uploads, salvageable_uploads
from central.maintenance.point_sync import PointReport, sync_repository
from central.projections import Projection
from central.repositories.models import Branch, Repository
from central.tenancy.models import parse_organization_slug
from indexer.records.refs import HEADS, short_name
from indexer.store.base import VectorStore

_UNUSED: Final = (
    "FROM {embedding} e WHERE e.repository_id = %(repository)s AND e.used_at < %(before)s"
    " AND NOT EXISTS (SELECT 1 FROM {chunk} c JOIN {repository} r"
    " ON r.id = c.repository_id WHERE c.repository_id = e.repository_id"
    " AND c.digest = e.digest AND r.embedder = e.embedder)"
    " AND NOT EXISTS (SELECT 1 FROM {others}{chunk} c JOIN {branch} b"
    " ON b.repository_id = c.repository_id WHERE c.repository_id = e.repository_id"
    " AND c.digest = e.digest AND b.embedder = e.embedder)"
)
_sql = sql_with(
    embedding=Embedding,
    chunk=Chunk,
    repository=Repository,
    branch=Branch,
    others=IN_OTHERS,
    unused=_UNUSED,
)
_FIND_UNUSED: Final = _sql("SELECT 1 {unused}")
# One that a stager has locked is in use; waiting for it could deadlock.
_DELETE_UNUSED: Final = _sql(
    "DELETE FROM {embedding} WHERE ctid = ANY(ARRAY("
    "SELECT e.ctid {unused} FOR UPDATE OF e SKIP LOCKED))"
)


@dataclass(slots=True)
class RepositoryReport(PointReport):
    """The same with what the other projections count: text index, call edges, knowledge graph."""

    due: int = 0
    differing: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """All repositories, and the numbers of unused rows."""

    repositories: list[RepositoryReport]
    embeddings: int
    uploads: int

    @property
    def is_clean(self) -> bool:
        """Whether the store holds exactly what the chunks name, and nothing derived differs."""
        return not any(row.missing or row.excess or row.differing for row in self.repositories)


def reconcile(*, repair: bool) -> Report:
    """Compare; with `repair` also correct. May run beside applies. Raises StoreError."""
    store = vector_store()
    ordered = Repository.objects.filter(retired_at=None).order_by("organization__slug", "name")
    keys = list(ordered.values_list("pk", flat=True))
    rows = [_reconcile_repository(store, key, repair) for key in keys]
    return Report(
        repositories=[row for row in rows if row is not None],
        embeddings=sum(_retire_embeddings(key, repair) for key in keys),
        uploads=_retire_uploads(repair),
    )


def _reconcile_repository(
    store: VectorStore, repository_id: int, repair: bool
) -> RepositoryReport | None:
    """Compare one; None if it was deleted. It is read here: earlier ones may take minutes."""
    repositories = Repository.objects.filter(retired_at=None).select_related("organization")
    repository = repositories.filter(pk=repository_id).first()
    if repository is None:
        return None
    points = sync_repository(store, repository, repair=repair)
    projections: list[type[Projection]] = added("projections")
    derived = [kind().rebuild(repository, repair=repair) for kind in projections]
    return RepositoryReport(
        **asdict(points),
        due=sum(difference.due for difference in derived),
        differing=sum(difference.differing for difference in derived),
    )


def _retire_embeddings(repository_id: int, repair: bool) -> int:
    """Delete or count embeddings that were not used for EMBEDDING_RETENTION_DAYS."""
    before = timezone.now() - timedelta(days=settings.EMBEDDING_RETENTION_DAYS)
    statement = _DELETE_UNUSED if repair else _FIND_UNUSED
    return execute(statement, {"repository": repository_id, "before": before})


def _retire_uploads(repair: bool) -> int:
    count = salvageable_uploads().count()
    if repair:
        salvage_uploads(seconds=math.inf)
    return count


def dump_of(*, organization: str, repository: str, ref: str = "") -> list[str]:
    """Return the dump of a repository, or of another branch. Raises NotFoundError, StoreError."""
    found = (
        Repository.objects.select_related("organization")
        .filter(
            organization__slug=parse_organization_slug(organization),
            name=repository,
            retired_at=None,
        )
        .first()
    )
    if found is None:
        raise NotFoundError(
            f"There is no repository '{repository}' in an organisation '{organization}'.",
            code="repository_not_found",
        )
    if not ref:
        return dump_lines(found)
    branch = found.branch_set.filter(ref=f"{HEADS}{short_name(ref)}").first()
    if branch is None:
        raise NotFoundError(
            f"There is no index of a branch '{ref}' beside the default one in {found}.",
            code="branch_not_found",
        )
    return dump_lines(found, branch)
