"""The index of a ChunkHound database, searched by similarity of embeddings."""

from collections import deque
from collections.abc import Callable, Sequence
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
    Backend,
    IndexStatus,
    SearchRequest,
    SearchResult,
    Target,
)
from aeterna_code_search.integrations.chunkhound.source import (
    CHUNKHOUND_EXPANDED_CHARACTERS,
    expand_result,
)
from indexer.output.terminal import escape_line
from indexer.records.files import LABEL_CHARACTERS

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
        return [[expand_result(root, result, lines) for result in results] for results in ranked]

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
