"""The commits that changed the lines of a definition, as the index has it."""

from typing import Final, NamedTuple

from central.corpus.commit_facts import why_unread
from central.corpus.files import FileNotFoundInIndexError, near_paths
from central.corpus.line_history import LINE_HISTORY_SECONDS, Touched, Unknown, touching
from central.corpus.line_records import StoredChanges, commit_graph, lines_of_diffs
from central.corpus.models import File, Symbol
from central.db import fetch_rows_planned_each_time, like_pattern, sql_with
from central.errors import NotFoundError
from central.repositories.visibility import RepositorySnapshot
from indexer.records.history import Unread

SYMBOL_COMMITS: Final = 1_000
_NAMES_LISTED: Final = 20
_MOST_DEFINITIONS: Final = 200
_sql = sql_with(symbol=Symbol, file=File)
_DEFINED: Final = _sql("""SELECT f.path, s.qualified_name, s.start_line, s.end_line
    FROM {symbol} s JOIN {file} f ON f.id = s.file_id
    WHERE s.repository_id = %s::bigint AND s.name = %s::text
        AND (s.qualified_name = %s::text OR s.qualified_name LIKE %s::text)
        AND (%s::text = '' OR f.path = %s::text)
    ORDER BY f.path, s.start_line, s.id LIMIT %s""")
_IN_FILE: Final = _sql("""SELECT DISTINCT s.qualified_name
    FROM {symbol} s JOIN {file} f ON f.id = s.file_id
    WHERE s.repository_id = %s::bigint AND f.path = %s::text ORDER BY s.qualified_name LIMIT %s""")


class SymbolNotFoundError(NotFoundError):
    """No definition has the name, or several have; `near` are those that may be meant."""

    code = "symbol_not_found"


class DefinedLines(NamedTuple):
    """A definition's lines in a file; several if it is declared several times."""

    path: str
    qualified_name: str
    ranges: list[tuple[int, int]]


def find_definition(repository: RepositorySnapshot, symbol: str, path: str) -> DefinedLines:
    """Return the definition of a plain or qualified name, in a file unless `path` is "".

    Raises NotFoundError for an unknown file, and SymbolNotFoundError unless there is exactly one.
    """
    name = symbol.replace("::", ".").rpartition(".")[2]
    ending = f"%.{like_pattern(symbol)}"
    asked = [repository.id, name, symbol, ending, path, path, _MOST_DEFINITIONS]
    rows = [] if "\0" in symbol + path else fetch_rows_planned_each_time(_DEFINED, asked)
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for file, qualified_name, first, last in rows:
        found.setdefault((file, qualified_name), []).append((first, last))
    exact = {key: ranges for key, ranges in found.items() if key[1] == symbol}
    if len(found) == 1 or len(exact) == 1:
        [(key, ranges)] = (found if len(found) == 1 else exact).items()
        return DefinedLines(*key, ranges)
    raise _not_found(repository, path, list(found))


def _not_found(
    repository: RepositorySnapshot, path: str, found: list[tuple[str, str]]
) -> NotFoundError:
    if found:
        several = [f"{file}:{name}" for file, name in found[:_NAMES_LISTED]]
        more = ", …" if len(found) > _NAMES_LISTED else ""
        return SymbolNotFoundError(
            f"{len(found)} definitions have this name; give the path and the qualified name of "
            f"one: {', '.join(several)}{more}.",
            near=several,
        )
    if not path:
        return SymbolNotFoundError("No definition of this repository has this name.", near=[])
    if "\0" in path or not File.objects.filter(repository_id=repository.id, path=path).exists():
        return FileNotFoundInIndexError([] if "\0" in path else near_paths(repository.id, path))
    asked = [repository.id, path, _NAMES_LISTED]
    names = [name for (name,) in fetch_rows_planned_each_time(_IN_FILE, asked)]
    listed = f"; it defines {', '.join(names)}" if names else ""
    return SymbolNotFoundError(f"This file does not define it{listed}.", near=names)


def commits_of_definition(repository: RepositorySnapshot, defined: DefinedLines) -> Touched:
    """Return the newest commits that changed the definition, at most SYMBOL_COMMITS."""
    file = File.objects.get(repository_id=repository.id, path=defined.path)
    graph = commit_graph(repository.id, repository.commit)
    changes = StoredChanges(repository.id)
    commits: dict[str, str] = {}
    reasons: dict[str, None] = {}
    lines = lines_of_diffs(file)
    for first, last in defined.ranges:
        touched = touching(
            graph,
            changes,
            path=defined.path,
            lines=lines,
            asked=(first, min(last, len(lines))),
            seconds=LINE_HISTORY_SECONDS / len(defined.ranges),
            limit=SYMBOL_COMMITS,
        )
        commits |= touched.commits
        reasons |= dict.fromkeys(touched.reasons)
    return Touched(commits, list(reasons))


def why_ends(reasons: list[str]) -> str:
    """Return why a definition's history may have more commits."""
    if not reasons or reasons == [Unknown.NOT_STORED]:
        return ""
    if Unknown.LIMIT in reasons:
        return "The history was not followed to its end: it takes too long."
    unread = "; ".join(why_unread(reason) for reason in reasons if reason in set(Unread))
    return (
        "Earlier commits may have changed it too: not all changed lines are stored"
        f"{unread and ': none '}{unread}."
    )
