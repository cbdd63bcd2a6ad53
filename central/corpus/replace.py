"""Replacement of a repository's files by a run, with its term statistics."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import Model

from central.corpus import rows
from central.corpus.embeddings import term_counts
from central.corpus.file_vectors import FileVectors
from central.corpus.models import (
    Chunk,
    Export,
    File,
    Import,
    Manifest,
    Module,
    Reference,
    Symbol,
    TermStat,
)
from central.corpus.packages import ModuleFile
from central.corpus.rows import RunContext
from central.db import Copy, Row, copy_rows, new_ids, sql, sql_with
from indexer.records.files import FileRecord

_Maker = Callable[[RunContext, int, FileRecord], Iterator[Row]]

_sql = sql_with(file=File, chunk=Chunk, term_stat=TermStat)
_FOUND: Final = _sql(
    "SELECT id, language, skipped FROM {file} WHERE repository_id = %s AND path = ANY(%s)"
)
_DELETE_CHUNKS: Final = _sql("DELETE FROM {chunk} WHERE file_id = ANY(%s) RETURNING point, terms")
_OF_FILES: Final[dict[type[Model], str]] = {
    model: sql("DELETE FROM {table} WHERE file_id = ANY(%s)", table=model)
    for model in (Symbol, Reference, Manifest, Import, Export, Module)
}
_DELETE_FILES: Final = _sql("DELETE FROM {file} WHERE id = ANY(%s)")
_MOVE_TERMS: Final = _sql("""
                INSERT INTO {term_stat} (repository_id, term, chunks)
                SELECT %s, term, difference
                FROM unnest(%s::bigint[], %s::int[]) AS moved (term, difference)
                ON CONFLICT (repository_id, term) DO UPDATE
                SET chunks = {term_stat}.chunks + EXCLUDED.chunks
                """)
_DELETE_TERMS: Final = _sql(
    "DELETE FROM {term_stat} WHERE repository_id = %s AND term = ANY(%s) AND chunks <= 0"
)


@dataclass(slots=True)
class CorpusDelta:
    """The differences that a replacement makes to the repository's counters, and its leftovers.

    `orphans` are points of deleted chunks. `manifests` is true if one was added or deleted.
    """

    files: int = 0
    skipped: int = 0
    chunks: int = 0
    symbols: int = 0
    references: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    terms: Counter[int] = field(default_factory=Counter)
    orphans: list[UUID] = field(default_factory=list)
    manifests: bool = False
    inserted: list[ModuleFile] = field(default_factory=list)

    def count_files(self, languages: Iterable[tuple[str, str]], sign: int) -> None:
        """Add (`sign` 1) or subtract (-1) files, each given as (language, skip reason)."""
        for language, skipped in languages:
            if skipped:
                self.skipped += sign
                continue
            self.files += sign
            if language:
                self.languages[language] += sign

    def count_terms(self, packed: Iterable[bytes], sign: int) -> None:
        """Add or subtract the document frequencies of some chunks' packed terms."""
        ids, counts = term_counts(packed)
        self.terms.update(dict(zip(ids.tolist(), (counts * sign).tolist(), strict=True)))


def remove_files(*, repository_id: int, paths: Sequence[str], delta: CorpusDelta) -> None:
    """Delete the rows of `paths`, where they exist, with their dependent rows."""
    with connection.cursor() as cursor:
        cursor.execute(_FOUND, [repository_id, list(paths)])
        found = cursor.fetchall()
        if not found:
            return
        ids = [row[0] for row in found]
        delta.count_files([(language, skipped) for _, language, skipped in found], -1)
        cursor.execute(_DELETE_CHUNKS, [ids])
        chunks = cursor.fetchall()
        delta.chunks -= len(chunks)
        delta.orphans.extend(point for point, _ in chunks)
        delta.count_terms([bytes(terms) for _, terms in chunks], -1)
    delta.symbols -= _deleted(_OF_FILES[Symbol], ids)
    delta.references -= _deleted(_OF_FILES[Reference], ids)
    delta.manifests |= _deleted(_OF_FILES[Manifest], ids) > 0
    for model in (Import, Export, Module):
        _deleted(_OF_FILES[model], ids)
    _deleted(_DELETE_FILES, ids)


def _deleted(statement: str, ids: list[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, [ids])
        return int(cursor.rowcount)


def insert_files(
    *,
    context: RunContext,
    records: Sequence[FileRecord],
    vectors: FileVectors,
    delta: CorpusDelta,
) -> None:
    """Insert rows for `records`, whose paths must not exist in the repository."""
    owned = list(zip(new_ids(File, len(records)), records, strict=True))
    copy_rows(
        rows.FILE_COPY,
        [
            rows.file_row(context, file_id, record, vectors.of(record.path))
            for file_id, record in owned
        ],
    )
    delta.count_files([(record.language, record.skipped or "") for record in records], 1)
    delta.inserted.extend(
        ModuleFile(file_id, record.path, record.language, record.namespace)
        for file_id, record in owned
        if not record.skipped
    )

    def copy(into: Copy, make: _Maker) -> list[Row]:
        made = [row for pair in owned for row in make(context, *pair)]
        copy_rows(into, made)
        return made

    chunks = copy(rows.CHUNK_COPY, rows.chunk_rows)
    delta.chunks += len(chunks)
    delta.count_terms([row[10] for row in chunks], 1)
    delta.symbols += len(copy(rows.SYMBOL_COPY, rows.symbol_rows))
    delta.references += len(copy(rows.REFERENCE_COPY, rows.reference_rows))
    delta.manifests |= bool(copy(rows.MANIFEST_COPY, rows.manifest_rows))
    copy(rows.IMPORT_COPY, rows.import_rows)
    copy(rows.EXPORT_COPY, rows.export_rows)


_SLICE = 10_000  # terms a statement: its text is made while the interpreter is held


def update_term_stats(*, repository_id: int, differences: Mapping[int, int]) -> None:
    """Add `differences` (by term) to the repository's counts; a count of zero has no row."""
    terms = sorted(term for term, difference in differences.items() if difference)
    with connection.cursor() as cursor:
        for start in range(0, len(terms), _SLICE):
            part = terms[start : start + _SLICE]
            cursor.execute(
                _MOVE_TERMS,
                [repository_id, part, [differences[term] for term in part]],
            )
        cursor.execute(
            _DELETE_TERMS,
            [repository_id, [term for term in terms if differences[term] < 0]],
        )
