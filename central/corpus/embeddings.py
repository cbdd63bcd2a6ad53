"""Embeddings stored by digest, and the packed form of vectors and terms.

A file's vector is the direction of the sum of its chunks' vectors, a byte for each number.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from central.corpus.models import Embedding
from central.db import execute, id_array, sql_with
from central.repositories.models import Repository
from indexer.records.files import FileRecord, line_span, split_lines
from indexer.records.vectors import (
    FLOAT32,
    UINT32,
    VALUE_BYTES,
    Matrix,
    TermVector,
    Vector,
)

_HIGHEST: Final = 127  # number of a file's vector


def pack_terms(terms: TermVector) -> bytes:
    """Pack ids, then weights."""
    return terms.ids.astype(UINT32).tobytes() + terms.weights.astype(FLOAT32).tobytes()


def unpack_terms(data: bytes) -> TermVector:
    """Read what `pack_terms` packed, without copying."""
    half = len(data) // 2
    return TermVector(
        ids=np.frombuffer(data, UINT32, count=half // VALUE_BYTES),
        weights=np.frombuffer(data, FLOAT32, offset=half),
    )


def unpack_term_ids(data: bytes) -> NDArray[np.uint32]:
    """Read the first half of what `pack_terms` packed: the ids, ascending."""
    return np.frombuffer(data, UINT32)


def term_counts(
    chunks: Sequence[NDArray[np.uint32]],
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the distinct term ids of some chunks, ascending, and the number of chunks of each."""
    ids = np.concatenate(chunks) if chunks else np.empty(0, UINT32)
    return np.unique(ids, return_counts=True)


def pack_vector(vector: Vector) -> bytes:
    """Pack an embedding."""
    return vector.astype(FLOAT32).tobytes()


def unpack_vector(data: bytes) -> Vector:
    """Read what `pack_vector` packed, without copying."""
    return np.frombuffer(data, FLOAT32)


def pack_direction(vector: Vector) -> bytes | None:
    """Return the vector's direction, or None of a zero vector, which has none."""
    most = float(np.abs(vector).max(initial=0.0))
    if not most:
        return None
    packed: bytes = np.rint(vector * (_HIGHEST / most)).astype(np.int8).tobytes()
    return packed


def unpack_directions(packed: Sequence[bytes], dimensions: int) -> Matrix:
    """Return a row of unit length for each of `packed`, which have `dimensions` numbers."""
    rows = np.frombuffer(b"".join(packed), np.int8).reshape(-1, dimensions).astype(np.float32)
    unit: Matrix = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    return unit


def file_vectors(chunks: Iterable[tuple[str, Vector]]) -> dict[str, bytes]:
    """Return the packed vectors of files by path; `chunks` are (path, vector) of all of theirs.

    A file whose chunks cancel each other out has none.
    """
    sums: dict[str, Vector] = {}
    for path, vector in chunks:
        sums[path] = sums[path] + vector if path in sums else vector
    packed = {path: pack_direction(vector) for path, vector in sums.items()}
    return {path: data for path, data in packed.items() if data is not None}


_TOUCHED_EVERY = timedelta(days=1)  # used_at counts weeks; writing it more often is waste
_sql = sql_with(embedding=Embedding)
_USED: Final = _sql("""
            UPDATE {embedding} SET used_at = %s
            WHERE ctid = ANY (ARRAY(
                SELECT e.ctid FROM {embedding} e
                JOIN unnest(%s::bigint[], %s::bytea[]) AS due (repository_id, digest)
                  USING (repository_id, digest)
                WHERE e.embedder = %s
                FOR UPDATE OF e SKIP LOCKED))
            """)
_KEEP: Final = _sql("""
        INSERT INTO {embedding} (repository_id, embedder, digest, vector, used_at)
        SELECT %s::bigint, %s::text, digest, vector, %s::timestamptz
        FROM unnest(%b::bytea[], %b::bytea[]) AS new (digest, vector)
        ON CONFLICT (repository_id, embedder, digest) DO UPDATE
        SET used_at = EXCLUDED.used_at WHERE {embedding}.used_at < %s::timestamptz
        """)


def chunk_texts(record: FileRecord) -> list[str]:
    """Return the text of each chunk."""
    lines = split_lines(record.content)
    return [line_span(lines, chunk.span) for chunk in record.chunks]


def known_digests(
    *, repositories: QuerySet[Repository], embedder: str, digests: Collection[bytes]
) -> set[bytes]:
    """Return those of `digests` for which one of `repositories` holds a vector.

    They are leased: retention keeps them for EMBEDDING_RETENTION_DAYS from now.
    """
    known = {
        bytes(digest)
        for digest in _rows(repositories, embedder, digests).values_list("digest", flat=True)
    }
    _touch(repositories, embedder, known)
    return known


def stored_vectors(
    *, repositories: QuerySet[Repository], embedder: str, digests: Collection[bytes]
) -> dict[bytes, bytes]:
    """Return the packed vectors that `repositories` hold for `digests`."""
    rows = _rows(repositories, embedder, digests).values_list("digest", "vector")
    return {bytes(digest): bytes(vector) for digest, vector in rows}


def _rows(
    repositories: QuerySet[Repository], embedder: str, digests: Collection[bytes]
) -> QuerySet[Embedding]:
    return Embedding.objects.filter(
        repository__in=repositories, embedder=embedder, digest__in=list(digests)
    )


def _touch(repositories: QuerySet[Repository], embedder: str, digests: Collection[bytes]) -> None:
    """Update used_at of rows not used today; rows that another run updates are skipped."""
    now = timezone.now()
    due = _rows(repositories, embedder, digests).filter(used_at__lt=now - _TOUCHED_EVERY)
    keys = list(due.values_list("repository_id", "digest"))
    if keys:
        digests = [bytes(digest) for _, digest in keys]
        execute(_USED, [now, id_array(repository for repository, _ in keys), digests, embedder])


def save_embeddings(*, repository_id: int, embedder: str, vectors: Mapping[bytes, bytes]) -> None:
    """Store packed `vectors` by digest for the repository; a stored one's lease is renewed."""
    now = timezone.now()
    digests = sorted(vectors)  # one order in all runs, so that two cannot deadlock
    execute(
        _KEEP,
        [
            repository_id,
            embedder,
            now,
            digests,
            [vectors[digest] for digest in digests],
            now - _TOUCHED_EVERY,
        ],
    )
