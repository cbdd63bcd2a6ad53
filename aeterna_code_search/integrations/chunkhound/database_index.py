"""The index of a ChunkHound database, searched by similarity of embeddings.

Lines around results are of the project's source files; never of files outside of the project.
"""

import os
import stat
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from aeterna_code_search.integrations.chunkhound.database import (
    THREADS,
    Database,
    database_file,
    open_database,
)
from aeterna_code_search.integrations.chunkhound.database_queries import (
    COUNT_CHUNKS,
    COUNT_EMBEDDINGS,
    EMBEDDINGS,
    HAS_EMBEDDINGS,
    MODELS,
    MODELS_NAMED,
    VECTOR,
    Columns,
    count_files,
    count_languages,
    cut_embeddings,
    describe_chunks,
    rank_chunks,
)
from aeterna_code_search.integrations.chunkhound.embedding import SPEC
from aeterna_code_search.integrations.chunkhound.errors import DatabaseError, DatabaseMismatchError
from aeterna_code_search.integrations.chunkhound.records import (
    CHUNKHOUND_CONTENT_CHARACTERS,
    CHUNKHOUND_EXPANDED_CHARACTERS,
    Backend,
    IndexStatus,
    SearchRequest,
    SearchResult,
    Target,
)
from indexer.decoding import Decoded, decode_text
from indexer.output.terminal import escape_line
from indexer.records.files import LABEL_CHARACTERS

CHUNKHOUND_SOURCE_BYTES: Final = 4_194_304
Embed = Callable[[Sequence[str]], list[list[float]]]

_usable: Final = deque[tuple[str, int, int, int]](
    maxlen=32
)  # states of files that passed the checks
_REQUIRED: Final = {
    "files": ("id", "path"),
    "chunks": ("id", "file_id", "chunk_type", "code", "start_line", "end_line"),
    EMBEDDINGS: ("chunk_id", "provider", "model", "embedding"),
}
_NUMBERS: Final = ("id", "file_id", "chunk_id")
_NUMBER_TYPES: Final = frozenset({"INTEGER", "BIGINT", "UINTEGER", "UBIGINT"})


class DatabaseIndex:
    """A ChunkHound database. `embed` embeds queries with one request."""

    backend = Backend.CHUNKHOUND

    def __init__(self, target: Target, embed: Embed) -> None:
        self._target = target
        self._embed = embed

    @property
    def location(self) -> str:
        """The path of the file."""
        return str(self._target.database)

    def search(self, request: SearchRequest) -> list[list[SearchResult]]:
        """Return the best chunks of each query. Raises CodeSearchError."""
        self._check_unpaid()
        vectors = self._embed(request.queries)
        with open_database(self._target) as database:
            ranked = self._ranked(database, self._checked_tables(database), vectors, request)
        if not request.expand:
            return ranked
        root, lines = self._target.root, request.expand
        return [[_expanded(root, result, lines) for result in results] for results in ranked]

    def status(self) -> IndexStatus:
        """Return counts, without files that ChunkHound skipped. Raises CodeSearchError."""
        with open_database(self._target) as database:
            columns = self._check_tables(database)
            has_embeddings = EMBEDDINGS in columns
            return IndexStatus(
                project=str(self._target.root),
                backend=self.backend,
                database=self.location,
                files=_number(database, count_files(columns)),
                chunks=_number(database, COUNT_CHUNKS),
                embeddings=_number(database, COUNT_EMBEDDINGS) if has_embeddings else 0,
                languages=dict(database.rows(count_languages(columns))),
            )

    def _check_unpaid(self) -> None:
        """Check the database before its queries are embedded at a cost.

        A file that has not changed since its last check is not opened again.
        """
        status = database_file(self._target).stat()
        state = (self.location, status.st_ino, status.st_size, status.st_mtime_ns)
        if state in _usable:
            return
        with open_database(self._target) as database:
            self._checked_tables(database)
        _usable.append(state)

    def _checked_tables(self, database: Database) -> Columns:
        columns = self._check_tables(database)
        self._check_embeddings(database, columns)
        return columns

    def _check_tables(self, database: Database) -> Columns:
        """Return the columns of each table. Raises DatabaseError if one is missing."""
        columns = database.columns()
        for table in ("files", "chunks"):
            if table not in columns:
                raise DatabaseError(self._mismatch_text(f"has no table '{table}'"))
        for table in (name for name in _REQUIRED if name in columns):
            if missing := sorted(set(_REQUIRED[table]).difference(columns[table])):
                raise DatabaseError(
                    self._mismatch_text(f"has no {', '.join(missing)} in '{table}'")
                )
            for column in _NUMBERS:
                if columns[table].get(column, "BIGINT") not in _NUMBER_TYPES:
                    raise DatabaseError(
                        self._mismatch_text(f"has no numbers as {column} in '{table}'")
                    )
        return columns

    def _check_embeddings(self, database: Database, columns: Columns) -> None:
        """Raise DatabaseMismatchError unless there are embeddings of the queries' model."""
        if EMBEDDINGS not in columns:
            others = sorted(name for name in columns if name.startswith("embeddings_"))
            named = ", ".join(
                escape_line(name[:LABEL_CHARACTERS]) for name in others[:MODELS_NAMED]
            )
            has = f"has only {named}" if others else "has no embeddings"
            raise DatabaseMismatchError(self._mismatch_text(has))
        if columns[EMBEDDINGS]["embedding"] != VECTOR:
            raise DatabaseMismatchError(self._mismatch_text(f"has no {VECTOR} in '{EMBEDDINGS}'"))
        if database.rows(HAS_EMBEDDINGS):
            return
        models = ", ".join(escape_line(str(name)) for (name,) in database.rows(MODELS))
        has = f"has only embeddings of {models}" if models else "has no embeddings"
        raise DatabaseMismatchError(self._mismatch_text(has))

    def _mismatch_text(self, problem: str) -> str:
        return (
            f"{self.location} {problem}. It needs embeddings of {SPEC.provider} {SPEC.model} with "
            f"{SPEC.dimensions} dimensions. Run: chunkhound index {self._target.root}"
        )

    def _ranked(
        self,
        database: Database,
        columns: Columns,
        vectors: Sequence[Sequence[float]],
        request: SearchRequest,
    ) -> list[list[SearchResult]]:
        parts = cut_embeddings(_number(database, COUNT_EMBEDDINGS), THREADS)
        filters, limit = request.filters, request.limit
        rows = database.parallel_rows(
            [rank_chunks(columns, vectors, filters, limit=limit, part=part) for part in parts]
        )
        best: list[dict[int, float]] = [{} for _ in vectors]
        for number, chunk, score in rows:
            best[number][chunk] = max(score, best[number].get(chunk, score))
        ranked = [
            sorted(scores.items(), key=lambda score: (-score[1], score[0]))[:limit]
            for scores in best
        ]
        chunks = sorted({chunk for scores in ranked for chunk, _ in scores})
        if not chunks:
            return [[] for _ in vectors]
        characters = (
            CHUNKHOUND_EXPANDED_CHARACTERS if request.expand else CHUNKHOUND_CONTENT_CHARACTERS
        )
        details = describe_chunks(columns, characters=characters, count=len(chunks))
        by_id = {row[0]: row[1:] for row in database.rows(details, chunks)}
        return [
            [_result(by_id[chunk], score, query, characters) for chunk, score in scores]
            for query, scores in zip(request.queries, ranked, strict=True)
        ]


