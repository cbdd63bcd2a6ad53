"""Uploads: the tree of a full run and the numbered batches, checked once when they arrive."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from central.corpus.embeddings import known_digests
from central.db import (
    columns_of,
    copy_into,
    copy_rows,
    execute,
    fetch_rows_planned_each_time,
    id_array,
    sql_with,
)
from central.errors import (
    ConflictError,
    InvalidError,
    ServiceError,
    ThrottledError,
    TooLargeError,
)
from central.ingest.models import Batch, IndexRun
from central.ingest.selectors import locked_run, require_open, visible_reuse_scope
from central.ingest.services.access import open_run_of
from central.ingest.services.stored_batches import ROWS_FORMAT, BatchRows, make_rows, pack_rows
from central.ingest.services.trees import TREE_NUMBER, LoadedTree, TreeDiff
from central.repositories.states import LIVE_RUN_STATES
from central.tenancy.credentials import Credential
from indexer.bundle.decode import Record, decode_records
from indexer.bundle.gzip import PART_BYTES, decompress, gzip_packer, identity, inflate
from indexer.bundle.tree import decode_tree
from indexer.errors import BundleError
from indexer.records.files import FileRecord
from indexer.records.vectors import EmbedderSpec

RUN_BATCHES: Final = 100_000
_RETRY_SECONDS = 30
_GZIP_MAGIC = b"\x1f\x8b"
_SPOOLED_BYTES = 1_000_000  # of a tree as it is stored; the rest is on disk
_BATCHES = copy_into(Batch, *columns_of(Batch, without="file_vectors"))
_sql = sql_with(batch=Batch)
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
    " WHERE run_id = %s AND key = ANY(%s::bigint[]) LIMIT 1"
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
        with _bundle_refusals(too_large="tree_too_large"):
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
    digest, batch = _check_batch(run, data)
    _require_known(credential, run, batch)
    rows = pack_rows(batch)
    with transaction.atomic():
        _lock_open(run)
        if _is_repeated(run, number, digest, code="batch_conflict"):
            return
        if batch.removed and run.batch_set.filter(number=TREE_NUMBER).exists():
            raise _removal_refused()
        paths = batch.paths
        keys = [path_key(path) for path in paths]
        _require_new_paths(run, keys, paths)
        _count_bytes(run, len(data) + len(rows))
        counts = (len(paths), len(batch.removed))
        stored = (data, rows, ROWS_FORMAT)
        copy_rows(_BATCHES, [(run.pk, number, digest, *counts, keys, *stored)])


@contextmanager
def _bundle_refusals(*, too_large: str = "batch_too_large") -> Iterator[None]:
    """Translate refusals of the wire format to errors of this service."""
    try:
        yield
    except BundleError as exc:
        if exc.code == "batch_too_large":
            raise TooLargeError(f"{exc}; send less at a time.", code=too_large) from exc
        code = "embedder_mismatch" if exc.code == "batch_wrong_dimensions" else exc.code
        raise InvalidError(f"{exc}.", code=code) from exc


def _check_batch(run: IndexRun, data: bytes) -> tuple[bytes, BatchRows]:
    """Return the SHA-256 of a batch's decompressed bytes, and its rows: it is read once.

    Raises InvalidError and TooLargeError for what is not accepted.
    """
    dimensions = EmbedderSpec.parse(run.embedder).dimensions
    records: list[Record] = []
    with _bundle_refusals():
        body = decompress(data, limit_bytes=settings.BATCH_MAX_BYTES)
        for record in decode_records(body, dimensions=dimensions):
            if len(records) == settings.BATCH_MAX_FILES:
                raise TooLargeError(
                    f"The batch has more than {settings.BATCH_MAX_FILES} lines; send less at a "
                    "time.",
                    code="batch_too_many_files",
                )
            if run.is_direct and isinstance(record, FileRecord):
                _refuse_vectors(record)
            records.append(record)
    return bytes.fromhex(identity(body)), make_rows(run, records)


def _refuse_vectors(record: FileRecord) -> None:
    if any(chunk.vector is not None for chunk in record.chunks):
        raise InvalidError(
            f"{record.path!r} came with vectors; in a direct run the client writes them to the "
            "vector store, and batches hold none.",
            code="vector_in_direct_run",
        )


def _require_known(credential: Credential, run: IndexRun, batch: BatchRows) -> None:
    """Require a stored vector for each chunk without one: its lease then outlasts the apply.

    The client of a direct run writes all of them to the vector store.
    """
    points = chain.from_iterable(batch.files.packed_points)
    digests = {point.digest for point in points if not point.vector}
    if run.is_direct or not digests:
        return
    known = known_digests(
        repositories=visible_reuse_scope(credential, run),
        embedder=run.embedder,
        digests=digests,
    )
    if missing := len(digests - known):
        raise ConflictError(
            f"{missing} chunks have no vector and none is stored for them; ask "
            "POST …/embeddings which digests are known and send vectors for the others.",
            code="embedding_unknown",
        )


def _lock_open(run: IndexRun) -> None:
    """Lock the row of an open run for this transaction and renew its time-out."""
    locked = locked_run(run)
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
            "ended, or abandon open ones.",
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
    if repeated := fetch_rows_planned_each_time(_REPEATED, [run.pk, id_array(keys)]):
        [(key, number)] = repeated
        raise ConflictError(
            f"The path {paths[keys.index(key)]!r} came in batch {number} too; send every path "
            "once.",
            code="path_repeated",
        )


def _removal_refused() -> ServiceError:
    return InvalidError(
        "In a full run the tree says what is gone; send no removals.", code="removal_in_full_run"
    )
