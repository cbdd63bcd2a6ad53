"""One Qdrant Edge shard: layout, opening, durability and error translation."""

import errno
import fcntl
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import UUID

import qdrant_edge as qdrant

from indexer.errors import StoreError, StoreFullError, StoreLockedError, StoreUnavailableError
from indexer.store.base import Hit
from indexer.store.schema import DENSE, TERMS

# No filter has a range of repositories: without its tree, a point takes 0.15 KB less.
INDEXED_FIELDS: dict[str, qdrant.PayloadSchemaType | qdrant.IntegerIndexParams] = {
    "repository": qdrant.IntegerIndexParams(lookup=True, range=False),
    "language": qdrant.PayloadSchemaType.Keyword,
    "type": qdrant.PayloadSchemaType.Keyword,
    "dirs": qdrant.PayloadSchemaType.Keyword,
}

# Only a flush shortens the write-ahead log (1.5 KB a point) and the tables of what is not flushed
# (0.6 KB a point, twice that while they are flushed), and it stops every thread for 0.1 to 0.3 s.
# At this interval the log stays under 75 MB and its replay after a crash under ten seconds.
_FLUSH_EVERY = 25_000

_LOCKED = (
    "Another process holds this vector store: stop the other server that uses the directory, or "
    "give this one a data directory of its own."
)

_FULL = "The disk is full: free some space and try again."

# Edge raises bare `Exception`s that differ only in their text.
_ERRORS: tuple[tuple[str, type[StoreError], str], ...] = (
    ("WouldBlock", StoreLockedError, _LOCKED),
    ("Shard is not initialized", StoreUnavailableError, "The vector store has been closed."),
    ("No space left", StoreFullError, _FULL),
    ("disk space", StoreFullError, _FULL),
)


@contextmanager
def edge_errors(path: Path) -> Iterator[None]:
    """Translate errors of Edge and the file system about the shard at `path`."""
    try:
        yield
    except OSError as exc:
        if exc.errno == errno.ENOSPC:
            raise StoreFullError(f"{_FULL} ({path})") from exc
        message = f"The vector store's directory cannot be used: {exc}"
        raise StoreUnavailableError(message) from exc
    except Exception as exc:
        if type(exc) is not Exception:
            raise  # Edge raises no subclass: this is a defect, here or in the caller
        for text, error, advice in _ERRORS:
            if text in str(exc):
                raise error(f"{advice} ({path})") from exc
        message = f"Qdrant Edge refused at {path}: {exc}"
        raise StoreError(message) from exc


class StoredPoint(NamedTuple):
    """A point as a shard returns it: payload fields and, if requested, the dense vector."""

    id: UUID
    payload: dict[str, Any]
    vector: list[float]


