"""A private repository whose checkout kept no credential, behind git's own HTTP server."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.config.settings import GitCredential
from indexer.errors import GitError, ShallowCloneError
from indexer.git.repository import Repository
from indexer.records.runs import Ancestry
from tests.indexer.git_server import GitServer, git_server
from tests.indexer.repositories import Sandbox

TOKEN = "ghs_token-of-the-job"
MAIN = "refs/heads/main"
MISSING = "0123456789012345678901234567890123456789"


@pytest.fixture
def origin(tmp_path: Path) -> Sandbox:
    """Two commits on main, in the directory that the server serves."""
    origin = Sandbox(tmp_path / "served" / "acme" / "app.git")
    origin.commit("base", {"a.py": "a = 1\n"})
    origin.commit("head", {"b.py": "b = 1\n"})
    return origin


@pytest.fixture
def server(origin: Sandbox, tmp_path: Path) -> Iterator[GitServer]:
    with git_server(tmp_path / "served", TOKEN) as server:
        yield server


@pytest.fixture
def checkout(origin: Sandbox, server: GitServer, tmp_path: Path) -> Sandbox:
    """As actions/checkout with `persist-credentials: false` leaves it: shallow, and no secret."""
    clone = origin.clone_to(tmp_path / "checkout", "--depth=1")
    clone.git("remote", "set-url", "origin", f"{server.url}/acme/app.git")
    return clone


def opened(checkout: Sandbox, server: GitServer, token: str = TOKEN) -> Repository:
    return Repository(checkout.path, GitCredential(server.url, token))


def test_a_shallow_checkout_of_a_private_repository_is_deepened(
    origin: Sandbox, checkout: Sandbox, server: GitServer
) -> None:
    repository = opened(checkout, server)
    base, head = origin.git("rev-parse", "main~1"), origin.git("rev-parse", "main")
    assert repository.ancestry(base, head) is Ancestry.ANCESTOR
    assert not repository.is_shallow()


def test_the_tip_and_the_default_branch_are_asked_for(
    origin: Sandbox, checkout: Sandbox, server: GitServer
) -> None:
    checkout.git("remote", "set-head", "origin", "--delete")  # as actions/checkout leaves it
    repository = opened(checkout, server)
    assert repository.branch_head(MAIN) == origin.git("rev-parse", "main")
    assert repository.default_branch() == MAIN


def test_a_commit_that_was_force_pushed_away_is_fetched(
    origin: Sandbox, checkout: Sandbox, server: GitServer
) -> None:
    head = origin.git("rev-parse", "main")
    origin.git("checkout", "--quiet", "--detach", "main~1")
    left = origin.commit("left", {"c.py": "c = 1\n"})
    origin.git("checkout", "--quiet", "main")  # no ref holds `left`
    repository = opened(checkout, server)
    assert repository.ancestry(left, head) is Ancestry.DIVERGED
    assert repository.ancestry(MISSING, head) is Ancestry.MISSING


@pytest.mark.parametrize("token", [None, "ghs_wrong-token"])
def test_without_the_right_credential_the_line_to_change_is_named_and_no_secret(
    checkout: Sandbox, server: GitServer, token: str | None
) -> None:
    credential = GitCredential(server.url, token) if token else None
    repository = Repository(checkout.path, credential)
    with pytest.raises(ShallowCloneError, match="fetch-depth: 0") as shallow:
        repository.unshallow()
    with pytest.raises(GitError, match="ls-remote") as asked:
        repository.branch_head(MAIN)
    assert repository.default_branch() == MAIN  # this the clone knows
    said = f"{shallow.value} {asked.value}"
    assert "ghs_" not in said
    assert "basic" not in said.lower()


def test_the_credential_is_in_no_argument_and_in_no_file(
    checkout: Sandbox, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(
        f'#!/bin/sh\necho "$*" >> {seen}\nenv | grep -c AETERNA_GIT_HEADER >> {seen}\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spy.parent}:{os.environ['PATH']}")
    repository = opened(checkout, server)
    repository.unshallow()
    repository.branch_head(MAIN)
    repository.tree("HEAD")
    repository.close()
    lines = seen.read_text().splitlines()
    commands = list(zip(lines[::2], lines[1::2], strict=True))
    told = [command.split() for command, variables in commands if variables == "1"]
    assert [{"fetch", "ls-remote"}.intersection(words) for words in told] == [
        {"fetch"},
        {"ls-remote"},
    ]
    assert len(commands) > len(told)
    written = [path for path in checkout.path.rglob("*") if path.is_file()]
    for text in (seen.read_bytes(), *(path.read_bytes() for path in written)):
        assert TOKEN.encode() not in text
        assert server.secret.encode() not in text


def test_a_credential_that_the_checkout_kept_is_used_alone(
    checkout: Sandbox, server: GitServer
) -> None:
    checkout.git(
        "config", f"http.{server.url}/.extraheader", f"AUTHORIZATION: basic {server.secret}"
    )
    opened(checkout, server, "ghs_another-token").unshallow()
    assert {tuple(came) for came in server.authorizations} == {(f"basic {server.secret}",)}


def test_a_credential_in_an_included_file_is_used_alone(
    checkout: Sandbox, server: GitServer, tmp_path: Path
) -> None:
    kept = tmp_path / "git-credentials.config"
    checkout.git(
        "config", "--file", str(kept), f"http.{server.url}/.extraheader",
        f"AUTHORIZATION: basic {server.secret}",
    )  # fmt: skip
    checkout.git("config", f"includeIf.gitdir:{checkout.path}/.git.path", str(kept))
    opened(checkout, server, "ghs_another-token").unshallow()
    assert {tuple(came) for came in server.authorizations} == {(f"basic {server.secret}",)}


def test_other_headers_are_kept(checkout: Sandbox, server: GitServer) -> None:
    checkout.git("config", "http.extraheader", "X-Proxy: yes")
    checkout.git("config", f"http.{server.url}/.extraheader", "X-Other: yes")
    opened(checkout, server).unshallow()
    assert {tuple(came) for came in server.authorizations} == {(f"basic {server.secret}",)}


def test_an_address_with_a_password_is_left_as_it_is(checkout: Sandbox, server: GitServer) -> None:
    host = server.url.removeprefix("http://")
    address = f"http://x-access-token:{TOKEN}@{host}/acme/app.git"
    checkout.git("remote", "set-url", "origin", address)
    opened(checkout, server, "ghs_another-token").unshallow()
    assert {tuple(came) for came in server.authorizations} == {(), (f"Basic {server.secret}",)}


def test_another_server_is_never_shown_the_credential(
    checkout: Sandbox, server: GitServer, tmp_path: Path
) -> None:
    """Not as a remote, nor where the right one sends git there."""
    with git_server(tmp_path / "served", token="") as other:
        checkout.git("remote", "set-url", "origin", f"{other.url}/acme/app.git")
        assert opened(checkout, server).branch_head(MAIN)
        checkout.git("remote", "set-url", "origin", f"{server.url}/acme/app.git")
        server.redirect_to = other.url
        with pytest.raises(GitError, match="302"):
            opened(checkout, server).branch_head(MAIN)
    assert not any(other.authorizations)
    assert any(server.authorizations)
