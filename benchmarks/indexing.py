"""From a commit to applied and searchable: cold, three changed files, after a force push."""

import resource
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import python_repository
from benchmarks.figures import Figure
from scripts.local_git import commit_all, git
from scripts.local_service import Organization, Service, running_service

ROUNDS = 5


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of the reference repository (3.5 MB of Python) and of one ten times as large."""
    small = python_repository(workspace / "small", megabytes=3.5)
    large = python_repository(workspace / "large", megabytes=35)
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        yield Figure("cold index, 3.5 MB of Python", timed_index(acme, small, "small"), "s", 10)
        yield Figure("peak resident, indexer (any process)", indexer_peak(), "MB", 700)
        yield Figure("peak resident, server", server_peak(service), "MB", 700)
        three_small = three_files(acme, small, "small")
        yield Figure("3 changed files", three_small, "s", 1.5)
        yield Figure("force push that changes 3 files", force_push(acme, small, "small"), "s", 2.5)
        yield Figure("cold index, 35 MB of Python", timed_index(acme, large, "large"), "s")
        three_large = three_files(acme, large, "large")
        yield Figure("3 changed files, ten times the repository", three_large, "s")
        yield Figure("… in proportion", three_large / three_small, "times", 1.1)
        yield Figure("peak resident, server, after 35 MB", server_peak(service), "MB", 700)
        yield Figure("peak resident, indexer, after 35 MB", indexer_peak(), "MB", 700)


def timed_index(acme: Organization, repository: Path, project: str) -> float:
    """Wall time of the whole indexer process, in seconds; it ends when the run is applied."""
    started = time.perf_counter()
    acme.index(repository, project)
    return time.perf_counter() - started


def three_files(acme: Organization, repository: Path, project: str) -> float:
    """Median over a few commits that change three files each."""
    seconds = []
    for round_ in range(ROUNDS):
        touch_three(repository, f"round {round_}")
        commit_all(repository, f"Round {round_}")
        seconds.append(timed_index(acme, repository, project))
    return statistics.median(seconds)


def force_push(acme: Organization, repository: Path, project: str) -> float:
    """Median over a few rewritten histories whose trees differ in three files."""
    seconds = []
    for round_ in range(ROUNDS):
        git(repository, "checkout", "--quiet", "--orphan", f"rewritten-{round_}")
        touch_three(repository, f"rewritten {round_}")
        commit_all(repository, f"Rewritten {round_}")
        git(repository, "branch", "--quiet", "--force", "main", "HEAD")
        git(repository, "checkout", "--quiet", "main")
        seconds.append(timed_index(acme, repository, project))
    return statistics.median(seconds)


def touch_three(repository: Path, remark: str) -> None:
    """Append a comment to three files."""
    for path in sorted((repository / "celery").rglob("*.py"))[10:40:10]:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n# {remark}\n")


def indexer_peak() -> float:
    """Largest resident size of any indexer process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000


def server_peak(service: Service) -> float:
    """Largest resident size of the server process so far, in MB."""
    if service.process is None:
        raise RuntimeError("The service is not running.")
    status = Path(f"/proc/{service.process.pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1000
