"""Database rows that a ranked search reads: candidates, symbols, paths and displayed texts.

Rows are plain tuples and statements take arrays: a search reads hundreds of rows, and building
model instances or IN lists of that length costs more than the query.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from central.corpus.models import Chunk, File, Symbol
from central.db import fetch_rows, fetch_rows_planned_each_time, id_array, like_pattern, sql_with
from central.repositories.models import Repository
from central.search.candidates import Candidate
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


class DisplayedText(NamedTuple):
    """A chunk's text; `content` is that of its file, empty unless requested.

    `first_line` is the first line of the definition that the chunk is named after, 0 for none.
    """

    text: str
    content: str
    first_line: int = 0


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


# `projects` are the names of the repositories that are searched, by id.


def live_candidates(
    points: Iterable[int], *, projects: Mapping[int, str], rows: RowFilter
) -> list[Candidate]:
    """Return the chunks of `points` (UUID.int) that pass the filter; a dead point has none."""
    ids = ",".join([f"{point:032x}" for point in points])
    return [*_admitted(fetch_rows(_LIVE, [f"{{{ids}}}", id_array(projects)]), projects, rows)]


def _admitted(
    found: Iterable[Sequence[Any]], projects: Mapping[int, str], rows: RowFilter
) -> Iterator[Candidate]:
    """Yield the candidates that pass; `found` have the columns of _CHUNK."""
    for row in found:
        candidate = Candidate(projects[row[2]], *row)
        if rows.admits(*candidate.file, candidate.language, candidate.type):
            yield candidate


def candidates_defining(
    names: Sequence[str], *, projects: Mapping[int, str], rows: RowFilter
) -> list[Candidate]:
    """Return the chunks that define a symbol whose name is one of `names`, and which."""
    ids = fetch_rows(_NAMED, [list(names), id_array(projects), SYMBOL_ROWS])
    return _defining(ids, projects, rows)


def is_defined(name: str, *, repositories: Collection[int]) -> bool:
    """Return whether a definition has the name; those of generated files have no callers here."""
    return bool(fetch_rows(_NAMED, [[name], id_array(repositories), 1]))


def candidates_defining_like(
    name: str, parts: Sequence[str], *, projects: Mapping[int, str], rows: RowFilter
) -> list[Candidate]:
    """Return the chunks that define symbols whose name has every part, and which, closest first.

    A part matches as a prefix, in any case. So the exact name, its other spellings and names that
    begin with it are included.
    """
    ids = fetch_rows_planned_each_time(
        _MATCHING,
        [
            id_array(projects),
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
    return _defining(ids, projects, rows)


def _defining(
    symbols: Sequence[Sequence[Any]], projects: Mapping[int, str], rows: RowFilter
) -> list[Candidate]:
    """Return the chunks that define the symbols whose ids are the rows' only column."""
    if not symbols:
        return []
    found: dict[int, Candidate] = {}
    for name, is_minor, *row in fetch_rows(_DEFINING, [id_array(key for (key,) in symbols)]):
        for candidate in _admitted([row], projects, rows):
            known = found.get(candidate.id, candidate)
            found[candidate.id] = known.defining((name,), (name,) if is_minor else ())
    return [*found.values()]


def matching_symbols(
    parsed: ParsedQuery, *, projects: Mapping[int, str], rows: RowFilter
) -> list[tuple[Candidate, float]]:
    """Return (candidate, closeness) of definitions for a query's identifiers, or else its words."""
    names = [symbol.name for symbol in parsed.symbols] or [" ".join(parsed.words)]
    found = []
    for name in names:
        parts = name_parts(name) if " " not in name else tuple(name.split())
        if parts:
            like = candidates_defining_like(name, parts, projects=projects, rows=rows)
            found += [
                (candidate, max(_closeness(defined, name) for defined in candidate.defines))
                for candidate in like
            ]
    return found


def displayed_rows(
    *, chunks: Sequence[int], repositories: Sequence[int], with_file: Sequence[int]
) -> tuple[dict[int, DisplayedText], dict[int, int]]:
    """Return texts of `chunks` and generations of `repositories`, by id and by one statement.

    `with_file` are the chunks whose file's content is needed. A deleted chunk has no text.
    """
    rows = fetch_rows(_SHOWN, [id_array(with_file), id_array(chunks), id_array(repositories)])
    texts = {row[2]: DisplayedText(*row[3:]) for row in rows if row[2] is not None}
    return texts, {row[0]: row[1] for row in rows}


def first_lines(chunks: Sequence[int]) -> dict[int, int]:
    """Return by chunk id the first line of the definition that the chunk is named after."""
    return dict(fetch_rows(_FIRST_LINES, [id_array(chunks)])) if chunks else {}


def admitted_paths(
    rows: RowFilter, *, repositories: Collection[int], without: Collection[tuple[int, str]] = ()
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
        if (repository, path) not in without and rows.admits(repository, path, language)
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


def prefix_query(parts: Sequence[str], whole: str) -> str:
    """Return a tsquery for names with a token that begins with `whole`, or one per part.

    A long `whole` is omitted: it is a sentence and the prefix of no name.
    """
    # Tokens hold no quotes: nothing to escape.
    beginnings = " & ".join(f"'{part[:LEXEME_CHARACTERS]}':*" for part in parts)
    if len(whole) > LEXEME_CHARACTERS:
        return beginnings
    return f"'{whole}':* | ({beginnings})"
