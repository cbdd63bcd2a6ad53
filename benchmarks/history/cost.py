"""What commits cost: bytes of what is stored of them, and seconds of a merge."""

import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.corpora import python_repository
from benchmarks.indexing import touch_three
from benchmarks.tables import Figure
from scripts.local_git import commit_all, git
from scripts.local_service import Organization, running_service

PAIRS = 11
_COMMIT_TABLES = ("corpus_commit", "corpus_commitchange", "corpus_commitpatch")
_SIZES = """SELECT relname, pg_total_relation_size(oid) FROM pg_class
    WHERE relkind = 'r' AND (relname LIKE 'corpus\\_%' OR relname LIKE 'trace\\_%')"""
_POSTINGS = """SELECT COALESCE(sum(length(p.data)) FILTER (WHERE s.history_of_id IS NOT NULL), 0)
        / GREATEST(sum(length(p.data)), 1)::float
    FROM corpus_trigramposting p JOIN corpus_trigramsegment s ON s.id = p.segment_id"""


def storage(database: "psycopg.Connection[Any]", data_dir: Path) -> Iterator[Figure]:
    """Yield the bytes that commits take, a commit and as a share of the rest of the index."""
    sizes = {name: int(size) for name, size in database.execute(_SIZES)}
    [(share,)] = database.execute(_POSTINGS)
    [(commits,)] = database.execute("SELECT count(*) FROM corpus_commit")
    of_text = share * sizes["corpus_trigramposting"]
    of_commits = sum(sizes[name] for name in _COMMIT_TABLES) + of_text
    files = (file.stat() for file in (data_dir / "edge").rglob("*") if file.is_file())
    vectors = sum(512 * file.st_blocks for file in files)  # some are allocated in advance
    rest = sum(sizes.values()) + vectors - of_commits
    bound = max(8_000, 0.15 * rest / commits)
    yield Figure("commits stored", commits, "")
    yield Figure("stored of a commit", of_commits / commits, "bytes", bound)
    yield Figure("… of it in the text index", of_text / commits, "bytes")
    yield Figure("… beside the rest of the index", 100 * of_commits / rest, "%")


def merges(workspace: Path) -> Iterator[Figure]:
    """Yield the seconds of a merge that changes three files, by three commits, with and without.

    In turns, of two services and two clones that are alike.
    """
    shutil.rmtree(workspace, ignore_errors=True)  # of a run before
    workspace.mkdir()
    clones = {name: python_repository(workspace / name, megabytes=3.5) for name in ("with", "off")}
    seconds: dict[str, list[float]] = {name: [] for name in clones}
    with (
        running_service(workspace / "data-with") as service,
        running_service(workspace / "data-off", {"AETERNA_HISTORY_COMMITS": "0"}) as other,
    ):
        asked = {"with": service.organization("acme"), "off": other.organization("acme")}
        for name, clone in clones.items():
            asked[name].index(clone, "project")
        for round_ in range(PAIRS):
            for name, clone in clones.items():
                seconds[name].append(_merge(asked[name], clone, round_))
    median = {name: statistics.median(samples) for name, samples in seconds.items()}
    yield Figure("a merge of three files, without commits", median["off"], "s")
    yield Figure("… with its commits", median["with"], "s", 1.1 * median["off"])


def _merge(acme: Organization, clone: Path, round_: int) -> float:
    git(clone, "checkout", "--quiet", "-b", f"topic{round_}")
    touch_three(clone, f"round {round_}")
    changed = git(clone, "diff", "--name-only").splitlines()
    for path in changed[:-1]:
        git(clone, "commit", "--quiet", "--message", f"Touch {path}", "--", path)
    commit_all(clone, f"Touch {changed[-1]}")
    git(clone, "checkout", "--quiet", "main")
    git(clone, "merge", "--quiet", "--no-ff", "--message", "Merge it", f"topic{round_}")
    started = time.perf_counter()
    acme.index(clone, "project")
    return time.perf_counter() - started
