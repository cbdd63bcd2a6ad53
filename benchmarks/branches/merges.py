"""A merge that changes three files: into a release branch, into main, and without branches."""

import statistics
import time
from collections.abc import Iterator, Sequence

from benchmarks.branches.clones import Clone
from benchmarks.tables import Figure
from scripts.local_git import commit_all, git
from scripts.local_service import Organization

ROUNDS = 4
_ENDINGS = (".py", ".js", ".java", ".rb")
_COMMENT = {".py": "#", ".rb": "#", ".js": "//", ".java": "//"}


def beside(clones: Sequence[Clone], acme: Organization, without: Organization) -> Iterator[Figure]:
    """Yield medians of merges, in turns: of the same three files, on each repository."""
    seconds: dict[str, list[float]] = {"branch": [], "main": [], "without": []}
    for round_ in range(ROUNDS):
        for clone in clones:
            release = clone.branches[-1]
            for side, branch, organization in (
                ("branch", release, acme),
                ("main", "main", acme),
                ("without", "main", without),
            ):
                _merge(clone, branch, f"{side} {round_}")
                started = time.perf_counter()
                organization.index(clone.directory, clone.name)
                seconds[side].append(time.perf_counter() - started)
    median = {side: statistics.median(taken) for side, taken in seconds.items()}
    yield Figure("a merge into main, without branches", median["without"], "s")
    yield Figure("… into main, with branches", median["main"], "s", 1.1 * median["without"])
    yield Figure("… into a release branch", median["branch"], "s", 1.1 * median["without"])


def _merge(clone: Clone, branch: str, remark: str) -> None:
    """Commit a comment at the end of three files that all branches have."""
    clone.check_out(branch)
    shared: set[str] | None = None
    for name in ("main", clone.branches[-1]):
        paths = set(git(clone.directory, "ls-tree", "-r", "--name-only", name).splitlines())
        shared = paths if shared is None else shared & paths
    for path in sorted(path for path in shared or () if path.endswith(_ENDINGS))[4:34:10]:
        file = clone.directory / path
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"\n{_COMMENT[file.suffix]} {remark}\n")
    commit_all(clone.directory, f"Merge {remark}")
    git(clone.directory, "push", "--quiet", "origin", branch)
