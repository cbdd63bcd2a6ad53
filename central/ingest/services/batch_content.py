"""The check of an uploaded batch: wire format, limits, and vectors that must be known."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from django.conf import settings

from central.corpus.embeddings import known_digests
from central.errors import ConflictError, InvalidError, TooLargeError
from central.ingest.models import IndexRun
from central.ingest.selectors import visible_reuse_scope
from central.ingest.services.stored_batches import BatchRows, make_rows
from central.tenancy.credentials import Credential
from indexer.bundle.decode import Record, decode_records
from indexer.bundle.gzip import decompress, identity
from indexer.errors import BundleError
from indexer.records.files import FileRecord
from indexer.records.vectors import EmbedderSpec


@contextmanager
def bundle_refusals(*, too_large: str = "batch_too_large") -> Iterator[None]:
    """Translate refusals of the wire format to errors of this service."""
    try:
        yield
    except BundleError as exc:
        if exc.code == "batch_too_large":
            raise TooLargeError(f"{exc}; send less at a time.", code=too_large) from exc
        code = "embedder_mismatch" if exc.code == "batch_wrong_dimensions" else exc.code
        raise InvalidError(f"{exc}.", code=code) from exc


class BatchContent(NamedTuple):
    """A checked batch: the SHA-256 of its decompressed bytes, and its rows."""

    digest: bytes
    rows: BatchRows


def check_batch(run: IndexRun, data: bytes) -> BatchContent:
    """Read a batch once. Raises InvalidError and TooLargeError for what is not accepted."""
    dimensions = EmbedderSpec.parse(run.embedder).dimensions
    records: list[Record] = []
    with bundle_refusals():
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
    return BatchContent(bytes.fromhex(identity(body)), make_rows(run, records))


def _refuse_vectors(record: FileRecord) -> None:
    if any(chunk.vector is not None for chunk in record.chunks):
        raise InvalidError(
            f"{record.path!r} came with vectors; in a direct run the client writes them to the "
            "vector store, and batches hold none.",
            code="vector_in_direct_run",
        )


def require_known(credential: Credential, run: IndexRun, batch: BatchRows) -> None:
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
