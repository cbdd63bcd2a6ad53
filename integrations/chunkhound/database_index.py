"""The index that ChunkHound wrote: similarity of its embeddings to those of the queries."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from indexer.limits import (
    CHUNKHOUND_CONTENT_CHARACTERS,
    CHUNKHOUND_DATABASE_LANGUAGES,
    CHUNKHOUND_EXPANDED_CHARACTERS,
    LABEL_CHARACTERS,
    NAME_CHARACTERS,
    PATH_BYTES,
)
from integrations.chunkhound.database import THREADS, Database, open_database
from integrations.chunkhound.embedding import SPEC
from integrations.chunkhound.errors import DatabaseError, DatabaseMismatchError
from integrations.chunkhound.records import (
    Backend,
    ChunkType,
    Filters,
    IndexStatus,
    SearchRequest,
    SearchResult,
    Target,
)
from integrations.chunkhound.source import expand_result

Embed = Callable[[Sequence[str]], list[list[float]]]
Columns = Mapping[str, Mapping[str, str]]

EMBEDDINGS: Final = f"embeddings_{SPEC.dimensions}"
_VECTOR: Final = f"FLOAT[{SPEC.dimensions}]"
_REQUIRED: Final = {
    "files": ("id", "path"),
    "chunks": ("id", "file_id", "chunk_type", "code", "start_line", "end_line"),
}
_REQUIRED_OF_EMBEDDINGS: Final = ("chunk_id", "provider", "model", "embedding")
_OF_MODEL: Final = "e.provider = 'openai' AND e.model = 'text-embedding-3-small'"
_MODELS_NAMED: Final = 5


class DatabaseIndex:
    """A ChunkHound database. `embed` makes vectors of queries, by one request."""

    backend = Backend.CHUNKHOUND

    def __init__(self, target: Target, embed: Embed) -> None:
        self._target = target
        self._embed = embed

    @property
    def location(self) -> str:
        """The file."""
        return str(self._target.database)

    def search(self, request: SearchRequest) -> list[list[SearchResult]]:
        """For each query its best chunks. Raises CodeSearchError."""
        with open_database(self._target) as database:  # before a query is paid for
            self._check_embeddings(database, self._check_tables(database))
        vectors = self._embed(request.queries)
        with open_database(self._target) as database:
            columns = self._check_tables(database)
            found = [
                self._ranked(database, columns, query, vector, request)
                for query, vector in zip(request.queries, vectors, strict=True)
            ]
        if not request.expand:
            return found
        root, lines = self._target.root, request.expand
        return [[expand_result(root, one, lines) for one in results] for results in found]

    def status(self) -> IndexStatus:
        """Counts; files that ChunkHound skipped are none. Raises CodeSearchError."""
        with open_database(self._target) as database:
            columns = self._check_tables(database)
            indexed = _indexed(columns["files"])
            files, chunks = database.rows(
                f"SELECT (SELECT count(*) FROM project.main.files AS f WHERE {indexed}), "
                "(SELECT count(*) FROM project.main.chunks)"
            )[0]
            embeddings = (
                database.rows(f"SELECT count(*) FROM project.main.{EMBEDDINGS}")[0][0]
                if EMBEDDINGS in columns
                else 0
            )
            return IndexStatus(
                project=str(self._target.root),
                backend=self.backend,
                database=self.location,
                files=files,
                chunks=chunks,
                embeddings=embeddings,
                languages=_languages(database, columns["files"]),
            )

    def _check_tables(self, database: Database) -> Columns:
        """The columns of each table. Raises DatabaseError if it is no ChunkHound database."""
        columns = database.columns()
        for table, names in _REQUIRED.items():
            if table not in columns:
                raise DatabaseError(self._again(f"has no table '{table}'"))
            if missing := set(names).difference(columns[table]):
                lacking = ", ".join(sorted(missing))
                raise DatabaseError(self._again(f"has no column {lacking} in '{table}'"))
        return columns

    def _check_embeddings(self, database: Database, columns: Columns) -> None:
        """Raises DatabaseMismatchError unless there are embeddings of the queries' model."""
        table = columns.get(EMBEDDINGS)
        if table is None:
            others = [name for name in columns if name.startswith("embeddings_")]
            has = f"has {', '.join(sorted(others)[:_MODELS_NAMED])} only" if others else "has none"
            raise DatabaseMismatchError(self._again(f"{has}, and no table '{EMBEDDINGS}'"))
        if missing := set(_REQUIRED_OF_EMBEDDINGS).difference(table):
            lacking = ", ".join(sorted(missing))
            raise DatabaseError(self._again(f"has no column {lacking} in '{EMBEDDINGS}'"))
        if table["embedding"] != _VECTOR:
            raise DatabaseMismatchError(
                self._again(f"has embeddings that are no {_VECTOR} in '{EMBEDDINGS}'")
            )
        if database.rows(f"SELECT 1 FROM project.main.{EMBEDDINGS} AS e WHERE {_OF_MODEL} LIMIT 1"):
            return
        models = database.rows(
            f"SELECT DISTINCT left(provider || ' ' || model, {NAME_CHARACTERS}) "
            f"FROM project.main.{EMBEDDINGS} ORDER BY 1 LIMIT {_MODELS_NAMED}"
        )
        names = ", ".join(str(name) for (name,) in models)
        raise DatabaseMismatchError(
            self._again(f"has embeddings of {names} only" if names else "has no embeddings")
        )

    def _again(self, problem: str) -> str:
        return (
            f"{self.location} {problem}. Needed are those of {SPEC.provider} {SPEC.model} with "
            f"{SPEC.dimensions} dimensions. Run: chunkhound index {self._target.root}"
        )

    def _ranked(
        self,
        database: Database,
        columns: Columns,
        query: str,
        vector: Sequence[float],
        request: SearchRequest,
    ) -> list[SearchResult]:
        sql, parameters = _ranking(columns["files"], vector, request.filters, _cuts(database))
        scores = dict(database.rows(sql, [*parameters, request.limit]))
        if not scores:
            return []
        characters = (
            CHUNKHOUND_EXPANDED_CHARACTERS if request.expand else CHUNKHOUND_CONTENT_CHARACTERS
        )
        rows = database.rows(_details(columns, characters, len(scores)), list(scores))
        by_id = {row[0]: row[1:] for row in rows}
        return [
            _result(by_id[chunk], score, query, characters)
            for chunk, score in scores.items()
            if chunk in by_id
        ]


