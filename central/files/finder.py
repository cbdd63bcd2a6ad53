"""Paths by some of their characters, the closest match first; and files that a pasted path names.

A pasted path begins at a root, or is `project/path`, perhaps with a line.
"""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import Q

from central.corpus.models import File
from central.db import fetch_rows_planned_each_time, like_pattern, sql
from central.repositories.models import Repository
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from indexer.records.files import PATH_BYTES

PATHS_RANKED: Final = 5_000  # paths that hold the characters that are looked for
FOUND_PATHS: Final = 50
PATH_QUERY_CHARACTERS: Final = 200
_PASTED_FILES: Final = 8
_PASTED: Final = re.compile(r"/?([^\s:\"/][^\s:\"]*/[^\s:\"]*[^\s:\"/])(?::(\d{1,8}))?(?::\d+)?")

# In the collation C only the case of ASCII is folded, in a third of the time.
_CANDIDATES: Final = {
    is_ascii: sql(
        """SELECT f.path FROM {file} f CROSS JOIN LATERAL (SELECT {casefolded}) lowered(path)
        WHERE f.repository_id = %s::bigint AND lowered.path LIKE %s::text
        ORDER BY strpos(lowered.path, %s::text) = 0, length(f.path), f.path USING ~<~ LIMIT %s""",
        file=File,
        casefolded=casefolded,
    )
    for is_ascii, casefolded in ((True, 'lower(f.path COLLATE "C")'), (False, "lower(f.path)"))
}


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """The best paths, and whether there are more."""

    paths: list[str]
    has_more: bool


class Rank(NamedTuple):
    """The order of a match: how it was found, over how many characters, from which on."""

    kind: int
    span: int
    start: int
    length: int
    path: str


def find_paths(*, repository: Repository, query: str) -> FoundPaths:
    """Return the paths that have the query's characters in this order, best first.

    The repository is one that the caller may see.
    """
    wanted = "".join(query.split())[:PATH_QUERY_CHARACTERS].lower()
    if not wanted or "\0" in wanted:
        return FoundPaths([], has_more=False)
    pattern = f"%{'%'.join(map(like_pattern, wanted))}%"
    parameters = [repository.pk, pattern, wanted, PATHS_RANKED]
    rows = fetch_rows_planned_each_time(_CANDIDATES[wanted.isascii()], parameters)
    ranks = sorted(filter(None, (rank(wanted, path) for (path,) in rows)))
    return FoundPaths([ranked.path for ranked in ranks[:FOUND_PATHS]], len(ranks) > FOUND_PATHS)


def rank(query: str, path: str) -> Rank | None:
    """Return the rank of a path; None if it does not have the characters in this order.

    What follows the last slash of the query is looked for in the file's name, what is before it in
    the directory. Only where that fails, all of it is looked for in the whole path.
    """
    directory, asks_directory, name = query.lower().rpartition("/")
    casefolded = path.lower()
    parent, has_directory, base = casefolded.rpartition("/")
    is_below = bool(has_directory or not asks_directory) and bool(_match(directory, parent))
    if is_below and (found := _match(name, base)):
        return Rank(_kind(name, base), found.span, found.start, len(path), path)
    whole = query.lower()
    if found := _match(whole, casefolded):
        kind = 4 if whole in casefolded else 5
        return Rank(kind, found.span, found.start, len(path), path)
    return None


def _kind(wanted: str, name: str) -> int:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    return 2 if wanted in name else 3


class _Match(NamedTuple):
    span: int
    start: int


def _match(wanted: str, text: str) -> _Match | None:
    """Return which characters of the text hold the wanted ones in order; None: it has not.

    The last of them is where it comes first; from there, the nearest before it are taken.
    """
    end = 0
    for word in wanted:
        end = text.find(word, end) + 1
        if not end:
            return None
    start = end
    for last in reversed(wanted):
        start = text.rfind(last, 0, start)
    return _Match(end - start, start)


class PastedFile(NamedTuple):
    """A file of a visible repository; `line` is 0 without one."""

    project: str
    path: str
    line: int


def pasted_files(*, credential: Credential, text: str) -> list[PastedFile]:
    """Return the visible files that the text is the path of, by project; one query at most."""
    found = _PASTED.fullmatch(text.strip())
    if found is None or "\0" in text or len(found[1].encode()) > PATH_BYTES:
        return []
    project, _, rest = found[1].partition("/")
    rows = (
        File.objects.filter(Q(path=found[1]) | Q(repository__name=project, path=rest))
        .filter(repository__in=visible_repositories(credential=credential))
        .order_by("repository__name", "path")
        .values_list("repository__name", "path")[:_PASTED_FILES]
    )
    return [PastedFile(*row, int(found[2] or 0)) for row in rows]
