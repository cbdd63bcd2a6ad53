"""Uploads: the tree of a full run and the numbered batches, checked once when they arrive."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Sum
from django.utils import timezone

from central.db import copy_into, copy_rows, execute, fetch_rows, sql_with
from central.errors import (
    ConflictError,
    InvalidError,
    ServiceError,
    ThrottledError,
    TooLargeError,
)
from central.ingest.models import Batch, IndexRun
from central.ingest.selectors import require_open
from central.ingest.services.access import open_run_of
from central.ingest.services.batch_content import bundle_refusals, check_batch, require_known
from central.ingest.services.trees import TREE_NUMBER, LoadedTree, TreeDiff
from central.repositories.states import LIVE_RUN_STATES
from central.tenancy.credentials import Credential
from indexer.bundle.decode import decode_records
from indexer.bundle.gzip import PART_BYTES, decompress, gzip_packer, inflate
from indexer.bundle.tree import decode_tree
from indexer.limits import RUN_BATCHES
from indexer.records.files import FileRecord, Removal
from indexer.records.scip import ScipDocument, ScipRemoval
from indexer.records.vectors import EmbedderSpec

_RETRY_SECONDS = 30
_GZIP_MAGIC = b"\x1f\x8b"
_SPOOLED_BYTES = 1_000_000  # of a tree as it is stored; the rest is on disk
_KEPT_BYTES = 100_000_000  # in memory, about
_VALUE_BYTES = 64  # of memory that a value of a batch takes as a part of its record
_BATCHES = copy_into(Batch, "run_id", "number", "digest", "files", "removals", "path_keys", "body")
_sql = sql_with(batch=Batch)
_BODY = _sql("SELECT body FROM {batch} WHERE run_id = %s AND number = %s")
_DROP_PARTS = _sql("DROP TABLE IF EXISTS pg_temp.tree_part")
_CREATE_PARTS = _sql("CREATE TEMPORARY TABLE tree_part (number serial, part bytea) ON COMMIT DROP")
_ADD_PART = _sql("INSERT INTO pg_temp.tree_part (part) VALUES (%s)")
_JOIN_PARTS = _sql(
    "INSERT INTO {batch} (run_id, number, digest, files, removals, path_keys, body)"
    " SELECT %s, %s::int, %s, %s::int, 0, '{}', coalesce(string_agg(part, ''::bytea ORDER BY"
    " number), '') FROM pg_temp.tree_part"
)
_REPEATED = _sql(
    "SELECT key, number FROM {batch}, unnest(path_keys) AS key"
    " WHERE run_id = %s AND key = ANY(%s) LIMIT 1"
)


def path_key(path: str) -> int:
    """Return a 64-bit key of a path (the head of its SHA-256), to compare paths over batches."""
    return int.from_bytes(hashlib.sha256(path.encode()).digest()[:8], signed=True)


@transaction.atomic
def put_tree(*, credential: Credential, run_id: UUID, parts: Iterable[bytes]) -> TreeDiff:
    """Store the tree of a full run; returns what must be sent. A repeated tree is no error.

    `parts` are parts of NDJSON, plain or gzip. Raises NotFoundError, ForbiddenError,
    ConflictError (`run_not_open`, `tree_conflict`), InvalidError, TooLargeError
    (`tree_too_large`), ThrottledError (`too_much_waiting`).
    """
    run = open_run_of(credential=credential, run_id=run_id)
    digest = hashlib.sha256()
    with SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as stored:
        tree = LoadedTree(run)
        with bundle_refusals(too_large="tree_too_large"):
            body = _tee(_inflated_tree(parts, stored), digest.update)
            lines = tree.fill(decode_tree(body))
        _lock_open(run)
        if not _is_repeated(run, TREE_NUMBER, digest.digest(), code="tree_conflict"):
            if run.batch_set.filter(removals__gt=0).exists():
                raise _removal_refused()
            _count_bytes(run, stored.tell())
            _insert_tree(run, digest.digest(), lines, stored)
    return tree.diff()


def _inflated_tree(parts: Iterable[bytes], stored: IO[bytes]) -> Iterator[bytes]:
    """Yield the tree's lines in parts; `stored` gets them as gzip."""
    rest = iter(parts)
    first = next(rest, b"")
    limit = settings.TREE_MAX_BYTES
    if first.startswith(_GZIP_MAGIC):
        yield from inflate(_tee(chain([first], rest), stored.write), limit_bytes=limit)
        return
    size, packer = 0, gzip_packer()
    for part in chain([first], rest):
        size += len(part)
        if size > limit:
            raise TooLargeError(f"The tree is larger than {limit} bytes.", code="tree_too_large")
        stored.write(packer.compress(part))
        yield part
    stored.write(packer.flush())


def _tee(parts: Iterable[bytes], sink: Callable[[bytes], object]) -> Iterator[bytes]:
    for part in parts:
        sink(part)
        yield part


def _insert_tree(run: IndexRun, digest: bytes, lines: int, body: IO[bytes]) -> None:
    """Insert the tree in parts, of which one is in memory; PostgreSQL joins them."""
    body.seek(0)
    execute(_DROP_PARTS, [])
    execute(_CREATE_PARTS, [])
    while part := body.read(PART_BYTES):
        execute(_ADD_PART, [part])
    execute(_JOIN_PARTS, [run.pk, TREE_NUMBER, digest, lines])


