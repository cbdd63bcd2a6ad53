"""Database rows that a search reads: live chunks, symbols, paths and displayed texts.

Rows are plain tuples and statements take arrays: a search reads hundreds of rows, and building
model instances or IN lists of that length costs more than the query.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from central.corpus.models import Chunk, File, Symbol
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, like_pattern, sql_with
from central.repositories.models import Repository
from central.search.filters import RowFilter
from central.search.query import ParsedQuery, casefolded, name_parts

NAMED_FILES: Final = 2_000  # matching files: the vector store gets their paths
FILES_LOOKED_AT: Final = 20_000  # examined for them: many repositories may share few paths
SYMBOL_ROWS = 500
# Files by whose name re-exports are expected, for Python and PostgreSQL; one with a symbol of
# another kind has code of its own.
REEXPORT_PATH = r"(^|/)(__init__\.py|index\.[cm]?[jt]sx?|mod\.rs|package-info\.java|doc\.go)$"
REEXPORT_KINDS = ("constant", "module", "property", "type")
LEXEME_CHARACTERS = 64  # no part of a name is longer; PostgreSQL takes 2,046 bytes


class LiveChunk(NamedTuple):
    """A chunk's row without its text; corpus.embeddings.unpack_term_ids reads `term_ids`.

    `is_reexport`: its file only imports and exports, by its name and for want of other symbols.
    `file_vector` is packed (corpus.embeddings); None of a file without.
    """

    id: int
    point: UUID
    repository: int
    path: str
    language: str
    start_line: int
    end_line: int
    type: str
    name: str
    container: str
    term_ids: bytes
    is_reexport: bool
    file_vector: bytes | None = None


class Definition(NamedTuple):
    """A symbol that a chunk defines. `is_minor`: it is not exported, or it is an overload."""

    name: str
    is_minor: bool


class DisplayedText(NamedTuple):
    """A chunk's text; `content` is that of its file, empty unless requested.

    `first_line` is the first line of the definition that the chunk is named after, 0 for none.
    """

    text: str
    content: str
    first_line: int = 0


class DisplayedRows(NamedTuple):
    """Texts by chunk id, without deleted chunks; generations by repository id."""

    texts: dict[int, DisplayedText]
    generations: dict[int, int]


_CHUNK = """c.id, c.point, c.repository_id, f.path, f.language, c.start_line, c.end_line,
    c.type, c.name, c.container, substr(c.terms, 1, length(c.terms) / 2),
    f.path ~ '{path}' AND NOT EXISTS (
        SELECT FROM {symbol} own WHERE own.file_id = c.file_id AND own.kind NOT IN ({kinds})
    ), f.vector"""
_sql = sql_with(
    columns=_CHUNK,
    path=REEXPORT_PATH,
    kinds=", ".join(f"'{kind}'" for kind in REEXPORT_KINDS),
    chunk=Chunk,
    file=File,
    symbol=Symbol,
    repository=Repository,
)
_LIVE = _sql("""SELECT {columns} FROM {chunk} c JOIN {file} f ON f.id = c.file_id
    WHERE c.point = ANY(%s::uuid[]) AND c.repository_id = ANY(%s::bigint[])""")
# The narrowest chunk that holds a definition's first line, the one with its name before others.
# An overload is shorter than the implementation beside it.
_DEFINING = _sql("""SELECT DISTINCT ON (s.id) s.name,
        NOT s.exported OR s.end_line - s.start_line
            < max(s.end_line - s.start_line) OVER (PARTITION BY s.file_id, s.qualified_name),
        {columns}
    FROM {symbol} s
    JOIN {chunk} c ON c.file_id = s.file_id
        AND c.start_line <= s.start_line AND c.end_line >= s.start_line
    JOIN {file} f ON f.id = s.file_id
    WHERE s.id = ANY(%s::bigint[])
    ORDER BY s.id, c.name = s.name DESC, c.end_line - c.start_line, c.ordinal""")
# Symbols of generated files have no chunk: none of them counts for the limit.
_NAMED = _sql("""SELECT s.id FROM {symbol} s
    CROSS JOIN LATERAL (SELECT generated FROM {file} WHERE id = s.file_id OFFSET 0) AS f
    WHERE s.name = ANY(%s::text[]) AND s.repository_id = ANY(%s::bigint[]) AND f.generated = ''
    LIMIT %s""")
# One look by key for each definition, whatever the planner takes to be rare: where it guessed that
# one file is left, a plain join read all files for each definition (20 s at 50,000 definitions).
_MATCHING = _sql("""SELECT s.id FROM {symbol} s
    CROSS JOIN LATERAL (SELECT path, language, generated FROM {file}
        WHERE id = s.file_id OFFSET 0) AS f
    WHERE s.repository_id = ANY(%s::bigint[]) AND array_to_tsvector(s.parts) @@ %s::tsquery
        AND f.generated = ''
        AND starts_with(f.path, %s::text) AND (%s::text = '' OR f.language = %s::text)
        AND NOT lower(f.path) LIKE ANY(%s::text[])
    ORDER BY s.name = %s::text DESC, lower(s.name) = lower(%s::text) DESC,
        length(s.name), s.name, s.id
    LIMIT %s""")


# LIKE, because an index answers it. A file that was skipped or is generated has no chunk.
_ADMITTED = _sql("""SELECT f.repository_id, f.path, f.language FROM {file} f
    WHERE f.repository_id = ANY(%s::bigint[]) AND f.path LIKE %s::text
        AND (%s::text = '' OR f.language = %s::text) AND f.skipped = ''
        AND f.generated = '' AND NOT lower(f.path) LIKE ANY(%s::text[])
    LIMIT %s""")
_SHOWN = _sql("""SELECT r.id, r.generation, c.id, c.text,
        CASE WHEN c.id = ANY(%s::bigint[]) THEN f.content ELSE '' END,
        (SELECT coalesce(max(s.start_line), 0) FROM {symbol} s WHERE s.file_id = c.file_id
            AND s.name = c.name AND s.start_line <= c.end_line)
    FROM {repository} r
    LEFT JOIN ({chunk} c JOIN {file} f ON f.id = c.file_id)
        ON c.repository_id = r.id AND c.id = ANY(%s::bigint[])
    WHERE r.id = ANY(%s::bigint[])""")
_FIRST_LINES = _sql("""SELECT c.id, max(s.start_line) FROM {chunk} c
    JOIN {symbol} s ON s.file_id = c.file_id AND s.name = c.name AND s.start_line <= c.end_line
    WHERE c.id = ANY(%s::bigint[]) GROUP BY c.id""")


def live_chunks(*, points: Iterable[int], repositories: Sequence[int]) -> list[LiveChunk]:
    """Return the chunks of `points` (UUID.int) in `repositories`; a dead point has none."""
    ids = ",".join([f"{point:032x}" for point in points])
    rows = fetch_rows(_LIVE, [f"{{{ids}}}", id_array(repositories)])
    return [LiveChunk(*row) for row in rows]


def chunks_defining(
    *, names: Sequence[str], repositories: Sequence[int]
) -> list[tuple[Definition, LiveChunk]]:
    """Return (definition, its chunk) of each symbol whose name is one of `names`."""
    ids = fetch_rows(_NAMED, [list(names), id_array(repositories), SYMBOL_ROWS])
    return _defining([row[0] for row in ids])


def is_defined(name: str, *, repositories: Sequence[int]) -> bool:
    """Return whether a definition has the name; those of generated files have no callers here."""
    return bool(fetch_rows(_NAMED, [[name], id_array(repositories), 1]))


def chunks_defining_like(
    *, name: str, parts: Sequence[str], repositories: Sequence[int], rows: RowFilter
) -> list[tuple[Definition, LiveChunk]]:
    """Return (definition, its chunk) of symbols whose name has every part, closest first.

    A part matches as a prefix, in any case. So the exact name, its other spellings and names that
    begin with it are included.
    """
    ids = fetch_rows_planned_each_time(
        _MATCHING,
        [
            id_array(repositories),
            prefix_query(parts, "".join(parts)),
            rows.prefix,
            rows.language,
            rows.language,
            _excluded(rows),
            name,
            name,
            SYMBOL_ROWS,
        ],
    )
    return _defining([row[0] for row in ids])


def matching_symbols(
    parsed: ParsedQuery, *, repositories: Sequence[int], rows: RowFilter
) -> list[tuple[Definition, LiveChunk, float]]:
    """Return (definition, its chunk, closeness) for a query's identifiers, or else its words."""
    names = [symbol.name for symbol in parsed.symbols] or [" ".join(parsed.words)]
    found = []
    for name in names:
        parts = name_parts(name) if " " not in name else tuple(name.split())
        if parts:
            like = chunks_defining_like(
                name=name, parts=parts, repositories=repositories, rows=rows
            )
            found += [
                (definition, row, _closeness(definition.name, name))
                for definition, row in like
                if is_admitted(rows, row)
            ]
    return found


