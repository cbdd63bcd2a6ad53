"""Files by the ends of their paths, and the definitions around lines of theirs. SQL only."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from central.corpus.models import File, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.search.exact.files import CandidateFile, candidate_file

STACK_ROWS_OF_TAIL: Final = 2_000  # files with the same end that are looked at, of all tenants
STACK_FILES_OF_TAIL: Final = 20  # files that end with the same part of a path
_sql = sql_with(file=File, symbol=Symbol)
# A range of the index file_path_ends for each tail: `yp.x/` up to, without it, `yp.x0`. Its order
# and limit keep the planner from reading all files, or those of a repository, for each tail.
_ENDING: Final = _sql("""SELECT tail.text, f.id, f.repository_id, f.path, f.language, f.size,
        f.generated <> ''
    FROM unnest(%s::text[]) AS tail(text)
    CROSS JOIN LATERAL (
        SELECT * FROM (
            SELECT id, repository_id, path, language, size, generated, skipped FROM {file}
            WHERE reverse('/' || path) ~>=~ (reverse(tail.text) || '/')
                AND reverse('/' || path) ~<~ (reverse(tail.text) || '0')
            ORDER BY reverse('/' || path) USING ~<~ LIMIT %s
        ) AS ending
        WHERE repository_id = ANY(%s::bigint[]) AND skipped = '' LIMIT %s
    ) AS f""")
# Other tenants' files may be all that is looked at for a tail. Paths that are the tail itself are
# then looked up in each repository: they are found whatever files other tenants have.
_WHOLE: Final = _sql("""SELECT tail.text, f.id, f.repository_id, f.path, f.language, f.size,
        f.generated <> ''
    FROM unnest(%s::text[]) AS tail(text)
    CROSS JOIN LATERAL (
        SELECT FROM {file}
        WHERE reverse('/' || path) ~>=~ (reverse(tail.text) || '/')
            AND reverse('/' || path) ~<~ (reverse(tail.text) || '0')
        ORDER BY reverse('/' || path) USING ~<~ OFFSET %s LIMIT 1
    ) AS more
    CROSS JOIN LATERAL (
        SELECT * FROM {file}
        WHERE repository_id = ANY(%s::bigint[]) AND path = tail.text AND skipped = ''
        LIMIT %s
    ) AS f""")
_AROUND: Final = _sql("""SELECT asked.file, asked.line, s.name, s.qualified_name, s.start_line,
        s.end_line
    FROM unnest(%s::bigint[], %s::int[], %s::text[]) AS asked(file, line, name)
    JOIN {symbol} s ON s.file_id = asked.file
        AND (s.name = asked.name OR (s.start_line <= asked.line AND asked.line <= s.end_line))""")


class FrameSymbol(NamedTuple):
    """A definition that a frame's function may be, or that is around its line."""

    name: str
    qualified_name: str
    start_line: int
    end_line: int


def files_ending(
    tails: Collection[str], *, repositories: Collection[int]
) -> Mapping[str, Sequence[CandidateFile]]:
    """Return by tail the indexed files whose path is it or ends with `/` and it.

    At most STACK_FILES_OF_TAIL for each, among STACK_ROWS_OF_TAIL of all repositories; of a tail
    that ends more paths and none of these, those whose path it is.
    """
    if not tails or not repositories:
        return {}
    limits = [STACK_ROWS_OF_TAIL, id_array(repositories), STACK_FILES_OF_TAIL]
    rows = fetch_rows(_ENDING, [sorted(tails), *limits])
    missing = sorted(set(tails) - {tail for tail, *_ in rows})
    if missing:
        rows += fetch_rows(_WHOLE, [missing, *limits])
    found: dict[str, list[CandidateFile]] = {}
    for tail, *row in rows:
        found.setdefault(tail, []).append(candidate_file(row))
    return found


def symbols_around(
    asked: Collection[tuple[int, int, str]],
) -> Mapping[tuple[int, int], Sequence[FrameSymbol]]:
    """Return by file and line the definitions around it, and those of the name. One statement."""
    if not asked:
        return {}
    files, lines, names = zip(*asked, strict=True)
    rows = fetch_rows(_AROUND, [id_array(files), id_array(lines), list(names)])
    found: dict[tuple[int, int], list[FrameSymbol]] = {}
    for file, line, *row in rows:
        found.setdefault((file, line), []).append(FrameSymbol(*row))
    return found