def put_batch(*, credential: Credential, run_id: UUID, number: int, data: bytes) -> None:
    """Store batch `number` (1…). A repeated batch is no error.

    Raises NotFoundError, ForbiddenError, ConflictError (`run_not_open`, `batch_conflict`,
    `path_repeated`, `embedding_unknown`), InvalidError (the codes of indexer.bundle,
    `embedder_mismatch`, `removal_in_full_run`, `vector_in_direct_run`), TooLargeError
    (`batch_too_large`, `batch_too_many_files`), ThrottledError (`too_much_waiting`).
    """
    run = open_run_of(credential=credential, run_id=run_id)
    if not 1 <= number <= RUN_BATCHES:
        raise InvalidError(f"Batches are numbered from 1 to {RUN_BATCHES}.")
    content = check_batch(run, data)
    require_known(credential, run, content.reused)
    with transaction.atomic():
        _lock_open(run)
        if _is_repeated(run, number, content.digest, code="batch_conflict"):
            return
        if content.removals and run.batch_set.filter(number=TREE_NUMBER).exists():
            raise _removal_refused()
        keys = [path_key(path) for path in content.paths]
        _require_new_paths(run, keys, content.paths)
        _count_bytes(run, len(data))
        counts = (len(content.paths), content.removals)
        batch = (run.pk, number, content.digest, *counts, keys, data)
        copy_rows(_BATCHES, [batch])


def _lock_open(run: IndexRun) -> None:
    """Lock the row of an open run for this transaction and renew its time-out."""
    locked = IndexRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    require_open(locked)
    IndexRun.objects.filter(pk=run.pk).update(touched_at=timezone.now())


def _count_bytes(run: IndexRun, size: int) -> None:
    """Count the bytes that wait to be applied; refuse more than an organisation may have."""
    waiting = IndexRun.objects.filter(
        repository__organization=run.repository.organization_id, state__in=LIVE_RUN_STATES
    ).aggregate(size=Sum("uploaded_bytes"))["size"]
    if waiting + size > settings.WAITING_MAX_BYTES:
        raise ThrottledError(
            f"{settings.WAITING_MAX_BYTES} bytes of the organisation's uploads may wait to be "
            "applied (AETERNA_WAITING_MAX_BYTES), and this would be more. Go on when runs have "
            "ended, or give up open ones.",
            retry_after=_RETRY_SECONDS,
            code="too_much_waiting",
        )
    IndexRun.objects.filter(pk=run.pk).update(uploaded_bytes=F("uploaded_bytes") + size)


def _is_repeated(run: IndexRun, number: int, digest: bytes, *, code: str) -> bool:
    stored = run.batch_set.filter(number=number).values_list("digest", flat=True).first()
    if stored is None:
        return False
    if bytes(stored) != digest:
        raise ConflictError(
            f"Number {number} was uploaded with other content; open another run.", code=code
        )
    return True


def _require_new_paths(run: IndexRun, keys: Sequence[int], paths: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_REPEATED, [run.pk, list(keys)])
        repeated = cursor.fetchone()
    if repeated:
        raise ConflictError(
            f"The path {paths[keys.index(repeated[0])]!r} came in batch {repeated[1]} too; send "
            "every path once.",
            code="path_repeated",
        )


def _removal_refused() -> ServiceError:
    return InvalidError(
        "In a full run the tree says what is gone; send no removals.", code="removal_in_full_run"
    )


def decode_batch(run: IndexRun, data: bytes) -> "Records":
    """Decode a stored batch. Raises BundleError."""
    body = decompress(data, limit_bytes=settings.BATCH_MAX_BYTES)
    return list(decode_records(body, dimensions=EmbedderSpec.parse(run.embedder).dimensions))


Records = list[FileRecord | Removal | ScipDocument | ScipRemoval]  # of a batch


class StoredBatch(NamedTuple):
    """A batch of files as the apply reads it."""

    number: int
    records: Records

    def files(self) -> list[FileRecord]:
        """Return its records but for removals."""
        return [record for record in self.records if isinstance(record, FileRecord)]


class StoredBatches:
    """The run's batches in order, which may be iterated more than once.

    The first batches stay in memory, up to a limit; of a large run, one more at a time.
    """

    def __init__(self, run: IndexRun) -> None:
        self._run = run
        self._dimensions = EmbedderSpec.parse(run.embedder).dimensions
        self._kept: dict[int, StoredBatch] = {}
        self._room = _KEPT_BYTES

    def __iter__(self) -> Iterator[StoredBatch]:
        for number in self._numbers():
            yield self._kept.get(number) or self._read(number)

    def groups(self) -> Iterator[list[StoredBatch]]:
        """Yield those in memory together, then each other one."""
        numbers = self._numbers()
        if kept := [self._kept[number] for number in numbers if number in self._kept]:
            yield kept
        for number in numbers:
            if number not in self._kept:
                yield [self._read(number)]

    def _numbers(self) -> list[int]:
        numbers = self._run.batch_set.filter(number__gt=TREE_NUMBER).order_by("number")
        return list(numbers.values_list("number", flat=True))

    def _read(self, number: int) -> StoredBatch:
        [(data,)] = fetch_rows(_BODY, [self._run.pk, number])
        body = decompress(data, limit_bytes=settings.BATCH_MAX_BYTES)
        batch = StoredBatch(number, list(decode_records(body, dimensions=self._dimensions)))
        size = _size_in_memory(body)
        if size <= self._room:
            self._room -= size
            self._kept[number] = batch
        return batch


def _size_in_memory(body: bytes) -> int:
    """Estimate the size of a batch's records: texts and vectors take no more than in the body."""
    return len(body) + _VALUE_BYTES * (body.count(b",") + body.count(b"["))


def stored_path_keys(run: IndexRun) -> set[int]:
    """Return the keys of all paths in the run's batches."""
    batches: Iterable[list[int]] = run.batch_set.values_list("path_keys", flat=True)
    return {key for keys in batches for key in keys}