def displayed_rows(
    *, chunks: Sequence[int], repositories: Sequence[int], with_file: Sequence[int]
) -> DisplayedRows:
    """Return texts of `chunks` and generations of `repositories`, read by one statement.

    `with_file` are the chunks whose file's content is needed.
    """
    rows = fetch_rows(_SHOWN, [id_array(with_file), id_array(chunks), id_array(repositories)])
    return DisplayedRows(
        {row[2]: DisplayedText(*row[3:]) for row in rows if row[2] is not None},
        {row[0]: row[1] for row in rows},
    )


def first_lines(chunks: Sequence[int]) -> dict[int, int]:
    """Return by chunk id the first line of the definition that the chunk is named after."""
    return dict(fetch_rows(_FIRST_LINES, [id_array(chunks)])) if chunks else {}


def admitted_paths(
    rows: RowFilter, *, repositories: Sequence[int], without: Collection[tuple[int, str]] = ()
) -> frozenset[str] | None:
    """Return the paths in `repositories` that pass; None if there are too many.

    With few paths, the store searches only these files. `without`: (repository, path) of files that
    are not needed.
    """
    found = fetch_rows_planned_each_time(
        _ADMITTED,
        [
            id_array(repositories),
            f"{like_pattern(rows.prefix)}%",
            rows.language,
            rows.language,
            _excluded(rows),
            FILES_LOOKED_AT,
        ],
    )
    if len(found) >= FILES_LOOKED_AT:
        return None
    return paths_if_few(
        path
        for repository, path, language in found
        if (repository, path) not in without
        and rows.admits_file(repository=repository, path=path, language=language)
    )


