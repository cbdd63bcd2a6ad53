"""A page of an exact search, with counts that are exact or a lower bound."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from central.search.exact.files import CandidateFile
from central.search.exact.hits import ExactSearch, FileHit
from central.search.exact.versions import merged

EXACT_COUNT_SECONDS: Final = 0.01  # of them to count on, when a page is full


class Position(NamedTuple):
    """Where a page begins, and what the pages before it know. It is stored in cursors.

    `matches` and `files` are those before `candidate`; `is_short`: there are more that were not
    counted. `total_matches` and `total_files` are the highest counts so far, of all pages;
    `is_total`: they are exact. `repositories` is the fingerprint of those that were selected.
    `chosen`: the trigrams that all candidates have, see `Candidates`.
    """

    candidate: int = 0
    matches: int = 0
    files: int = 0
    is_short: bool = False
    total_matches: int = 0
    total_files: int = 0
    is_total: bool = False
    repositories: str = ""
    chosen: int = 0

    def known_of(self, repositories: str) -> "Position":
        """Return the position without counts of other repositories: the reader may see fewer."""
        if repositories == self.repositories:
            return self
        return Position(
            self.candidate,
            is_short=self.candidate > 0,
            repositories=repositories,
            chosen=self.chosen,
        )


@dataclass(frozen=True, slots=True)
class ExactPage:
    """Hits, the matches and files of the whole search, and where the next page begins.

    `at_least`: there may be more matches and files. `following` is None if there is no page.
    `counted` are the files of the first page and those behind it that were counted; `versions` the
    keys of other versions of these.
    """

    hits: list[FileHit]
    matches: int
    files: int
    at_least: bool
    following: Position | None
    counted: Sequence[CandidateFile]
    versions: Sequence[int]


def exact_page(search: ExactSearch, *, position: Sequence[Any] | None) -> ExactPage:
    """Read the page at `position`; None is the first.

    When the page is full, it counts on for a moment, so that most searches have exact counts.
    Counts of later pages are never lower, and stay as they are once they are exact.
    """
    begin = Position(*(position or ())).known_of(search.scope.fingerprint)
    limit = search.plan.read.request.limit
    hits: list[FileHit] = []
    counted: list[FileHit] = []  # after the page
    is_whole = True
    until = float("inf")
    with closing(search.hits(begin.candidate, begin.chosen)) as found:
        for hit in merged(found) if search.scope.chosen.has_versions else found:
            if len(hits) < limit:
                hits.append(hit)
                continue
            if not counted:
                until = time.monotonic() + EXACT_COUNT_SECONDS
            counted.append(hit)
            if begin.is_total or search.named is not None or time.monotonic() > until:
                is_whole = False
                break
    is_short = begin.is_short or search.unread.has_gaps or any(hit.is_cut for hit in hits)
    total = _total(search, begin, [*hits, *counted], is_whole=is_whole, is_short=is_short)
    following = counted[0].position if counted else search.unread.stopped_at
    return ExactPage(
        hits=hits,
        matches=total.total_matches,
        files=total.total_files,
        at_least=not total.is_total,
        following=None
        if following is None
        else total._replace(
            candidate=following,
            matches=begin.matches + sum(len(hit.spans) for hit in hits),
            files=begin.files + len(hits),
            is_short=is_short,
            chosen=search.chosen,
        ),
        counted=search.named_files or [hit.file for hit in (*hits, *counted)],
        versions=[key for hit in (*hits, *counted) for key in hit.versions],
    )


def _total(
    search: ExactSearch, begin: Position, hits: Sequence[FileHit], *, is_whole: bool, is_short: bool
) -> Position:
    """Return the position with the total after this page has been read."""
    if begin.is_total:
        return begin
    if search.named is not None:
        matches, files = search.named
        return begin._replace(
            total_matches=max(begin.total_matches, matches),
            total_files=max(begin.total_files, files),
            is_total=not search.unread.has_gaps,
        )
    is_cut = is_short or any(hit.is_cut for hit in hits)
    return begin._replace(
        total_matches=max(
            begin.total_matches, begin.matches + sum(len(file_hit.spans) for file_hit in hits)
        ),
        total_files=max(begin.total_files, begin.files + len(hits)),
        is_total=is_whole and not is_cut and search.unread.stopped_at is None,
    )
