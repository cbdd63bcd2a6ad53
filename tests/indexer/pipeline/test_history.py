"""Commits of a run: what is sent with a merge, after a rewrite, and to an older service."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.git.local import WorkingCopy
from indexer.records.files import COMMITS
from indexer.records.history import ChangeStatus, Commit
from indexer.records.runs import Mode, Reason
from tests.indexer.central import StandIn, stand_in
from tests.indexer.pipeline.test_run import run
from tests.indexer.repositories import Sandbox


@pytest.fixture
def central() -> Iterator[StandIn]:
    with stand_in() as central:
        central.orders = {"record_fields": [COMMITS]}
        yield central


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("Begin", {"a.py": "a = 1\n"})
    return sandbox


def subjects(central: StandIn) -> list[str]:
    """What the last run sent: subjects, and "gone" for each commit that the branch lost."""
    return [
        record.subject if isinstance(record, Commit) else "gone"
        for record in central.commit_records()
    ]


def test_a_first_run_sends_the_past_and_the_next_one_what_came_since(
    central: StandIn, sandbox: Sandbox
) -> None:
    sandbox.commit("Go on", {"b.py": "b = 1\n"})
    run(central, sandbox)
    assert subjects(central) == ["Begin", "Go on"]
    sandbox.git("checkout", "--quiet", "-b", "side")
    sandbox.git("mv", "b.py", "c.py")
    sandbox.commit("Move it")
    sandbox.git("checkout", "--quiet", "main")
    sandbox.git("merge", "--quiet", "--no-ff", "-m", "Merge side", "side")
    assert run(central, sandbox).reason is Reason.FAST_FORWARD
    moved, merged = central.commit_records()
    assert isinstance(moved, Commit)
    [change] = moved.changes
    assert (change.path, change.status, change.old_path) == ("c.py", ChangeStatus.RENAMED, "b.py")
    assert isinstance(merged, Commit)
    assert (merged.parents[1], merged.changes) == (moved.sha, ())


def test_addresses_of_authors_are_not_sent(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox)
    assert [record.author for record in central.commit_records() if isinstance(record, Commit)] == [
        ""
    ]


def test_rewritten_history_sends_what_is_new_and_what_is_gone(
    central: StandIn, sandbox: Sandbox
) -> None:
    sandbox.commit("Wrong")
    sandbox.commit("Wrong again")
    run(central, sandbox)
    sandbox.git("reset", "--quiet", "--hard", "HEAD~2")
    sandbox.commit("Right", {"b.py": "b = 1\n"})
    assert run(central, sandbox).reason is Reason.DIVERGED
    assert sorted(subjects(central)) == ["Right", "gone", "gone"]
    assert len(central.commits) == 2


def test_commits_that_the_clone_never_had_are_gone(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox)
    central.commits.append("c" * 40)
    central.base_commit = "c" * 40
    assert run(central, sandbox).reason is Reason.BASE_MISSING
    assert subjects(central) == ["gone"]


def test_the_edge_of_a_shallow_clone_is_left_out(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.commit("Go on", {"b.py": "b = 1\n"})
    clone = sandbox.clone_to(tmp_path / "clone", "--depth=1")
    run(central, clone)
    assert subjects(central) == []
    sandbox.commit("Then", {"b.py": "b = 2\n"})
    clone.git("fetch", "--quiet", "--unshallow")
    clone.git("merge", "--quiet", "origin/main")
    run(central, clone)
    assert subjects(central) == ["Then"]


def test_a_service_that_reads_no_commits_gets_none(central: StandIn, sandbox: Sandbox) -> None:
    central.orders = {}
    run(central, sandbox)
    assert subjects(central) == []
    assert not [one for one in central.requests if one.path.endswith("/commits")]


def test_what_git_cannot_read_of_the_past_stops_no_run(
    central: StandIn, sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    for name in "bcde":
        sandbox.commit(f"Add {name}", {f"{name}.py": "x = 1\n"})
    lost = sandbox.git("rev-parse", "HEAD~2^{tree}")
    (sandbox.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    run(central, sandbox)
    assert central.paths() == ["a.py", "b.py", "c.py", "d.py", "e.py"]
    assert subjects(central) == ["Begin", "Add b", "Add e"]
    unread = [sandbox.git("rev-parse", f"HEAD~{number}") for number in (2, 1)]
    assert all(f"{sha} is left out" in caplog.text for sha in unread)


def test_a_project_that_sends_no_commits_takes_back_those_that_it_sent(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    sandbox.commit("No more", {".codesearch.toml": "[history]\ncommits = false\n"})
    run(central, sandbox)
    assert (subjects(central), central.commits) == (["gone"], [])


def test_a_shallow_clone_takes_nothing_away(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.commit("Go on")
    run(central, sandbox)
    clone = sandbox.clone_to(tmp_path / "clone", "--depth=1")
    central.base_extractor = "another"
    assert run(central, clone).mode is Mode.FULL
    assert (subjects(central), len(central.commits)) == ([], 2)


def test_snapshots_of_a_work_tree_are_no_history(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "objects").mkdir()
    run(central, sandbox, repository=WorkingCopy(sandbox.path, tmp_path / "objects"))
    assert (central.paths(), subjects(central)) == (["a.py"], [])
