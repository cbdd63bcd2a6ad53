"""A page of an exact search, with counts that are exact or a lower bound."""

import time
from contextlib import closing
from dataclasses import dataclass

from central.search.exact.hits import ExactSearch, FileHit
from indexer.limits import EXACT_COUNT_SECONDS


@dataclass(frozen=True, slots=True)
class Counts:
    """Matches and files of the whole search; `exact` is false if there may be more."""

    matches: int
    files: int
    exact: bool


@dataclass(frozen=True, slots=True)
class ExactPage:
    """Hits, counts, and where the next page begins: None if there is none.

    `following`: the candidate at which it begins, with the matches and files up to there.
    """

    hits: list[FileHit]
    counts: Counts
    following: tuple[int, int, int] | None


def exact_page(
    search: ExactSearch, *, start: int, limit: int, before: tuple[int, int]
) -> ExactPage:
    """Read a page from the candidate at `start` on.

    `before`: matches and files of the pages before. When the page is full, it counts on for a
    moment, so that the counts of most searches are exact.
    """
    hits: list[FileHit] = []
    counted: list[int] = []  # matches of the files after the page
    following: int | None = None
    is_cut = False
    until = float("inf")
    with closing(search.hits(start)) as found:
        for hit in found:
            is_cut = is_cut or hit.is_cut
            if len(hits) < limit:
                hits.append(hit)
                continue
            if following is None:
                following = hit.position
                until = time.monotonic() + EXACT_COUNT_SECONDS
            counted.append(hit.matches)
            if time.monotonic() > until:
                is_cut = True
                break
    progress = search.progress
    following = progress.stopped_at if following is None else following
    matches = before[0] + sum(hit.matches for hit in hits)
    files = before[1] + len(hits)
    return ExactPage(
        hits,
        Counts(
            matches + sum(counted),
            files + len(counted),
            exact=not (is_cut or progress.not_read or progress.without_text_index),
        ),
        None if following is None else (following, matches, files),
    )
