"""What a watcher does where the kernel is silent, or others touch its index. A real service."""

from collections.abc import Callable
from pathlib import Path

import pytest

from aeterna_code_search.cli.indexing import index_target
from aeterna_code_search.cli.watch import session
from aeterna_code_search.cli.watch.events import Events
from aeterna_code_search.cli.watch.journal import Update, UpdateLog
from aeterna_code_search.cli.watch.lock import watched
from aeterna_code_search.client.target.target import open_target
from indexer.client.credentials import Purpose
from indexer.errors import ConfigurationError, NotARepositoryError
from indexer.records.runs import Reason, Requested
from scripts.local_git import git
from scripts.local_service import Service
from tests.cli.conftest import MakeRepository
from tests.e2e.conftest import write_files

FILES = {"a.py": "def a():\n    return 1\n"}
CHANGED = {"a.py": "def a():\n    return 2\n"}


class EnoughError(BaseException):
    """Ends a watcher as a signal does."""


class Steps(UpdateLog):
    """Does the next step after each update, and ends the watcher after the last."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        super().__init__(as_json=True)
        self._steps = iter(steps)
        self.updates: list[Update] = []

    def watching(self, first: Update) -> None:
        self.updated(first)

    def updated(self, update: Update) -> None:
        self.updates.append(update)
        step = next(self._steps, None)
        if step is None:
            raise EnoughError
        step()


@pytest.fixture
def environ(service: Service, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The service, and no patience."""
    monkeypatch.setattr(session, "_RECHECK_SECONDS", 0.1)
    return {"AETERNA_DATA_DIR": str(service.data_dir)}


def watch(environ: dict[str, str], root: Path, *steps: Callable[[], object]) -> list[Update]:
    journal = Steps(*steps)
    with pytest.raises(EnoughError):
        session.watch(environ, root, journal)
    return journal.updates


def index(environ: dict[str, str], root: Path) -> None:
    with open_target(environ, root, purpose=Purpose.INDEX) as place:
        index_target(place, environ, root, Requested.AUTO, plain=True)


def test_a_change_that_the_kernel_does_not_tell_of_is_found(
    environ: dict[str, str], make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Events, "_relevant_paths", lambda *_: frozenset())
    root = make_repository("watch-deaf", FILES)
    first, second = watch(environ, root, lambda: write_files(root, CHANGED))
    assert first.state.commit == git(root, "rev-parse", "HEAD")
    assert second.paths == {"a.py"}
    assert second.seconds is not None
    assert second.seconds < 600  # since the file's own time


def test_an_index_that_somebody_made_of_another_commit_is_made_anew(
    environ: dict[str, str], make_repository: MakeRepository
) -> None:
    root = make_repository("watch-shared", FILES)
    _, mine, again = watch(
        environ, root, lambda: write_files(root, CHANGED), lambda: index(environ, root)
    )
    assert again.state.commit == mine.state.commit
    assert again.report.base_commit == git(root, "rev-parse", "HEAD")
    assert again.report.reason is Reason.FAST_FORWARD


def test_objects_that_are_gone_are_made_again(
    environ: dict[str, str], make_repository: MakeRepository, service: Service
) -> None:
    root = make_repository("watch-pruned", FILES)

    def prune() -> None:
        state = watched(service.data_dir, root)
        assert state
        for path in (state.directory / "objects").glob("??/*"):
            path.unlink()
        write_files(root, {"b.py": "def b():\n    return 1\n"})

    *_, last = watch(environ, root, lambda: write_files(root, CHANGED), prune)
    assert last.report.reason is Reason.BASE_MISSING
    assert last.report.stats.files_changed == 1


def test_what_is_no_checkout_is_not_watched(environ: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(NotARepositoryError):
        session.watch(environ, tmp_path, Steps())


def test_what_has_no_work_tree_is_said_to_be_bare(
    environ: dict[str, str], make_repository: MakeRepository, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(make_repository("full", FILES)), "bare.git")
    with pytest.raises(ConfigurationError, match="is a bare repository without a work tree to"):
        session.watch(environ, tmp_path / "bare.git", Steps())


def test_an_index_inside_of_the_checkout_is_refused(make_repository: MakeRepository) -> None:
    root = make_repository("watch-itself", FILES)
    with pytest.raises(ConfigurationError, match="add /var/ to"):
        session.watch({"AETERNA_DATA_DIR": f"{root}/var"}, root, Steps())
