"""When the work tree is looked at again, with the kernel's own events."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeterna_code_search.cli.watch import events as events_module
from aeterna_code_search.cli.watch.events import Events
from indexer.git.local import WorkingCopy
from tests.indexer.repositories import Sandbox

SECONDS = 20.0


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "checkout")
    sandbox.write({".gitignore": "build/\n*.log\n", "a.py": "a = 1\n", "kept.log": ""})
    (sandbox.path / "build").mkdir()
    sandbox.git("add", "--force", "kept.log")
    sandbox.commit("first")
    return sandbox


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def events(sandbox: Sandbox, told: list[str]) -> Iterator[Events]:
    events = Events(WorkingCopy(sandbox.path), told.append)
    yield events
    events.close()


def test_a_write_wakes_with_its_path(sandbox: Sandbox, events: Events) -> None:
    sandbox.write({"a.py": "a = 2\n"})
    assert events.wait(SECONDS) == {"a.py"}


def test_a_directory_that_is_new_is_watched_too(sandbox: Sandbox, events: Events) -> None:
    (sandbox.path / "new/inner").mkdir(parents=True)
    assert events.wait(SECONDS)
    sandbox.write({"new/inner/b.py": "b = 1\n"})
    assert "new/inner/b.py" in events.wait(SECONDS)


def test_what_git_ignores_wakes_nobody_unless_it_is_tracked(
    sandbox: Sandbox, events: Events
) -> None:
    sandbox.write({"build/out.py": "", "noise.log": "", "kept.log": "tracked\n"})
    assert events.wait(SECONDS) == {"kept.log"}
    sandbox.write({"build/out.py": "again\n", "noise.log": "again\n"})
    assert events.wait(0.5) == frozenset()


def test_git_itself_wakes_nobody(sandbox: Sandbox, events: Events) -> None:
    sandbox.git("commit", "--quiet", "--allow-empty", "-m", "nothing new")
    sandbox.git("tag", "a-name")
    assert events.wait(0.5) == frozenset()


def test_what_says_what_is_ignored_wakes_also_where_it_ignores_itself(
    sandbox: Sandbox, events: Events
) -> None:
    (sandbox.path / "cache").mkdir()
    assert events.wait(SECONDS)
    sandbox.write({"cache/.gitignore": "*\n"})
    assert "cache/.gitignore" in events.wait(SECONDS)
    (sandbox.path / ".git/info/exclude").write_text("x.py\n")
    assert events.wait(SECONDS) == {".git/info/exclude"}


def test_paths_that_git_cannot_judge_wake(sandbox: Sandbox, events: Events, tmp_path: Path) -> None:
    part = Sandbox(tmp_path / "part")
    part.commit("part", {"p.py": "p = 1\n"})
    sandbox.git("submodule", "--quiet", "add", f"file://{part.path}", "part")
    assert events.wait(SECONDS)
    sandbox.write({"part/p.py": "p = 2\n"})
    assert "part/p.py" in events.wait(SECONDS)


def test_a_name_that_is_not_utf8_wakes_and_the_next_is_heard_again(
    sandbox: Sandbox, events: Events
) -> None:
    Path(os.fsdecode(os.fsencode(sandbox.path) + b"/caf\xe9.py")).write_text("")
    assert events.wait(SECONDS) == frozenset()
    sandbox.write({"a.py": "a = 2\n"})
    assert "a.py" in events.wait(SECONDS)


def test_without_watches_git_is_asked_now_and_then_and_the_user_told(
    sandbox: Sandbox, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events_module, "can_add_watch", lambda: False)
    monkeypatch.setattr(events_module, "_POLL_SECONDS", 0.05)
    events = Events(WorkingCopy(sandbox.path), told.append)
    assert events.wait(SECONDS) == frozenset()
    assert "fs.inotify.max_user_watches" in told[0]
