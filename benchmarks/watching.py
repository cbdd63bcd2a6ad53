"""From the last write to searchable: one file, and a checkout that changes 500 files."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import copy_sources
from benchmarks.tables import Figure
from scripts.local_git import commit_all, git, new_repository
from scripts.local_watcher import Watcher, running_watcher

ROUNDS = 9
SWITCHES = 4
FILES = 500
PROMISED_SECONDS = 5


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of a watcher on Django's sources, as the watcher itself prints them."""
    checkout = two_branches(workspace / "django")
    with running_watcher(checkout, workspace / "data") as watcher:
        yield _figure("one file, from last write to searchable", one_file(watcher, checkout))
        yield _figure(f"checkout of {FILES} files, the same", switches(watcher, checkout))


def two_branches(directory: Path) -> Path:
    """A checkout of Django with a branch `other`, where a line was added to each of 500 files."""
    directory.mkdir(parents=True)
    copy_sources("django", directory)
    new_repository(directory)
    commit_all(directory, "The corpus")
    git(directory, "checkout", "--quiet", "-b", "other")
    written = [path for path in sorted(directory.rglob("*.py")) if path.stat().st_size]
    for path in written[:: len(written) // FILES][:FILES]:
        with path.open("a", encoding="utf-8") as file:
            file.write("\nOF_THE_OTHER_BRANCH = True\n")
    commit_all(directory, "The other branch")
    git(directory, "checkout", "--quiet", "main")
    return directory


def one_file(watcher: Watcher, checkout: Path) -> float:
    """Median over several edits of a file of 10 kB or so."""
    path = checkout / "django/core/paginator.py"
    seconds = []
    for round_ in range(ROUNDS):
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\nROUND = {round_}\n")
        seconds.append(_seconds(watcher, 1))
    git(checkout, "checkout", "--quiet", ".")
    _seconds(watcher, 1)
    return statistics.median(seconds)


def switches(watcher: Watcher, checkout: Path) -> float:
    """Median over several changes of the branch."""
    seconds = []
    for round_ in range(SWITCHES):
        git(checkout, "checkout", "--quiet", ("other", "main")[round_ % 2])
        seconds.append(_seconds(watcher, FILES))
    return statistics.median(seconds)


def _seconds(watcher: Watcher, files: int) -> float:
    """Until so many files are searchable; a burst may be taken in two."""
    seen = 0
    while seen < files:
        line = watcher.line_where(lambda line: line["event"] == "updated")
        seen += line["files"]["changed"]
    return float(line["seconds_after_last_write"])


def _figure(name: str, seconds: float) -> Figure:
    return Figure(name, seconds, "s", PROMISED_SECONDS)
