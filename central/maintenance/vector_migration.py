"""Migration of vectors from PostgreSQL to another store, or to the configured one.

Existing points are not written again, so an interrupted migration continues where it was. It may
run beside the service: repositories that are indexed at the same time are repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

import structlog
from django.db.models import QuerySet

from central.maintenance.point_sync import sync_repository
from central.maintenance.repository_deletion import collections_of
from central.repositories.models import Repository
from indexer.errors import StoreError
from indexer.records.vectors import Vector
from indexer.store.base import Collection, VectorStore

_ROUNDS = 3  # of repositories that were indexed since

_log = structlog.get_logger(__name__)


class Progress(Protocol):
    """The display of progress."""

    def begin(self, repository: str, chunks: int) -> None:
        """Start a repository."""
        ...

    def advance(self, chunks: int) -> None:
        """Count chunks that have their points."""
        ...


@dataclass(slots=True)
class MigratedRepository:
    """One repository: points written, points without a vector, and deleted ones."""

    organization: str
    repository: str
    chunks: int = 0
    written: int = 0
    missing: int = 0
    excess: int = 0
    has_changed: bool = False  # indexed again after each round


@dataclass(frozen=True, slots=True)
class Migration:
    """A target of points, and a source of vectors that PostgreSQL does not have.

    `source` opens the former store; None if it is `target`.
    """

    target: VectorStore
    source: Callable[[], VectorStore] | None
    progress: Progress
    _done: dict[int, tuple[int, MigratedRepository]] = field(default_factory=dict)

    def run(self) -> list[MigratedRepository]:
        """Migrate every repository in the order of names. Raises StoreError."""
        if self.source:
            self._drop_retired()
        for _ in range(_ROUNDS):
            for key in self._due():
                self._migrate(key)
        self.target.maintain()
        for key in self._done.keys() & self._due():
            self._done[key][1].has_changed = True
        rows = [row for _, row in self._done.values()]
        return sorted(rows, key=lambda row: (row.organization, row.repository))

    def _due(self) -> list[int]:
        """Return the repositories that were indexed since they were migrated, or never were."""
        done = {key: generation for key, (generation, _) in self._done.items()}
        rows = _repositories().values_list("pk", "generation")
        return [key for key, generation in rows if done.get(key) != generation]

    def _migrate(self, key: int) -> None:
        """Migrate one, read here because earlier ones may have taken minutes."""
        repository = _repositories().filter(pk=key).first()
        if repository is None:
            self._done.pop(key, None)
            return
        _, earlier = self._done.get(key, (0, None))
        self.progress.begin(str(repository), repository.chunks)
        row = MigratedRepository(repository.organization.slug, repository.name)
        self._done[key] = repository.generation, row
        found = sync_repository(
            self.target,
            repository,
            fetch_vectors=self._fetch_vectors,
            advance=self.progress.advance,
        )
        row.chunks, row.missing, row.excess = found.chunks, found.unrepairable, found.excess
        row.written = found.missing - found.unrepairable + (earlier.written if earlier else 0)

    def _fetch_vectors(
        self, collection: Collection, points: Sequence[UUID]
    ) -> Mapping[UUID, Vector]:
        if self.source is None:
            return {}
        try:
            return self.source().vectors(collection, points)
        except StoreError as exc:
            _log.warning("migration_source_unavailable", error=str(exc), points=len(points))
            return {}

    def _drop_retired(self) -> None:
        """Drop what the former store purges."""
        retired = Repository.objects.filter(retired_at__isnull=False)
        for repository in retired.select_related("organization"):
            for collection in collections_of(repository):
                self.target.drop(collection)


def _repositories() -> QuerySet[Repository]:
    found = Repository.objects.filter(retired_at=None).select_related("organization")
    return found.order_by("organization__slug", "name")
