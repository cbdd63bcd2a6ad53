"""From a commit to applied and searchable: cold, three changed files, one of each language, after
a force push; and the second search on one's own machine.
"""

import resource
import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from benchmarks import own_machine
from benchmarks.corpora import python_repository
from benchmarks.tables import Figure
from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import ROOT, Organization, Service, running_service

SAMPLES = ROOT / "tests/indexer/data/sources"  # sample.py.txt and one of each other language
ROUNDS = 5
PAIRS = 11
IDLE_PERCENT = 5.0  # of a core


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of the reference repository (3.5 MB of Python) and of one ten times as large."""
    small = python_repository(workspace / "small", megabytes=3.5)
    large = python_repository(workspace / "large", megabytes=35)
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        yield Figure("cold index, 3.5 MB of Python", timed_index(acme, small, "small"), "s", 10)
        yield Figure("peak resident, indexer (any process)", indexer_peak(), "MB", 700)
        yield from server_peaks(service, "")
        wait_until_idle(service)
        yield Figure("force push that changes 3 files", force_push(acme, small, "small"), "s", 2.5)
        yield Figure("cold index, 35 MB of Python", timed_index(acme, large, "large"), "s")
        yield Figure("peak resident, indexer, after 35 MB", indexer_peak(), "MB", 700)
        yield from server_peaks(service, ", after 35 MB")
        wait_until_idle(service)
        three_small, three_large = three_files(acme, {"small": small, "large": large})
        yield Figure("3 changed files", three_small, "s", 1.5)
        yield Figure("3 changed files, ten times the repository", three_large, "s")
        yield Figure("… in proportion", three_large / three_small, "times", 1.1)
        yield from one_file_of_each_language(acme, workspace / "languages")
    yield from own_machine.measure(workspace / "own", small)


def timed_index(acme: Organization, repository: Path, project: str) -> float:
    """Wall time of the whole indexer process, in seconds; it ends when the run is applied."""
    started = time.perf_counter()
    acme.index(repository, project)
    return time.perf_counter() - started


def three_files(acme: Organization, repositories: dict[str, Path]) -> list[float]:
    """For each repository the median over a few commits that change three files each.

    In turns, so that what else the machine does meets all of them alike.
    """
    seconds: dict[str, list[float]] = {project: [] for project in repositories}
    for round_ in range(PAIRS):
        for project, repository in repositories.items():
            touch_three(repository, f"round {round_}")
            commit_all(repository, f"Round {round_}")
            seconds[project].append(timed_index(acme, repository, project))
    return [statistics.median(samples) for samples in seconds.values()]


def one_file_of_each_language(acme: Organization, directory: Path) -> Iterator[Figure]:
    """For each language the median over a few commits that change one file of it, in turns."""
    new_repository(directory)
    samples = sorted(SAMPLES.glob("[sS]ample.*.txt"))
    for sample in samples:
        shutil.copyfile(sample, directory / sample.name.removesuffix(".txt"))
    commit_all(directory, "One of each")
    timed_index(acme, directory, "languages")
    seconds: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for sample in samples:
            file = directory / sample.name.removesuffix(".txt")
            with file.open("a", encoding="utf-8") as opened:
                opened.write("\n")
            commit_all(directory, f"Change {file.name}")
            suffix = file.suffix.removeprefix(".")
            seconds.setdefault(suffix, []).append(timed_index(acme, directory, "languages"))
    medians = {suffix: statistics.median(taken) for suffix, taken in seconds.items()}
    for suffix, median in medians.items():
        bound = 0.6 if suffix == "py" else 0.9
        yield Figure(f"1 changed file, {suffix}", median, "s", bound)


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


def wait_until_idle(service: Service) -> None:
    """Return when the server has next to nothing to do: edges follow after an apply."""
    server = server_process(service)
    while server.cpu_percent(interval=1.0) > IDLE_PERCENT:
        pass


def indexer_peak() -> float:
    """Largest resident size of any indexer process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000


def server_peaks(service: Service, when: str) -> Iterator[Figure]:
    """Largest resident size of the server's processes so far, in MB: web, and vector store."""
    server = server_process(service)
    store = max((peak(child.pid) for child in server.children(recursive=True)), default=0.0)
    yield Figure(f"peak resident, server{when}", peak(server.pid), "MB", 700)
    yield Figure(f"peak resident, store process{when}", store, "MB", 700)


def server_process(service: Service) -> psutil.Process:
    """The process of a running service. Raises RuntimeError if there is none."""
    if service.process is None:
        raise RuntimeError("The service is not running.")
    return psutil.Process(service.process.pid)


def peak(pid: int) -> float:
    """VmHWM of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1000
