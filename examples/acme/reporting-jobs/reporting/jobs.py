"""Running the nightly jobs one after the other."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from acme_common.logging import configure_logging
from acme_common.retry import RetriesExhaustedError, RetryPolicy, retry_call

logger = logging.getLogger(__name__)
NIGHT_POLICY = RetryPolicy(attempts=4, base_seconds=60, cap_seconds=900)


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    run: Callable[[], None]
    after: tuple[str, ...] = ()


def run_all(jobs: list[Job]) -> dict[str, str]:
    """Run every job whose prerequisites succeeded. Returns `ok`, `failed` or `skipped` by name."""
    configure_logging("reporting-jobs")
    results: dict[str, str] = {}
    for job in jobs:
        if any(results.get(name) != "ok" for name in job.after):
            results[job.name] = "skipped"
            continue
        try:
            retry_call(job.run, policy=NIGHT_POLICY)
            results[job.name] = "ok"
        except RetriesExhaustedError:
            logger.exception("job %s failed", job.name)
            results[job.name] = "failed"
    return results
