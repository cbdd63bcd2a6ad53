"""The results of a stack trace or a place: a line of a file, with the lines around it.

Files are found by the ends of their paths, with the definitions around their lines.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from aeterna_code_search.contract.search import Result, SearchRequest
from central.corpus.branches.chosen import Chosen
from central.corpus.models import File, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.owners.reading import OwnersReader
from central.query.pasted.paths import tails
from central.query.pasted.stack_trace import StackTrace
from central.repositories.visibility import RepositorySnapshot
from central.search.branches import NOWHERE, ResultBranches, branches_of_files
from central.search.exact.files import CandidateFile, candidate_file, contents
from central.search.exact.hits import FileHit
from central.search.exact.matching import Lines
from central.search.filters import row_filter
from central.search.frame_places import (
    ChosenPlaces,
    FramePlace,
    FrameSymbol,
    candidate_places,
    choose_places,
)
from central.search.line_search import exact_result

STACK_ROWS_OF_TAIL: Final = 2_000  # files with the same end that are looked at, of all tenants
STACK_FILES_OF_TAIL: Final = 20  # files that end with the same part of a path
_LINES_AROUND: Final = 3  # lines before and after, at least
_CONTENT: Final = 2_000  # characters of them, at least
_STEP: Final = 0.005  # between the scores of two results
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


def find_places(
    trace: StackTrace, request: SearchRequest, searched: Mapping[int, RepositorySnapshot]
) -> ChosenPlaces:
    """Find the files of the frames in the repositories, by two statements."""
    names = {key: item.name for key, item in searched.items()}
    wanted = {tail for frame in trace.frames for tail in tails(frame.path)}
    rows = row_filter(request)
    files = {
        tail: [file for file in found if rows.admits(file.repository, file.path, file.language)]
        for tail, found in files_ending(wanted, repositories=searched).items()
    }
    candidates = [candidate_places(frame, files, names) for frame in trace.frames]
    asked = {
        (place.file.id, place.frame.line, place.frame.function)
        for places in candidates
        for place in places
    }
    around = symbols_around(asked)
    known = [
        [
            place._replace(symbols=around.get((place.file.id, place.frame.line), ()))
            for place in places
        ]
        for places in candidates
    ]
    return choose_places(trace, known, names)


def frame_results(
    places: Sequence[FramePlace],
    request: SearchRequest,
    searched: Mapping[int, RepositorySnapshot],
    owners: OwnersReader,
    chosen: Chosen,
) -> list[Result]:
    """Build a result for each place, in order; files that are gone meanwhile are left out.

    Versions of a file that show the same are one result.
    """
    owners.read_ahead(searched[key] for key in {place.file.repository for place in places})
    files = {place.file.id: place.file for place in places}
    texts = {file.id: text for _, file, text in contents(enumerate(files.values()))}
    request = replace(
        request,
        expand=max(request.expand, _LINES_AROUND),
        max_content=max(request.max_content, _CONTENT),
    )
    branches = branches_of_files(chosen, [(key,) for key in files])
    results: list[Result] = []
    for place in places:
        content = texts.get(place.file.id)
        if content is None:
            continue
        repository = searched[place.file.repository]
        listed = owners.listed(repository, place.file.path)
        shown = branches.get(place.file.id, NOWHERE)
        result = _result(place, content, request, repository, listed, shown)
        if chosen.has_versions and _is_joined(results, result):
            continue
        results.append(replace(result, score=round(max(0.5, 1.0 - _STEP * len(results)), 4)))
    return results


def _is_joined(results: list[Result], result: Result) -> bool:
    """Whether the file is among the results with the same text; then that one has its branches."""
    for at, other in enumerate(results):
        same = (other.project, other.file, other.content) == (
            result.project,
            result.file,
            result.content,
        )
        if same:
            results[at] = replace(other, branches=[*other.branches, *result.branches])
            return True
    return False


def _result(
    place: FramePlace,
    content: bytes,
    request: SearchRequest,
    repository: RepositorySnapshot,
    owners: list[str] | None,
    shown: ResultBranches,
) -> Result:
    lines = Lines(content)
    line, note = _line_of(place, len(lines))
    spans = [_text_span(lines, line)] if len(lines) else []
    hit = FileHit(0, place.file, content, spans, is_cut=False, defining=frozenset())
    result, _ = exact_result(
        hit, request=request, repository=repository, lines=1, owners=owners, shown=shown
    )
    around = _innermost(place.symbols, line)
    container, _, _ = around.qualified_name.rpartition(".") if around else ("", "", "")
    return replace(result, name=around.name if around else "", container=container, note=note)


def _line_of(place: FramePlace, count: int) -> tuple[int, str]:
    """Return the line to show and, where it is not the frame's, or not its function's, why."""
    frame, definitions = place.frame, place.of_function
    if definitions and not place.is_inside:
        nearest = min(definitions, key=lambda symbol: abs(symbol.start_line - frame.line))
        return nearest.start_line, (
            f"Line {frame.line} is not in {frame.function} at the indexed commit: this is where "
            f"{frame.function} is defined."
        )
    if frame.line > count:
        last = f"the file has {count} lines at the indexed commit"
        return max(1, count), f"There is no line {frame.line}: {last}."
    return max(1, frame.line), ""


def _text_span(lines: Lines, number: int) -> tuple[int, int]:
    start, end = lines.bounds(number)
    text = lines.text(number)
    return start + len(text) - len(text.lstrip()), end


def _innermost(symbols: Sequence[FrameSymbol], line: int) -> FrameSymbol | None:
    around = [symbol for symbol in symbols if symbol.start_line <= line <= symbol.end_line]
    return min(around, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)
