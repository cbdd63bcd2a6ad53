"""The lanes in which requests wait for a thread: by what they cost, and who waits for them."""

import re
from collections.abc import Mapping
from enum import StrEnum, unique
from typing import Final, NamedTuple

from central.settings.services import READS_AT_ONCE

REQUESTS_OF_ONE_CALLER: Final = 12  # of an organisation, so that others are served as well
REQUESTS_WAITING: Final = 200  # in each lane, half of them of one caller
READ_WAIT_SECONDS: Final = 0.7  # for a thread: overload is refused within a second
READS_IN_FRONT: Final = 8  # of the queue of a caller, who may wait longer
READ_FRONT_WAIT_SECONDS: Final = 20.0  # an agent's answer, with its wait, may take 30 s
TRACES_AT_ONCE: Final = 1
EXPORTS_AT_ONCE: Final = 2
EXPORTS_OF_ONE_CALLER: Final = 1
LATE_AT_ONCE: Final = 4
LATE_OF_ONE_CALLER: Final = 1
RUNS_AT_ONCE: Final = 10  # requests of the run protocol, and webhooks; with uploads 14
RUNS_OF_ONE_CALLER: Final = 8
RUN_WAIT_SECONDS: Final = 8.0  # for a thread; GitHub gives a webhook ten seconds
STREAMS_AT_ONCE: Final = 10  # making a part; each reader in turn
STREAMS_OF_ONE_CALLER: Final = 8
STREAMS_WAITING: Final = 2_000  # for a thread, as long as it takes
UPLOADS_AT_ONCE: Final = 4  # trees and batches of a process, of some 300 MB at most each
UPLOADS_OF_ONE_CALLER: Final = 2
UPLOADS_WAITING: Final = 64  # each with up to 2.5 MB in memory, the rest on disk
UPLOAD_WAIT_SECONDS: Final = 30.0  # for a thread; half of the indexer's time-out


@unique
class Lane(StrEnum):
    """A lane, as metrics name it."""

    RUNS = "runs"  # webhooks and the run protocol: GitHub sends a webhook once, a job of CI waits
    UPLOADS = "uploads"  # trees and batches, which take memory
    BEGUN = "begun"  # the rest of an answer whose beginning was sent: it can no longer be refused
    READS = "reads"
    SEARCHES = "searches"
    TRACES = "traces"
    EXPORTS = "exports"  # answers about an organisation, a repository or a change as a whole
    LATE = "late"  # searches and traces that waited LATE_SECONDS for one that takes as long


class LaneLimits(NamedTuple):
    """Requests of a lane that run, run for one caller, and wait; seconds of waiting, None: no end.

    Lanes of lower `rank` are served first; those of one rank take turns. The first `front` in the
    queue of a caller may wait for `front_wait_seconds` instead.
    """

    at_once: int
    of_one_caller: int
    waiting: int
    wait_seconds: float | None
    rank: int
    front: int = 0
    front_wait_seconds: float = 0.0
    within: Lane | None = None  # the lane of which each request takes a place too
    late: Lane | None = None  # the lane of those that waited long for one that takes long

    @property
    def is_read(self) -> bool:
        """Whether the lane is one of those that never have all threads, even together."""
        return self.rank > 0

    def timeout_seconds(self, ahead: int) -> float | None:
        """Return the longest wait behind so many requests of the same caller; None: no end."""
        return self.front_wait_seconds if ahead < self.front else self.wait_seconds


def _reads(at_once: int, of_one_caller: int) -> LaneLimits:
    return LaneLimits(
        at_once,
        of_one_caller,
        REQUESTS_WAITING,
        READ_WAIT_SECONDS,
        rank=3,
        front=READS_IN_FRONT,
        front_wait_seconds=READ_FRONT_WAIT_SECONDS,
    )


def lanes(*, searches_at_once: int) -> Mapping[Lane, LaneLimits]:
    """Return the limits of each lane of a process."""
    searches_of_one_caller = max(1, searches_at_once * 3 // 4)
    return {
        Lane.RUNS: LaneLimits(
            RUNS_AT_ONCE,
            RUNS_OF_ONE_CALLER,
            REQUESTS_WAITING,
            RUN_WAIT_SECONDS,
            rank=0,
        ),
        Lane.UPLOADS: LaneLimits(
            UPLOADS_AT_ONCE,
            UPLOADS_OF_ONE_CALLER,
            UPLOADS_WAITING,
            UPLOAD_WAIT_SECONDS,
            rank=0,
        ),
        # Served before reads, so it may not have all of their threads.
        Lane.BEGUN: LaneLimits(
            STREAMS_AT_ONCE, STREAMS_OF_ONE_CALLER, STREAMS_WAITING, wait_seconds=None, rank=1
        ),
        Lane.READS: _reads(READS_AT_ONCE, REQUESTS_OF_ONE_CALLER),
        Lane.SEARCHES: _reads(searches_at_once, searches_of_one_caller)._replace(late=Lane.LATE),
        # Two that compute keep a core busy: searches have all places of their caller while there is
        # no trace. Of a single place traces would leave none, as they are served first.
        Lane.TRACES: _reads(TRACES_AT_ONCE, TRACES_AT_ONCE)._replace(
            rank=2,
            within=Lane.SEARCHES if searches_of_one_caller > 1 else None,
            late=Lane.LATE,
        ),
        Lane.EXPORTS: _reads(EXPORTS_AT_ONCE, EXPORTS_OF_ONE_CALLER),
        Lane.LATE: LaneLimits(LATE_AT_ONCE, LATE_OF_ONE_CALLER, 0, wait_seconds=0.0, rank=3),
    }


_LANES: Final = (
    (re.compile(r"/api/v1/index/runs/[^/]+/(tree|batches)(/|\Z)"), Lane.UPLOADS),
    (
        re.compile(r"/api/v1/(index/(runs|updated)|github/webhook|auth/github-oidc)(/|\Z)"),
        Lane.RUNS,
    ),
    # An overload must be seen.
    (re.compile(r"/metrics\Z"), Lane.RUNS),
    (re.compile(r"/api/v1/search(/|\Z)|/o/[^/]+/(query)?\Z"), Lane.SEARCHES),
    (
        re.compile(
            r"/api/v1/(trace/(calls|impact|scip)|graph/(snapshot|refresh)|map/(consumers|unused))\Z"
        ),
        Lane.EXPORTS,
    ),
    (re.compile(r"/api/v1/(trace/|graph/|map)"), Lane.TRACES),
    (
        re.compile(
            r"/o/[^/]+/((symbol|graph|map|unused)\Z|knowledge(/|\Z)|r/[^/]+/((violations|consumers)\Z|name/))"
        ),
        Lane.TRACES,
    ),
)


def lane_of(path: str) -> Lane:
    """Return the lane of a request by its path."""
    return next((lane for pattern, lane in _LANES if pattern.match(path)), Lane.READS)