def is_admitted(rows: RowFilter, row: LiveChunk) -> bool:
    """Return whether a chunk passes the filter of rows."""
    return rows.admits(
        repository=row.repository, path=row.path, language=row.language, chunk_type=row.type
    )


def paths_if_few(paths: Iterable[str]) -> frozenset[str] | None:
    """Return the distinct paths; None if there are too many to send to the store."""
    different = frozenset(paths)
    return different if len(different) <= NAMED_FILES else None


def _excluded(rows: RowFilter) -> list[str]:
    """Return the patterns of LIKE for paths that the filter excludes."""
    return [f"%{like_pattern(part)}%" for part in rows.excluded]


def _closeness(symbol: str, name: str) -> float:
    """Return 1.0 for the same name, less for another spelling, a prefix or shared parts."""
    if symbol == name:
        return 1.0
    if symbol.lower() == name.lower():
        return 0.9
    own, wanted = casefolded(symbol), casefolded(name.replace(" ", ""))
    if own == wanted:
        return 0.85
    return (0.6 if own.startswith(wanted) else 0.4) * len(wanted) / max(len(own), 1)


def _defining(symbols: list[int]) -> list[tuple[Definition, LiveChunk]]:
    if not symbols:
        return []
    rows = fetch_rows(_DEFINING, [id_array(symbols)])
    return [(Definition(*row[:2]), LiveChunk(*row[2:])) for row in rows]


def prefix_query(parts: Sequence[str], whole: str) -> str:
    """Return a tsquery for names with a token that begins with `whole`, or one per part.

    A long `whole` is omitted: it is a sentence and the prefix of no name.
    """
    # Tokens hold no quotes: nothing to escape.
    beginnings = " & ".join(f"'{part[:LEXEME_CHARACTERS]}':*" for part in parts)
    if len(whole) > LEXEME_CHARACTERS:
        return beginnings
    return f"'{whole}':* | ({beginnings})"
