"""Clones by real git over a real sshd: the host's key is pinned, and the client's own goes nowhere.

tests/e2e/test_backfill_ssh.py has the whole backfill.
"""

import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from central.onboarding.addresses import parse_address, resolve
from central.onboarding.clones import Clone, GitAccess, clone, git_environment
from central.onboarding.processes import ChildError, Limits
from central.settings.backfill import BackfillSettings
from scripts.local_git import commit_all, git, new_repository
from tests.central.onboarding.ssh_server import SshServer, new_key, ssh_server

pytestmark = pytest.mark.system("sshd", "ssh", "ssh-keygen")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with ssh_server(tmp_path_factory.mktemp("ssh") / "server") as running:
        yield running


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of two commits."""
    made = new_repository(tmp_path / "mirrors" / "shop")
    for text in ("first = 1\n", "second = 2\n"):
        (made / "a.py").write_text(text)
        commit_all(made, "A commit")
    return made


def settings_of(server: SshServer, **changes: Any) -> BackfillSettings:
    members: dict[str, Any] = {
        "hosts": (f"localhost:{server.port}", f"git.example:{server.port}"),
        "networks": (ip_network("127.0.0.0/8"), ip_network("::1/128")),
        "ssh_key_path": str(server.key),
        "known_hosts_path": str(server.known_hosts),
    }
    return BackfillSettings(**(members | changes))


def cloned(url: str, directory: Path, settings: BackfillSettings) -> Clone:
    directory.mkdir()
    return clone(
        resolve(parse_address(url, settings), settings),
        access=GitAccess(),
        settings=settings,
        limits=Limits(directory, time.monotonic() + 300, 10**9),
    )


@pytest.mark.parametrize("is_partial", [True, False])
def test_a_repository_is_cloned(
    server: SshServer, repository: Path, tmp_path: Path, is_partial: bool
) -> None:
    for name in ("allowFilter", "allowAnySHA1InWant"):
        git(repository, "config", f"uploadpack.{name}", str(is_partial).lower())
    found = cloned(server.url(repository), tmp_path / "clone", settings_of(server))
    assert found.commit_sha == git(repository, "rev-parse", "HEAD")
    assert git(found.path, "rev-list", "--count", "HEAD") == "2"
    assert git(found.path, "show", "HEAD:a.py") == "second = 2"
    first = git(repository, "rev-parse", "HEAD~1:a.py")
    held = git(found.path, "cat-file", "--batch-all-objects", "--batch-check")
    assert (first in held) is not is_partial


def test_the_key_is_in_no_argument_no_variable_and_no_file_of_the_clone(
    server: SshServer, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither are an agent and the account's configuration used, which ssh would read."""
    monkeypatch.setenv("SSH_AUTH_SOCK", "/somebody/s/agent")
    programs, seen = tmp_path / "bin", tmp_path / "seen"
    programs.mkdir()
    recorder = programs / "ssh"
    recorder.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >>"{seen}"; env >>"{seen}"\n'
        f'exec "{shutil.which("ssh")}" "$@"\n'
    )
    recorder.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    cloned(server.url(repository), tmp_path / "clone", settings_of(server))
    recorded = seen.read_text()
    assert f"IdentityFile={server.key}" in recorded
    assert f"HOME={tmp_path / 'clone'}" in recorded
    assert "SSH_AUTH_SOCK" not in recorded
    secrets = server.key.read_text().splitlines()[1:-1]
    assert secrets
    files = [path for path in (tmp_path / "clone").rglob("*") if path.is_file()]
    for text in (recorded, *(path.read_bytes().decode(errors="replace") for path in files)):
        assert not any(secret in text for secret in secrets)


def test_a_host_whose_key_is_not_pinned_is_refused(
    server: SshServer, repository: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "known_hosts"
    empty.touch()
    for number, path in enumerate((str(empty), "")):
        with pytest.raises(ChildError, match="Host key verification failed"):
            cloned(
                server.url(repository),
                tmp_path / f"clone{number}",
                settings_of(server, known_hosts_path=path),
            )
    assert empty.read_text() == ""


def test_a_host_that_shows_another_key_is_refused(
    server: SshServer, repository: Path, tmp_path: Path
) -> None:
    other = new_key(tmp_path / "other").with_suffix(".pub").read_text()
    pinned = tmp_path / "known_hosts"
    pinned.write_text(f"[localhost]:{server.port} {other}")
    with pytest.raises(ChildError, match="Host key verification failed"):
        cloned(
            server.url(repository),
            tmp_path / "clone",
            settings_of(server, known_hosts_path=str(pinned)),
        )


def test_a_key_that_the_host_does_not_know_is_refused(
    server: SshServer, repository: Path, tmp_path: Path
) -> None:
    stranger = new_key(tmp_path / "stranger")
    with pytest.raises(ChildError, match="Permission denied"):
        cloned(
            server.url(repository),
            tmp_path / "clone",
            settings_of(server, ssh_key_path=str(stranger)),
        )


def test_without_a_key_of_the_operator_ssh_offers_none(server: SshServer, tmp_path: Path) -> None:
    """It looks for the account's own below the home of /etc/passwd, whatever HOME says."""
    settings = settings_of(server, ssh_key_path="")
    address = parse_address(server.url(tmp_path), settings)
    environment = git_environment(address, access=GitAccess(), settings=settings, home=tmp_path)
    named = {
        environment[f"GIT_CONFIG_KEY_{n}"]: n for n in range(int(environment["GIT_CONFIG_COUNT"]))
    }
    command = shlex.split(environment[f"GIT_CONFIG_VALUE_{named['core.sshCommand']}"])
    said = subprocess.run(
        [*command, "-G", address.host], capture_output=True, check=True, text=True
    )
    options = said.stdout.splitlines()
    assert [line for line in options if line.startswith("identity")] == [
        "identityagent none",
        "identityfile none",
    ]


def test_ssh_connects_to_the_checked_address_and_knows_the_host_by_its_name(
    server: SshServer, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name means nothing to ssh, which could not look it up."""
    answer = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)
    pinned = tmp_path / "known_hosts"
    pinned.write_text(server.known_hosts.read_text().replace("[localhost]", "[git.example]"))
    settings = settings_of(server, known_hosts_path=str(pinned))
    found = cloned(server.url(repository, "git.example"), tmp_path / "clone", settings)
    assert found.commit_sha == git(repository, "rev-parse", "HEAD")
