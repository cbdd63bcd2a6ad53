"""The lanes in which requests wait for a thread: by what they cost, and who waits for them."""

import re
from enum import Enum, unique
from typing import Final, NamedTuple

from indexer.limits import (
    READ_WAIT_SECONDS,
    READS_AT_ONCE,
    REQUESTS_OF_ONE_CALLER,
    REQUESTS_WAITING,
    RUN_WAIT_SECONDS,
    RUNS_AT_ONCE,
    RUNS_OF_ONE_CALLER,
    STREAMS_AT_ONCE,
    STREAMS_OF_ONE_CALLER,
    STREAMS_WAITING,
    TRACES_AT_ONCE,
    TRACES_OF_ONE_CALLER,
    UPLOAD_WAIT_SECONDS,
    UPLOADS_AT_ONCE,
    UPLOADS_OF_ONE_CALLER,
    UPLOADS_WAITING,
)


class LaneLimits(NamedTuple):
    """Requests of a lane that run, run for one caller and wait; seconds of waiting, None: no end.

    Lanes with `is_read` never have all threads, even together. Of the others, waiting requests are
    served first.
    """

    at_once: int
    of_one_caller: int
    waiting: int
    wait_seconds: float | None
    is_read: bool = True


@unique
class Lane(Enum):
    """A lane, with its limits. Those that come first are served first."""

    # Webhooks and the run protocol: GitHub sends a webhook once, and a job of CI waits.
    RUNS = LaneLimits(
        RUNS_AT_ONCE, RUNS_OF_ONE_CALLER, REQUESTS_WAITING, RUN_WAIT_SECONDS, is_read=False
    )
    # Trees and batches take memory.
    UPLOADS = LaneLimits(
        UPLOADS_AT_ONCE, UPLOADS_OF_ONE_CALLER, UPLOADS_WAITING, UPLOAD_WAIT_SECONDS, is_read=False
    )
    # The rest of an answer whose beginning was sent: it can no longer be refused. As it is served
    # before reads, it never has all of their threads.
    BEGUN = LaneLimits(STREAMS_AT_ONCE, STREAMS_OF_ONE_CALLER, STREAMS_WAITING, wait_seconds=None)
    READS = LaneLimits(READS_AT_ONCE, REQUESTS_OF_ONE_CALLER, REQUESTS_WAITING, READ_WAIT_SECONDS)
    # Answers that cost many times as much as a search.
    TRACES = LaneLimits(TRACES_AT_ONCE, TRACES_OF_ONE_CALLER, REQUESTS_WAITING, READ_WAIT_SECONDS)

    @property
    def rank(self) -> int:
        """Which lanes are served first: lower ranks. Reads and traces take turns."""
        return 0 if not self.value.is_read else 1 if self.value.wait_seconds is None else 2


_LANES: Final = (
    (re.compile(r"/api/v1/index/runs/[^/]+/(tree|batches)(/|\Z)"), Lane.UPLOADS),
    (
        re.compile(r"/api/v1/(index/(runs|updated)|github/webhook|auth/github-oidc)(/|\Z)"),
        Lane.RUNS,
    ),
    # An overload must be seen.
    (re.compile(r"/metrics\Z"), Lane.RUNS),
    (re.compile(r"/api/v1/(trace|graph)/"), Lane.TRACES),
    (
        re.compile(r"/o/[^/]+/(symbol\Z|graph\Z|knowledge(/|\Z)|r/[^/]+/violations\Z)"),
        Lane.TRACES,
    ),
)


def lane_of(path: str) -> Lane:
    """Return the lane of a request by its path."""
    return next((lane for pattern, lane in _LANES if pattern.match(path)), Lane.READS)
