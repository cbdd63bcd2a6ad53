"""What a search reads: the live rows behind hits.

Plain tuples and SQL with arrays: a search reads hundreds of rows, and building model instances
or IN lists of that length costs more than the query.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from central.corpus.models import Chunk, File, Symbol
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, sql_with
from central.repositories.models import Repository
from central.search.filters import RowFilter, like_pattern

SYMBOL_ROWS = 500
_LEXEME_CHARACTERS = 64  # no part of a name is longer; PostgreSQL takes 2,046 bytes


class LiveChunk(NamedTuple):
    """A chunk's row without its text. `term_ids` as corpus.packing.unpack_term_ids reads them."""

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


class ShownText(NamedTuple):
    """What of a chunk is shown; `content` is its file's, and empty unless asked for."""

    text: str
    content: str


class Shown(NamedTuple):
    """Texts by chunk id, without chunks that are gone; generations by repository id."""

    texts: dict[int, ShownText]
    generations: dict[int, int]


_CHUNK = """c.id, c.point, c.repository_id, f.path, f.language, c.start_line, c.end_line,
    c.type, c.name, c.container, substr(c.terms, 1, length(c.terms) / 2)"""
_sql = sql_with(columns=_CHUNK, chunk=Chunk, file=File, symbol=Symbol, repository=Repository)
_LIVE = _sql("""SELECT {columns} FROM {chunk} c JOIN {file} f ON f.id = c.file_id
    WHERE c.point = ANY(%s::uuid[]) AND c.repository_id = ANY(%s::bigint[])""")
# The narrowest chunk that holds a definition's first line, the one with its name before others.
_DEFINING = _sql("""SELECT DISTINCT ON (s.id) s.name, {columns}
    FROM {symbol} s
    JOIN {chunk} c ON c.file_id = s.file_id
        AND c.start_line <= s.start_line AND c.end_line >= s.start_line
    JOIN {file} f ON f.id = s.file_id
    WHERE s.id = ANY(%s::bigint[])
    ORDER BY s.id, c.name = s.name DESC, c.end_line - c.start_line, c.ordinal""")
_NAMED = _sql("""SELECT id FROM {symbol}
    WHERE name = ANY(%s::text[]) AND repository_id = ANY(%s::bigint[]) LIMIT %s""")
# One look by key for each definition, whatever the planner takes to be rare: where it guessed that
# one file is left, a plain join read all files for each definition (20 s at 50,000 definitions).
_MATCHING = _sql("""SELECT s.id FROM {symbol} s
    CROSS JOIN LATERAL (SELECT path, language FROM {file} WHERE id = s.file_id OFFSET 0) AS f
    WHERE s.repository_id = ANY(%s::bigint[]) AND array_to_tsvector(s.parts) @@ %s::tsquery
        AND starts_with(f.path, %s::text) AND (%s::text = '' OR f.language = %s::text)
        AND NOT lower(f.path) LIKE ANY(%s::text[])
    ORDER BY s.name = %s::text DESC, lower(s.name) = lower(%s::text) DESC,
        length(s.name), s.name, s.id
    LIMIT %s""")


_SHOWN = _sql("""SELECT r.id, r.generation, c.id, c.text, ''
    FROM {repository} r
    LEFT JOIN {chunk} c ON c.repository_id = r.id AND c.id = ANY(%s::bigint[])
    WHERE r.id = ANY(%s::bigint[])""")
_SHOWN_WITH_FILE = _sql("""SELECT r.id, r.generation, c.id, c.text, f.content
    FROM {repository} r
    LEFT JOIN ({chunk} c JOIN {file} f ON f.id = c.file_id)
        ON c.repository_id = r.id AND c.id = ANY(%s::bigint[])
    WHERE r.id = ANY(%s::bigint[])""")


def live_chunks(*, points: Iterable[int], repositories: Sequence[int]) -> list[LiveChunk]:
    """The chunks of `repositories` that name one of `points` (UUID.int); a dead point has none."""
    ids = ",".join([f"{point:032x}" for point in points])
    rows = fetch_rows(_LIVE, [f"{{{ids}}}", id_array(repositories)])
    return [LiveChunk(*row) for row in rows]


def chunks_defining(
    *, names: Sequence[str], repositories: Sequence[int]
) -> list[tuple[str, LiveChunk]]:
    """(name, chunk that defines it) for symbols with exactly one of `names`."""
    ids = fetch_rows(_NAMED, [list(names), id_array(repositories), SYMBOL_ROWS])
    return _defining([row[0] for row in ids])


def chunks_defining_like(
    *, name: str, parts: Sequence[str], repositories: Sequence[int], rows: RowFilter
) -> list[tuple[str, LiveChunk]]:
    """(name, chunk) for symbols whose name holds every part, whatever the case; closest first.

    A part is held by one that begins with it. The exact name, its other spellings and names that
    begin with it are among these.
    """
    excluded = [f"%{like_pattern(pattern)}%" for pattern in rows.excluded]
    ids = fetch_rows_planned_each_time(
        _MATCHING,
        [
            id_array(repositories),
            _beginnings(parts, "".join(parts)),
            rows.prefix,
            rows.language,
            rows.language,
            excluded,
            name,
            name,
            SYMBOL_ROWS,
        ],
    )
    return _defining([row[0] for row in ids])


def shown_texts(*, chunks: Sequence[int], repositories: Sequence[int], with_file: bool) -> Shown:
    """Texts of `chunks` and, read in the same instant, the generations of `repositories`."""
    statement = _SHOWN_WITH_FILE if with_file else _SHOWN
    rows = fetch_rows(statement, [id_array(chunks), id_array(repositories)])
    return Shown(
        {row[2]: ShownText(row[3], row[4]) for row in rows if row[2] is not None},
        {row[0]: row[1] for row in rows},
    )


def _defining(symbols: list[int]) -> list[tuple[str, LiveChunk]]:
    if not symbols:
        return []
    return [(row[0], LiveChunk(*row[1:])) for row in fetch_rows(_DEFINING, [id_array(symbols)])]


def _beginnings(parts: Sequence[str], whole: str) -> str:
    """A tsquery for names with a token that begins with `whole`, or one for each of `parts`.

    A sentence run together begins no name: a long `whole` is left out.
    """
    # Tokens hold no quotes: nothing to escape.
    beginnings = " & ".join(f"'{part[:_LEXEME_CHARACTERS]}':*" for part in parts)
    if len(whole) > _LEXEME_CHARACTERS:
        return beginnings
    return f"'{whole}':* | ({beginnings})"
