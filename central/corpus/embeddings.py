"""Vectors kept under the digest of what was embedded, so that nothing is embedded twice."""

from collections.abc import Collection, Mapping
from datetime import timedelta

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from central.common.statements import execute
from central.corpus.models import Embedding
from central.corpus.packing import pack_vector, unpack_vector
from central.repositories.models import Repository
from indexer.records.files import FileRecord, line_span, split_lines
from indexer.records.vectors import Vector, embedder_input, embedding_digest

_TOUCHED_EVERY = timedelta(days=1)  # used_at counts weeks; writing it more often is waste


def chunk_texts(record: FileRecord) -> list[tuple[str, bytes]]:
    """Of each chunk of a file: its text and the digest of what is embedded for it."""
    lines = split_lines(record.content)
    texts = [line_span(lines, chunk.span) for chunk in record.chunks]
    return [
        (
            text,
            embedding_digest(
                embedder_input(path=record.path, container=chunk.container, text=text)
            ),
        )
        for chunk, text in zip(record.chunks, texts, strict=True)
    ]


def known_digests(
    *, repositories: QuerySet[Repository], embedder: str, digests: Collection[bytes]
) -> set[bytes]:
    """Those of `digests` for which one of `repositories` holds a vector.

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
) -> dict[bytes, Vector]:
    """The vectors that `repositories` hold for `digests`."""
    rows = _rows(repositories, embedder, digests).values_list("digest", "vector")
    return {bytes(digest): unpack_vector(bytes(vector)) for digest, vector in rows}


def _rows(
    repositories: QuerySet[Repository], embedder: str, digests: Collection[bytes]
) -> QuerySet[Embedding]:
    return Embedding.objects.filter(
        repository__in=repositories, embedder=embedder, digest__in=list(digests)
    )


def _touch(repositories: QuerySet[Repository], embedder: str, digests: Collection[bytes]) -> None:
    """Move used_at of rows that were not used today; a row that another run moves is left to it."""
    now = timezone.now()
    due = _rows(repositories, embedder, digests).filter(used_at__lt=now - _TOUCHED_EVERY)
    keys = list(due.values_list("repository_id", "digest"))
    if not keys:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE corpus_embedding SET used_at = %s
            WHERE ctid = ANY (ARRAY(
                SELECT e.ctid FROM corpus_embedding e
                JOIN unnest(%s::bigint[], %s::bytea[]) AS due (repository_id, digest)
                  USING (repository_id, digest)
                WHERE e.embedder = %s
                FOR UPDATE OF e SKIP LOCKED))
            """,
            [now, [key[0] for key in keys], [bytes(key[1]) for key in keys], embedder],
        )


def save_embeddings(*, repository_id: int, embedder: str, vectors: Mapping[bytes, Vector]) -> None:
    """Keep `vectors` (by digest) for the repository; one that is there already is leased anew."""
    now = timezone.now()
    digests = sorted(vectors)  # one order for everybody, so that two runs cannot deadlock
    execute(
        """
        INSERT INTO corpus_embedding (repository_id, embedder, digest, vector, used_at)
        SELECT %s::bigint, %s::text, digest, vector, %s::timestamptz
        FROM unnest(%s::bytea[], %s::bytea[]) AS new (digest, vector)
        ON CONFLICT (repository_id, embedder, digest) DO UPDATE
        SET used_at = EXCLUDED.used_at WHERE corpus_embedding.used_at < %s::timestamptz
        """,
        [
            repository_id,
            embedder,
            now,
            digests,
            [pack_vector(vectors[digest]) for digest in digests],
            now - _TOUCHED_EVERY,
        ],
    )