class Shard:
    """An open shard. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Open the shard at `path`, replaying its log. Raises StoreLockedError."""
        self.path = path
        with ExitStack() as stack, edge_errors(path):
            stack.enter_context(_lock(path))
            self._edge = qdrant.EdgeShard.load(str(path))
            self._lock = stack.pop_all()
            self._repositories = self._stored_repositories()
        self._writing = threading.Lock()
        self._unflushed = 0

    def _stored_repositories(self) -> set[int]:
        every = qdrant.FacetRequest("repository", limit=self._edge.info().points_count, exact=True)
        return {cast(int, hit.value) for hit in self._edge.facet(every).hits}

    def holds_only(self, repositories: set[int]) -> bool:
        """Whether answers that ended before this call hold no point of another repository.

        A repository counts from before its first point is written until the shard is closed.
        """
        return self._repositories <= repositories

    def upsert(self, repository: int, points: list[qdrant.Point]) -> None:
        self._repositories.add(repository)
        with self._writing, edge_errors(self.path):
            self._edge.update(qdrant.UpdateOperation.upsert_points(points))
            self._unflushed += len(points)
            if self._unflushed >= _FLUSH_EVERY:
                self._edge.flush()
                self._unflushed = 0

    def delete(self, points: qdrant.Filter) -> None:
        with self._writing, edge_errors(self.path):
            self._edge.update(qdrant.UpdateOperation.delete_points_by_filter(points))

    def query(self, requests: list[qdrant.QueryRequest]) -> list[list[Hit]]:
        with edge_errors(self.path):
            answers = self._edge.query_batch(qdrant.QueryBatchRequest(requests))
        return [[Hit(cast(UUID, point.id), point.score) for point in answer] for answer in answers]

    def share(self, condition: qdrant.FieldCondition) -> float:
        """Estimate the share of points that meet `condition`, between 0 and 1 (0.2 ms)."""
        with edge_errors(self.path):
            total = self._edge.info().points_count
            matching = qdrant.CountRequest(exact=False, filter=qdrant.Filter(must=[condition]))
            return self._edge.count(matching) / total if total else 0.0

    def retrieve(
        self, ids: Sequence[UUID], fields: list[str], *, vector: bool = False
    ) -> list[StoredPoint]:
        with edge_errors(self.path):
            records = self._edge.retrieve(list(ids), fields, [DENSE] if vector else False)
        return [_stored(record) for record in records]

    def scroll(
        self, points: qdrant.Filter, fields: list[str], *, start: UUID | None, limit: int
    ) -> tuple[list[StoredPoint], UUID | None]:
        """Return points in ascending order of id from `start` on, and the next id, if any."""
        page = qdrant.ScrollRequest(offset=start, limit=limit, filter=points, with_payload=fields)
        with edge_errors(self.path):
            records, following = self._edge.scroll(page)
        return [_stored(record) for record in records], cast(UUID | None, following)

    def optimize(self) -> None:
        with self._writing, edge_errors(self.path):
            _index_fields(self._edge)  # a shard of an earlier version has other settings
            self._edge.optimize()
            self._edge.flush()

    def close(self) -> None:
        with self._writing, self._lock, edge_errors(self.path):
            self._edge.close()


def _stored(record: qdrant.Record) -> StoredPoint:
    vectors = cast(dict[str, list[float]], record.vector or {})
    return StoredPoint(cast(UUID, record.id), record.payload or {}, vectors.get(DENSE, []))


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Lock the shard's directory. Raises StoreLockedError.

    Edge's own lock is not enough: a process that loads while another closes may acquire it and miss
    points that the other is still writing.
    """
    with path.with_name(f".{path.name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            message = f"{_LOCKED} ({path})"
            raise StoreLockedError(message) from exc
        yield


def create_shard(path: Path, *, dimensions: int) -> None:
    """Create an empty shard at `path` atomically; an existing one is kept."""
    with edge_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=path.parent) as scratch:
            _lay_out(Path(scratch) / "shard", dimensions)
            if not path.exists():
                (Path(scratch) / "shard").rename(path)


def _lay_out(path: Path, dimensions: int) -> None:
    # Turbo16 keeps 16 bits a dimension: scores within 1e-5 of float32's (float16: 8e-5). A scan
    # reads 4 bits of each and rescores the best by all 16: at 110,000 points the same first hundred
    # in half the time. Two search threads, because every shard has its own pool. Only the 4-bit
    # copies are read when the shard is loaded: they are scanned, the vectors of a few looked up.
    dense = qdrant.EdgeVectorParams(
        size=dimensions,
        distance=qdrant.Distance.Cosine,
        datatype=qdrant.VectorStorageDatatype.Turbo16,
        quantization_config=qdrant.TurboQuantQuantizationConfig(
            bits=qdrant.TurboQuantBitSize.Bits4, memory=qdrant.Memory.Cached
        ),
        memory=qdrant.Memory.Cold,
    )
    edge = qdrant.EdgeShard.create(
        str(path),
        qdrant.EdgeConfig(
            vectors={DENSE: dense},
            sparse_vectors={TERMS: qdrant.EdgeSparseVectorParams()},
            max_search_threads=2,
        ),
    )
    _index_fields(edge)
    edge.close()


def _index_fields(edge: qdrant.EdgeShard) -> None:
    for field, schema in INDEXED_FIELDS.items():
        edge.update(qdrant.UpdateOperation.create_field_index(field, schema))
