"""What is indexed at the service of this machine: the checkout, whatever state it is in."""

import subprocess
from pathlib import Path

import pytest

from aeterna_code_search.cli.indexing import index_target
from aeterna_code_search.client.target.target import open_target
from indexer.client.credentials import Purpose
from indexer.pipeline.job import ScipRequest, scip_request
from indexer.pipeline.report import Report, ScipReport
from indexer.records.runs import Requested
from scripts.local_git import commit_all, git
from scripts.local_service import Service
from tests.cli.conftest import MakeRepository
from tests.e2e.conftest import write_files
from tests.indexer.scip.indexes import write_index

FILES = {"a.py": "def a():\n    return 1\n", "b.py": "def b():\n    return 2\n"}


def index(
    service: Service,
    root: Path,
    requested: Requested = Requested.AUTO,
    scip: ScipRequest | None = None,
) -> Report:
    environ = {"AETERNA_DATA_DIR": str(service.data_dir)}
    with open_target(environ, root, purpose=Purpose.INDEX) as target:
        return index_target(target, environ, root, requested, plain=True, scip=scip)


def outcome(report: Report) -> tuple[str, str, int]:
    return report.mode, report.reason, report.stats.files_changed


def test_any_branch_and_any_commit_that_is_checked_out(
    service: Service, make_repository: MakeRepository
) -> None:
    root = make_repository("index-branches", FILES)
    first = git(root, "rev-parse", "HEAD")
    assert outcome(index(service, root)) == ("full", "first_index", 2)
    git(root, "checkout", "-q", "-b", "topic")
    write_files(root, {"a.py": "def a():\n    return 3\n"})
    topic = commit_all(root, "Not pushed anywhere")
    assert outcome(index(service, root)) == ("incremental", "fast_forward", 1)
    git(root, "checkout", "-q", "--detach", first)
    back = index(service, root)
    assert outcome(back)[::2] == ("full", 1)
    assert (back.base_commit, back.last_indexed_commit) == (topic, first)


def test_an_index_of_a_compiler_is_brought_once(
    service: Service, make_repository: MakeRepository, tmp_path: Path
) -> None:
    marked = {"a.ts": "function «=f|`a.ts`/f().»() {}\n", "b.ts": "«f|`a.ts`/f().»()\n"}
    sources = write_index(tmp_path / "index.scip", marked, tmp_path)
    root = make_repository("index-scip", sources)
    scip = scip_request([f"{tmp_path}/*.scip"], "", {}, root)
    assert index(service, root, scip=scip).scip == ScipReport(documents=2, sent=2)
    again = index(service, root, scip=scip)
    assert (again.reason, again.scip) == ("up_to_date", ScipReport(documents=2, unchanged=2))


def test_a_shallow_clone_whose_remote_is_away(
    service: Service, make_repository: MakeRepository, tmp_path: Path
) -> None:
    source = make_repository("index-source", FILES)
    commit_all(source, "Second commit")
    clone = tmp_path / "index-shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source.as_uri(), clone], check=True)
    git(clone, "remote", "set-url", "origin", "https://127.0.0.1:9/index-shallow")
    assert outcome(index(service, clone)) == ("full", "first_index", 2)
    write_files(clone, {"c.py": "c = 1\n"})
    commit_all(clone, "Third commit")
    assert outcome(index(service, clone)) == ("incremental", "fast_forward", 1)


def test_a_checkout_whose_indexed_commit_is_gone(
    service: Service, make_repository: MakeRepository
) -> None:
    """As after a session of `watch`, whose snapshots no ref names."""
    root = make_repository("index-gone", FILES)
    write_files(root, {"a.py": "def a():\n    return 4\n"})
    commit_all(root, "Soon gone")
    index(service, root)
    git(root, "reset", "-q", "--hard", "HEAD~1")
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")
    assert outcome(index(service, root)) == ("full", "base_missing", 1)


def test_two_checkouts_of_one_name_do_not_overwrite_each_other(
    service: Service, make_repository: MakeRepository
) -> None:
    roots = [make_repository(f"{target}/index-twice", FILES) for target in ("here", "there")]
    reports = [index(service, root) for root in roots]
    assert [report.project for report in reports] == ["index-twice", "index-twice-2"]
    assert [outcome(report)[1] for report in reports] == ["first_index", "first_index"]


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (Requested.AUTO, ("none", "up_to_date", 0)),
        (Requested.FULL, ("full", "requested", 0)),
        (Requested.FORCE, ("force", "requested", 1)),
    ],
)
def test_the_same_commit_again_as_it_is_asked_for(
    requested: Requested,
    expected: tuple[str, str, int],
    service: Service,
    make_repository: MakeRepository,
) -> None:
    root = make_repository(f"index-{requested}", {"a.py": FILES["a.py"]})
    index(service, root)
    assert outcome(index(service, root, requested)) == expected