def _cuts(database: Database) -> list[str]:
    """Conditions that cut the embeddings into parts for DuckDB's threads.

    It reads 122,880 rows by one thread, which takes most of the time of a search.
    """
    (count,) = database.rows(f"SELECT count(*) FROM project.main.{EMBEDDINGS}")[0]
    step = math.ceil(count / THREADS) or 1
    cuts = [f"e.rowid >= {part * step}" for part in range(THREADS)]
    return [f"{cut} AND e.rowid < {(part + 1) * step}" for part, cut in enumerate(cuts[:-1])] + [
        cuts[-1]
    ]


def _ranking(
    files: Mapping[str, str], vector: Sequence[float], filters: Filters, cuts: Sequence[str]
) -> tuple[str, list[object]]:
    """Chunk and similarity, best first; the last parameter is how many.

    The vector is written out: as a parameter DuckDB would convert it once for each row.
    """
    literal = f"[{','.join(repr(float(value)) for value in vector)}]::{_VECTOR}"
    scored = " UNION ALL ".join(
        f"SELECT e.chunk_id, array_cosine_similarity(e.embedding, {literal}) AS similarity "
        f"FROM project.main.{EMBEDDINGS} AS e WHERE {_OF_MODEL} AND {cut}"
        for cut in cuts
    )
    conditions, parameters = _conditions(files, filters)
    return (
        f"SELECT c.id, max(s.similarity) AS best FROM ({scored}) AS s "
        "JOIN project.main.chunks AS c ON c.id = s.chunk_id "
        "JOIN project.main.files AS f ON f.id = c.file_id "
        f"WHERE isfinite(s.similarity) AND {conditions} "
        "GROUP BY c.id ORDER BY best DESC, c.id LIMIT ?",
        parameters,
    )


def _conditions(files: Mapping[str, str], filters: Filters) -> tuple[str, list[object]]:
    conditions, parameters = [_indexed(files)], list[object]()
    if filters.language:
        language = "lower(f.language)" if "language" in files else "''"
        conditions.append(f"{language} = lower(?)")
        parameters.append(filters.language)
    if filters.chunk_type:
        conditions.append("lower(c.chunk_type) IN (SELECT unnest(?::VARCHAR[]))")
        parameters.append(_stored_types(filters.chunk_type))
    for part in filters.excluded:
        conditions.append("NOT contains(lower(f.path), ?)")
        parameters.append(part)
    return " AND ".join(conditions), parameters


def _stored_types(chunk_type: ChunkType) -> list[str]:
    """ChunkHound has a kind of its own for the docstrings among comments."""
    return ["comment", "docstring"] if chunk_type is ChunkType.COMMENT else [str(chunk_type)]


def _indexed(files: Mapping[str, str]) -> str:
    """Of files: that ChunkHound did not skip it; older versions keep no row of one."""
    return "f.skip_reason IS NULL" if "skip_reason" in files else "TRUE"


def _details(columns: Columns, characters: int, count: int) -> str:
    """What is shown of chunks; no more of a text is read than that."""
    symbol = "c.symbol" if "symbol" in columns["chunks"] else "''"
    known = [
        f"{alias}.language"
        for alias, table in (("f", "files"), ("c", "chunks"))
        if "language" in columns[table]
    ]
    language = f"coalesce({', '.join([*known, repr('')])})"
    return (
        f"SELECT c.id, left(coalesce(f.path, ''), {PATH_BYTES}),"
        f" left(coalesce({symbol}, ''), {NAME_CHARACTERS}),"
        f" left(coalesce(c.chunk_type, ''), {LABEL_CHARACTERS}),"
        f" left({language}, {LABEL_CHARACTERS}),"
        " try_cast(c.start_line AS INTEGER), try_cast(c.end_line AS INTEGER),"
        f" left(coalesce(c.code, ''), {characters + 1}) FROM project.main.chunks AS c "
        "JOIN project.main.files AS f ON f.id = c.file_id "
        f"WHERE c.id IN ({', '.join('?' * count)})"
    )


def _result(row: tuple[Any, ...], score: float, query: str, characters: int) -> SearchResult:
    file, name, chunk_type, language, start, end, code = row
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


def _languages(database: Database, files: Mapping[str, str]) -> dict[str, int]:
    if "language" not in files:
        return {}
    return dict(
        database.rows(
            f"SELECT left(coalesce(f.language, 'unknown'), {LABEL_CHARACTERS}) AS name, count(*) "
            f"FROM project.main.files AS f WHERE {_indexed(files)} "
            f"GROUP BY name ORDER BY count(*) DESC, name LIMIT {CHUNKHOUND_DATABASE_LANGUAGES}"
        )
    )
