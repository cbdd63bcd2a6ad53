"""`codesearch watch` on a real checkout: what is written is searchable, and on this machine only.

The watcher is told of a central service all the while; whatever that is asked would be noted.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import psutil
import pytest

from aeterna_code_search.cli.watch.lock import watched
from central.runtime.data_directory import running_server
from central.runtime.idle_shutdown import keep_alive
from scripts.local_service import ROOT, Organization, Service, clean_environment
from scripts.local_watcher import WATCH, Line, Watcher
from tests.e2e.conftest import prepared_data_directory
from tests.indexer.repositories import Sandbox
from tests.waiting import wait_until

MANY = 150
LAST = f"many_{MANY - 1}"
PROMISED_SECONDS = 5.0


class CentralService:
    """A service that hangs up on everybody, and knows what it was asked."""

    def __init__(self) -> None:
        asked: list[bytes] = []

        class HangingUp(BaseRequestHandler):
            def handle(self) -> None:
                asked.append(self.request.recv(4096))

        self.asked = asked
        self._server = ThreadingTCPServer(("127.0.0.1", 0), HangingUp)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass
class Watching:
    """A checkout, the watcher on it, and the service on this machine."""

    checkout: Sandbox
    data_dir: Path
    central: CentralService
    watcher: Watcher

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AETERNA_URL": self.central.url,
            "AETERNA_ORGANIZATION": "acme",
            "AETERNA_TOKEN": "central's own",
        }

    @property
    def index(self) -> Organization:
        token = (self.data_dir / "local_tokens/acme").read_text()
        return Organization(Service(self.data_dir), "acme", token)

    def begin(self) -> Line:
        self.watcher = Watcher(self.checkout.path, self.data_dir, self.environment)
        return self.watcher.line_where(lambda line: line["event"] == "watching")

    def update_of(self, path: str) -> Line:
        """The first update from here on that holds a path."""
        return self.watcher.line_where(lambda line: path in line.get("paths", ()))

    def symbols(self, name: str) -> list[tuple[str, str]]:
        """(file, content) of what defines a name, as the service answers at this moment."""
        results = self.index.search(name, mode="symbol")["results"]
        return [(row["file"], row["content"]) for row in results if row["name"] == name]

    def defines(self, name: str) -> bool:
        return bool(self.symbols(name))

    def until(self, holds: Callable[[], bool]) -> Line:
        """The update with which something holds; a burst may be taken in several."""
        return self.watcher.line_where(lambda line: line["event"] == "updated" and holds())

    def write(self, files: dict[str, str | bytes | None]) -> None:
        self.checkout.write(files)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watching]:
    checkout = Sandbox(tmp_path_factory.mktemp("watching") / "shop")
    checkout.commit("first", {".gitignore": "build/\n", "shop/cart.py": "def total(): return 1\n"})
    checkout.git("checkout", "--quiet", "-b", "other")
    checkout.commit(
        "many",
        {f"many/m{number}.py": f"def many_{number}(): return 1\n" for number in range(MANY)},
    )
    checkout.git("checkout", "--quiet", "main")
    central = CentralService()
    with (
        prepared_data_directory() as data_dir,
        keep_alive(data_dir),
    ):  # one service from first to last
        watching = Watching(checkout, data_dir, central, None)  # type: ignore[arg-type]
        watching.begin()
        yield watching
        watching.watcher.stop()
        ending = end_service(data_dir)
        wait_until(lambda: all(has_ended(process) for process in ending))
    central.close()


@pytest.fixture
def watching(whole: Watching) -> Iterator[Watching]:
    """The shared watcher; central has heard of nothing before, and hears of nothing."""
    yield whole
    assert whole.central.asked == []


def end_service(data_dir: Path, number: signal.Signals = signal.SIGTERM) -> list[psutil.Process]:
    """Send `number` to the server; return it and its child processes, which may take a while."""
    record = running_server(data_dir)
    assert record
    server = psutil.Process(record["pid"])
    processes = [server, *server.children(recursive=True)]
    server.send_signal(number)
    return processes


def has_ended(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


# Spec 3, "Real-time Index Updates"


def test_index_updates_on_file_change(watching: Watching) -> None:
    watching.write({"shop/cart.py": "def total(): return sum_of_prices\n"})
    line = watching.update_of("shop/cart.py")
    assert watching.symbols("total") == [("shop/cart.py", "def total(): return sum_of_prices")]
    assert 0 < line["seconds_after_last_write"] < PROMISED_SECONDS
    assert line["mode"] == "incremental"


def test_index_updates_on_file_creation(watching: Watching) -> None:
    watching.write({"shop/new/lantern.py": "def lantern_light(): return 1\n"})
    line = watching.update_of("shop/new/lantern.py")
    assert [file for file, _ in watching.symbols("lantern_light")] == ["shop/new/lantern.py"]
    assert 0 < line["seconds_after_last_write"] < PROMISED_SECONDS


def test_index_updates_on_file_deletion(watching: Watching) -> None:
    watching.write({"shop/anchor.py": "def anchor_chain(): return 1\n"})
    watching.update_of("shop/anchor.py")
    assert watching.symbols("anchor_chain")
    watching.write({"shop/anchor.py": None})
    line = watching.update_of("shop/anchor.py")
    assert watching.symbols("anchor_chain") == []
    assert line["files"]["removed"] == 1
    assert 0 < line["seconds_after_last_write"] < PROMISED_SECONDS


# Other ways to change files


def test_a_rename_moves_what_is_found(watching: Watching) -> None:
    watching.write({"shop/before.py": "def moving_house(): return 1\n"})
    watching.update_of("shop/before.py")
    (watching.checkout.path / "shop/before.py").rename(watching.checkout.path / "shop/after.py")
    watching.update_of("shop/after.py")
    assert [file for file, _ in watching.symbols("moving_house")] == ["shop/after.py"]


def test_an_editor_may_write_another_file_and_rename_it(watching: Watching) -> None:
    watching.write({"shop/edited.py": "def edited_once(): return 1\n"})
    watching.update_of("shop/edited.py")
    path = watching.checkout.path / "shop/edited.py"
    partial = path.with_name(".edited.py.swp")
    partial.write_text("def edited_twice(): return 2\n")
    os.utime(partial, (0, 0))
    partial.replace(path)
    line = watching.update_of("shop/edited.py")
    assert watching.symbols("edited_twice")
    assert watching.symbols("edited_once") == []
    assert line["seconds_after_last_write"] < 600  # since the rename, whatever its time says


def test_what_git_ignores_is_left_out(watching: Watching) -> None:
    watching.write({"build/out.py": "def built_thing(): return 1\n"})
    watching.write({"shop/counts.py": "def counted_thing(): return 1\n"})
    assert watching.update_of("shop/counts.py")["paths"] == ["shop/counts.py"]
    assert watching.symbols("counted_thing")
    assert watching.symbols("built_thing") == []


def test_a_checkout_of_many_files_is_taken_as_a_whole(watching: Watching) -> None:
    watching.checkout.git("checkout", "--quiet", "other")
    line = watching.until(lambda: watching.defines("many_0") and watching.defines(LAST))
    assert line["seconds_after_last_write"] > 0
    assert line["mode"] == "incremental"
    watching.checkout.git("checkout", "--quiet", "main")
    watching.until(lambda: not watching.defines("many_0") and not watching.defines(LAST))
    assert watching.defines("total")


# What goes wrong


def test_a_second_watcher_is_told_who_the_first_is(watching: Watching) -> None:
    done = subprocess.run(
        [sys.executable, *WATCH, str(watching.checkout.path / "shop")],
        cwd=ROOT,
        env=clean_environment({"AETERNA_DATA_DIR": str(watching.data_dir)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"is watched already, by process {watching.watcher.process.pid} since" in done.stderr


def test_what_cannot_be_indexed_is_tried_again(watching: Watching) -> None:
    watching.write({".codesearch.toml": "[index]\nnonsense = 1\n", "shop/late.py": "LATE = 1\n"})
    problem = watching.watcher.line_where(lambda line: line["event"] == "failed")
    assert "index.nonsense is not a setting" in problem["error"]
    watching.write({".codesearch.toml": None})
    assert "shop/late.py" in watching.update_of("shop/late.py")["paths"]


def test_a_killed_watcher_is_not_believed_and_the_next_one_catches_up(watching: Watching) -> None:
    watching.watcher.stop(signal.SIGKILL)
    assert watched(watching.data_dir, watching.checkout.path) is None
    watching.write({"shop/meanwhile.py": "def done_meanwhile(): return 1\n"})
    watching.begin()
    assert watching.symbols("done_meanwhile")
    state = watched(watching.data_dir, watching.checkout.path)
    assert state
    assert state.pid == watching.watcher.process.pid


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it(watching: Watching, number: signal.Signals, code: int) -> None:
    assert watching.watcher.stop(number) == code
    assert watched(watching.data_dir, watching.checkout.path) is None
    watching.begin()


def test_it_goes_on_at_once_with_a_service_that_was_ended(watching: Watching) -> None:
    ended = running_server(watching.data_dir)
    end_service(watching.data_dir)
    name = f"revived_{time.time_ns()}"
    watching.write({"shop/revived.py": f"def {name}(): return 1\n"})
    watching.update_of("shop/revived.py")
    assert watching.defines(name)
    assert running_server(watching.data_dir) != ended


def test_a_service_that_is_killed_is_started_again_before_anything_is_written(
    watching: Watching,
) -> None:
    killed = running_server(watching.data_dir)
    end_service(watching.data_dir, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while running_server(watching.data_dir) in (None, killed):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert watching.defines("total")


def test_uncommitted_work_reaches_the_service_on_this_machine_alone(watching: Watching) -> None:
    watching.write({"shop/secret.py": "def uncommitted_work(): return 1\n"})
    line = watching.update_of("shop/secret.py")
    assert (
        watching.index.get("index/status")["projects"][0]["last_indexed_commit"] == line["commit"]
    )
    assert watching.central.asked == []
    assert "central's own" not in everything_in(watching.data_dir)


def everything_in(directory: Path) -> str:
    """All text below a directory, of the files that a watcher may write."""
    files: list[Any] = [*directory.glob("*.log"), *directory.glob("watch/*/*.json")]
    return "".join(path.read_text(errors="replace") for path in files)
