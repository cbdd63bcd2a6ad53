"""The data directory: its secrets, and who serves it."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from central.runtime.data_directory import (
    DataDirectoryHeldError,
    data_directory,
    load_or_create_secret,
    lock_data_directory,
    private_directory,
    private_mode,
    running_server,
    write_server_record,
)
from scripts.local_service import ROOT


def test_data_directory_is_made_its_owners_alone(tmp_path: Path) -> None:
    for name, before in {"of-old": 0o755, "closed": 0o700, "everybodys": 0o1777}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(before)
    for name in ("of-old", "closed", "everybodys", "new"):
        private_directory(tmp_path / name)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    own = private_mode()
    assert modes == {"of-old": own, "closed": own, "new": own, "everybodys": 0o1777}


@pytest.mark.parametrize(("user", "mode"), [(1000, 0o700), (0, 0o711)])
def test_as_root_postgresql_s_own_user_may_pass_through_it(
    monkeypatch: pytest.MonkeyPatch, user: int, mode: int
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert private_mode() == mode


def test_directory_may_be_named_as_in_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert data_directory("~/code-search") == Path("/home/somebody/code-search")


def test_secret_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "deeper" / "key"
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(load_or_create_secret, [path] * 32))
    assert secrets == {path.read_text()}
    assert all(len(secret) == 64 for secret in secrets)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_secret_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("given")
    assert load_or_create_secret(tmp_path / "key") == "given"


def test_secret_is_whole_or_absent_if_the_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", killed)
        with pytest.raises(KeyboardInterrupt):
            load_or_create_secret(tmp_path / "key")
    assert not (tmp_path / "key").exists()
    assert len(load_or_create_secret(tmp_path / "key")) == 64


def test_record_of_a_killed_server_is_not_a_running_server(tmp_path: Path) -> None:
    """Its process id may by now be another process's: here, this one's."""
    assert running_server(tmp_path) is None
    record = {"url": "http://127.0.0.1:1", "pid": os.getpid()}
    (tmp_path / "server.json").write_text(json.dumps(record))
    (tmp_path / "server.lock").touch()
    assert running_server(tmp_path) is None
    with lock_data_directory(tmp_path):
        assert running_server(tmp_path) is None  # it has yet to say where it is


def test_second_server_is_told_who_holds_the_directory(tmp_path: Path) -> None:
    with lock_data_directory(tmp_path):
        write_server_record(tmp_path, "http://127.0.0.1:8123")
        assert running_server(tmp_path) == {
            "url": "http://127.0.0.1:8123",
            "pid": os.getpid(),
            "idle_minutes": None,
            "identity": "",
        }
        with (
            pytest.raises(DataDirectoryHeldError, match=r"http://127\.0\.0\.1:8123"),
            lock_data_directory(tmp_path),
        ):
            pass
    assert running_server(tmp_path) is None


def test_a_checkout_keeps_its_data_in_var() -> None:
    assert data_directory(None) == ROOT / "var"


def test_an_installed_package_keeps_its_data_with_the_user_s(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = tmp_path / "site-packages/central/runtime/data_directory.py"
    monkeypatch.setattr("central.runtime.data_directory.__file__", str(installed))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    directory = data_directory(None)
    assert directory.name == "aeterna-code-search"
    assert directory.is_relative_to(tmp_path)
    assert not directory.is_relative_to(tmp_path / "site-packages")
