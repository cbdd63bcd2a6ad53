"""A page of an exact search, with counts that are exact or a lower bound."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from central.db import one_moment
from central.search.exact.hits import ExactSearch, FileHit
from indexer.limits import EXACT_COUNT_SECONDS

Position = Sequence[int]  # a candidate, with the matches and files of the pages before it


@dataclass(frozen=True, slots=True)
class ExactPage:
    """Hits, the matches and files of the whole search, and where the next page begins.

    `at_least`: there may be more matches and files. `following` is None if there is no page.
    """

    hits: list[FileHit]
    matches: int
    files: int
    at_least: bool
    following: Position | None


def exact_page(search: ExactSearch, *, position: Position | None, limit: int) -> ExactPage:
    """Read the page at `position`; None is the first.

    When the page is full, it counts on for a moment, so that most searches have exact counts.
    """
    start, matches, files = position or (0, 0, 0)
    hits: list[FileHit] = []
    counted: list[int] = []  # matches of the files after the page
    following: int | None = None
    at_least = False
    until = float("inf")
    with one_moment(), closing(search.hits(start)) as found:
        for hit in found:
            at_least = at_least or hit.is_cut
            if len(hits) < limit:
                hits.append(hit)
                continue
            if following is None:
                following = hit.position
                until = time.monotonic() + EXACT_COUNT_SECONDS
            counted.append(len(hit.spans))
            if time.monotonic() > until:
                at_least = True
                break
    if following is None:
        following = search.unread.stopped_at
    matches += sum(len(hit.spans) for hit in hits)
    files += len(hits)
    return ExactPage(
        hits=hits,
        matches=matches + sum(counted),
        files=files + len(counted),
        at_least=at_least or bool(search.unread.reasons),
        following=None if following is None else (following, matches, files),
    )
