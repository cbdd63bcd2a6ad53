"""One watcher a checkout, and what others may know of it."""

import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeterna_code_search.cli.watch.lock import lock_checkout, watched, write_watch_record
from indexer.errors import ConfigurationError

HOLDER = """
import sys
from pathlib import Path
from aeterna_code_search.cli.watch.lock import lock_checkout, write_watch_record
data, root = map(Path, sys.argv[1:])
with lock_checkout(data, root) as directory:
    write_watch_record(directory, root=root, project="shop", commit="c" * 40)
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that watches `tmp_path / "root"`."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "data"), str(tmp_path / "root")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_what_a_watcher_says_is_there_for_everybody(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    state = watched(tmp_path / "data", tmp_path / "root")
    assert state
    assert (state.root, state.project, state.commit) == (tmp_path / "root", "shop", "c" * 40)
    assert state.pid == holder.pid
    assert state.indexed_at.endswith("Z")
    assert watched(tmp_path / "data", tmp_path / "elsewhere") is None


def test_its_directory_is_its_owners_alone(tmp_path: Path) -> None:
    """What is not committed yet is in it."""
    with lock_checkout(tmp_path, tmp_path) as directory:
        for path in (directory, directory.parent):
            assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_the_second_is_told_who_the_first_is(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    with (
        pytest.raises(ConfigurationError, match=rf"by process {holder.pid} since 2\d\d\d-"),
        lock_checkout(tmp_path / "data", tmp_path / "root"),
    ):
        pass


def test_other_checkouts_are_free(holder: "subprocess.Popen[str]", tmp_path: Path) -> None:
    assert holder.poll() is None
    with lock_checkout(tmp_path / "data", tmp_path / "other") as directory:
        assert directory.is_dir()


def test_a_killed_watcher_is_not_believed_any_more(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    holder.kill()
    holder.wait()
    assert watched(tmp_path / "data", tmp_path / "root") is None
    with lock_checkout(tmp_path / "data", tmp_path / "root"):
        assert watched(tmp_path / "data", tmp_path / "root") is None  # nothing is indexed yet


def test_one_that_ends_leaves_nothing_said(tmp_path: Path) -> None:
    with lock_checkout(tmp_path, tmp_path / "root") as directory:
        write_watch_record(directory, root=tmp_path / "root", project="shop", commit="c" * 40)
        assert watched(tmp_path, tmp_path / "root")
    assert not (directory / "state.json").exists()