def _number(database: Database, sql: str) -> int:
    return int(database.rows(sql)[0][0])


def _result(row: tuple[Any, ...], score: float, query: str, characters: int) -> SearchResult:
    file, name, chunk_type, language, start, end, code = row
    if start is None or end is None or not 1 <= start <= end:
        start = end = None
    return SearchResult(
        file=file,
        name=name,
        chunk_type=chunk_type,
        language=language,
        start_line=start,
        end_line=end,
        score=round(score, 4),
        content=code[:characters],
        content_start_line=start,
        content_end_line=end,
        truncated=len(code) > characters,
        matched_query=query,
    )


def _expanded(root: Path, result: SearchResult, lines: int) -> SearchResult:
    """Add `lines` before and after a result from the current content of its file.

    The result is unchanged if the file cannot be read, is outside of the project, or no longer has
    these lines.
    """
    first, last = result.start_line, result.end_line
    if first is None or last is None or not 1 <= first <= last:
        return result
    content = read_source(root, result.file)
    if content is None:
        return result
    file_lines = content.removesuffix("\n").split("\n")
    if first > len(file_lines):
        return result
    start, end = max(1, first - lines), min(len(file_lines), last + lines)
    text = "\n".join(file_lines[start - 1 : end])
    return replace(
        result,
        content=text[:CHUNKHOUND_EXPANDED_CHARACTERS],
        truncated=len(text) > CHUNKHOUND_EXPANDED_CHARACTERS,
        content_start_line=start,
        content_end_line=end,
    )


def read_source(root: Path, name: str) -> str | None:
    """Read a regular file whose resolved path is below `root`; None for other files."""
    try:
        top = root.resolve(strict=True)
        path = (top / name).resolve(strict=True)
        if not path.is_relative_to(top):
            return None
        with open(path, "rb", opener=_open_without_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > CHUNKHOUND_SOURCE_BYTES:
                return None
            content = file.read(CHUNKHOUND_SOURCE_BYTES + 1)
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a loop of links
        return None
    if len(content) > CHUNKHOUND_SOURCE_BYTES:
        return None
    decoded = decode_text(name, content)
    return decoded.text if isinstance(decoded, Decoded) else content.decode("utf-8", "replace")


def _open_without_waiting(path: str, flags: int) -> int:
    """Open without waiting for a pipe or following a link that appeared meanwhile."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
