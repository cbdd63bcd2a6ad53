"""Replacing files and all that is derived from them, set by set. Needs a transaction.

A file costs about the same whatever the size of its repository: rows are found by index, and
counters move by what a step removed and added.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection

from central.corpus.embeddings import chunk_texts
from central.corpus.packing import pack_terms, term_counts
from central.corpus.points import point_id
from indexer.lexical import tokenize
from indexer.records import FileRecord, Symbol

_FILE_COLUMNS = {
    "id": "int8",
    "repository_id": "int8",
    "path": "text",
    "mode": "varchar",
    "blob": "varchar",
    "size": "int8",
    "extractor": "varchar",
    "language": "varchar",
    "skipped": "varchar",
    "degraded": "varchar",
    "content": "text",
}
_CHUNK_COLUMNS = {
    "repository_id": "int8",
    "file_id": "int8",
    "ordinal": "int4",
    "start_line": "int4",
    "end_line": "int4",
    "type": "varchar",
    "name": "varchar",
    "container": "varchar",
    "text": "text",
    "digest": "bytea",
    "terms": "bytea",
    "point": "uuid",
}
_SYMBOL_COLUMNS = {
    "repository_id": "int8",
    "file_id": "int8",
    "name": "varchar",
    "qualified_name": "varchar",
    "kind": "varchar",
    "start_line": "int4",
    "end_line": "int4",
    "signature": "varchar",
    "exported": "bool",
    "parts": "text[]",
}


@dataclass(slots=True)
class Change:
    """By how much a replacement moves the repository's counters, and which points it orphans."""

    files: int = 0
    skipped: int = 0
    chunks: int = 0
    symbols: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    terms: Counter[int] = field(default_factory=Counter)
    orphans: list[UUID] = field(default_factory=list)

    def count_files(self, languages: Iterable[tuple[str, str]], sign: int) -> None:
        """Add (`sign` 1) or take away (-1) files, each given as (language, skip reason)."""
        for language, skipped in languages:
            if skipped:
                self.skipped += sign
                continue
            self.files += sign
            if language:
                self.languages[language] += sign

    def count_terms(self, packed: Iterable[bytes], sign: int) -> None:
        """Add or take away the document frequencies of some chunks' packed terms."""
        ids, counts = term_counts(packed)
        self.terms.update(dict(zip(ids.tolist(), (counts * sign).tolist(), strict=True)))


@dataclass(frozen=True, slots=True)
class Origin:
    """Where new rows come from: the run names their points, the extractor made them."""

    repository_id: int
    run_id: UUID
    extractor: str


def remove_files(*, repository_id: int, paths: Sequence[str], change: Change) -> None:
    """Delete the rows of `paths` (those that exist) and what hangs on them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, language, skipped FROM corpus_file"
            " WHERE repository_id = %s AND path = ANY(%s)",
            [repository_id, list(paths)],
        )
        found = cursor.fetchall()
        if not found:
            return
        ids = [row[0] for row in found]
        change.count_files([(language, skipped) for _, language, skipped in found], -1)
        cursor.execute(
            "DELETE FROM corpus_chunk WHERE file_id = ANY(%s) RETURNING point, terms", [ids]
        )
        chunks = cursor.fetchall()
        change.chunks -= len(chunks)
        change.orphans.extend(point for point, _ in chunks)
        change.count_terms([bytes(terms) for _, terms in chunks], -1)
        cursor.execute("DELETE FROM corpus_symbol WHERE file_id = ANY(%s)", [ids])
        change.symbols -= cursor.rowcount
        cursor.execute("DELETE FROM corpus_file WHERE id = ANY(%s)", [ids])


def insert_files(*, origin: Origin, records: Sequence[FileRecord], change: Change) -> None:
    """Insert rows for `records`, of whose paths there are none in the repository."""
    ids = _new_file_ids(len(records))
    owned = list(zip(ids, records, strict=True))
    _copy("corpus_file", _FILE_COLUMNS, [_file_row(origin, *pair) for pair in owned])
    change.count_files([(record.language, record.skipped or "") for record in records], 1)

    chunks = [row for pair in owned for row in _chunk_rows(origin, *pair)]
    _copy("corpus_chunk", _CHUNK_COLUMNS, chunks)
    change.chunks += len(chunks)
    change.count_terms([row[10] for row in chunks], 1)

    symbols = [
        _symbol_row(origin, file_id, symbol)
        for file_id, record in owned
        for symbol in record.symbols
    ]
    _copy("corpus_symbol", _SYMBOL_COLUMNS, symbols)
    change.symbols += len(symbols)


def _new_file_ids(count: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence('corpus_file', 'id'))"
            " FROM generate_series(1, %s)",
            [count],
        )
        return [row[0] for row in cursor.fetchall()]


def _file_row(origin: Origin, file_id: int, record: FileRecord) -> tuple[Any, ...]:
    return (
        file_id,
        origin.repository_id,
        record.path,
        record.mode,
        record.blob,
        record.size,
        origin.extractor,
        record.language,
        record.skipped or "",
        record.degraded or "",
        record.content,
    )


def _chunk_rows(origin: Origin, file_id: int, record: FileRecord) -> Iterator[tuple[Any, ...]]:
    texts = chunk_texts(record)
    for ordinal, (chunk, (text, digest)) in enumerate(zip(record.chunks, texts, strict=True)):
        yield (
            origin.repository_id,
            file_id,
            ordinal,
            *chunk.span,
            chunk.type,
            chunk.name,
            chunk.container,
            text,
            digest,
            pack_terms(chunk.terms),
            point_id(origin.run_id, record.path, ordinal),
        )


def _symbol_row(origin: Origin, file_id: int, symbol: Symbol) -> tuple[Any, ...]:
    return (
        origin.repository_id,
        file_id,
        symbol.name,
        symbol.qualified_name,
        symbol.kind,
        *symbol.span,
        symbol.signature,
        symbol.exported,
        tokenize(symbol.name),
    )


def _copy(table: str, columns: dict[str, str], rows: Sequence[tuple[Any, ...]]) -> None:
    """COPY in PostgreSQL's binary format: bytes and UUIDs travel as they are."""
    if not rows:
        return
    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(list(columns.values()))
        for row in rows:
            copy.write_row(row)
