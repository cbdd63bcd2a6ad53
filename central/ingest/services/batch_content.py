"""The check of an uploaded batch: wire format, limits, and vectors that must be known."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings

from central.corpus.embeddings import chunk_texts, known_digests
from central.errors import ConflictError, InvalidError, TooLargeError
from central.ingest.models import IndexRun
from central.ingest.selectors import visible_reuse_scope
from central.tenancy.credentials import Credential
from indexer.bundle.decode import decode_records
from indexer.bundle.gzip import decompress, identity
from indexer.errors import BundleError
from indexer.records.files import FileRecord
from indexer.records.scip import ScipDocument, ScipRemoval
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


@dataclass(frozen=True, slots=True)
class BatchContent:
    """The properties of a checked batch that are stored beside its bytes."""

    digest: bytes
    paths: list[str]
    removals: int
    reused: set[bytes]  # digests of chunks that came without a vector and need a known one


def check_batch(run: IndexRun, data: bytes) -> BatchContent:
    """Read a batch once. Raises InvalidError and TooLargeError for what is not accepted."""
    dimensions = EmbedderSpec.parse(run.embedder).dimensions
    paths: list[str] = []
    removals = 0
    reused: set[bytes] = set()
    with bundle_refusals():
        body = decompress(data, limit_bytes=settings.BATCH_MAX_BYTES)
        for number, record in enumerate(decode_records(body, dimensions=dimensions)):
            if number == settings.BATCH_MAX_FILES:
                raise TooLargeError(
                    f"The batch has more than {settings.BATCH_MAX_FILES} lines; send less at a "
                    "time.",
                    code="batch_too_many_files",
                )
            if isinstance(record, ScipDocument | ScipRemoval):
                continue
            paths.append(record.path)
            if not isinstance(record, FileRecord):
                removals += 1
            elif run.is_direct:
                _refuse_vectors(record)
            else:
                reused |= _reused_digests(record)
    return BatchContent(bytes.fromhex(identity(body)), paths, removals, reused)


def _refuse_vectors(record: FileRecord) -> None:
    if any(chunk.vector is not None for chunk in record.chunks):
        raise InvalidError(
            f"{record.path!r} came with vectors; in a direct run the client writes them to the "
            "vector store, and batches hold none.",
            code="vector_in_direct_run",
        )


def _reused_digests(record: FileRecord) -> set[bytes]:
    if all(chunk.vector is not None for chunk in record.chunks):
        return set()
    pairs = zip(record.chunks, chunk_texts(record), strict=True)
    return {digest for chunk, (_, digest) in pairs if chunk.vector is None}


def require_known(credential: Credential, run: IndexRun, digests: set[bytes]) -> None:
    """Require a stored vector for each digest: its lease then lasts beyond the apply."""
    if not digests:
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
