"""Clones by real git over real HTTP: what arrives, and where the credential does not."""

import os
import subprocess
import time
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest

from central.onboarding import clones, processes
from central.onboarding.addresses import parse_address, resolve
from central.onboarding.clones import Clone, EmptyRepositoryError, GitAccess, clone
from central.onboarding.processes import BACKFILL_OUTPUT_BYTES, ChildError, Limits
from central.settings.backfill import BackfillSettings
from indexer.git.history import newest_commits, read_commits
from indexer.git.process import GitProcess
from indexer.git.repository import Repository
from scripts.local_git import commit_all, git, new_repository
from tests.indexer.forge.answering import answering
from tests.local_forge import LocalForge

LOOPBACK = (ip_network("127.0.0.0/8"),)


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[LocalForge]:
    with LocalForge(tmp_path / "forge") as running:
        yield running


def cloned(
    url: str,
    directory: Path,
    *,
    secret: str = "",
    settings: BackfillSettings | None = None,
    branch: str = "",
    lines_since: str | None = None,
    max_bytes: int = 10**9,
) -> Clone:
    used = settings or BackfillSettings(github_url=url.rpartition("/acme/")[0], networks=LOOPBACK)
    directory.mkdir()
    return clone(
        resolve(parse_address(url, used), used),
        access=GitAccess("x-access-token", secret),
        settings=used,
        limits=Limits(directory, time.monotonic() + 300, max_bytes),
        branch=branch,
        lines_since=lines_since,
    )


def lines_of(found: Clone) -> list[dict[str, str]]:
    """Of each commit, the oldest first: hunks of its paths, or why the indexer reads none."""
    repository = Repository(found.path)
    commits = newest_commits(repository, found.commit_sha)[::-1]
    return [
        {change.path: change.unread or change.hunks for change in commit.changes}
        for commit in read_commits(repository, commits, why_unread=lambda _: None)
    ]


def test_all_commits_and_the_blobs_of_the_last_arrive(forge: LocalForge, tmp_path: Path) -> None:
    shop = forge.add("shop", {"a.py": "first = 1\n", ".github/workflows/code-index.yml": "x"})
    head = shop.commit({"a.py": "second = 2\n", "b.py": "b = 1\n"})
    found = cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret=forge.token)
    assert (found.commit_sha, found.ref, found.has_workflow) == (head, "refs/heads/main", True)
    assert git(found.path, "rev-list", "--count", "HEAD") == "2"
    assert git(found.path, "show", "HEAD:b.py") == "b = 1"
    old = git(found.path, "rev-parse", "HEAD~1:a.py")
    missing = subprocess.run(
        ["git", "-C", str(found.path), "cat-file", "-e", old], capture_output=True, check=False
    )
    assert missing.returncode != 0  # blobless: history's content was not fetched
    assert sum(path.endswith("git-upload-pack") for _, path, _ in forge.asked) <= 4


def test_the_indexer_opens_a_clone_inside_of_another_checkout(
    forge: LocalForge, tmp_path: Path
) -> None:
    forge.add("shop", {"a.py": "a = 1\n"})
    checkout = new_repository(tmp_path / "code-search")  # `make serve` keeps its data in ./var
    found = cloned(f"{forge.url}/acme/shop", checkout / "clone", secret=forge.token)
    assert GitProcess(found.path).text("rev-parse", "HEAD") == found.commit_sha


def test_nothing_in_the_clone_names_a_promise_or_a_credential(
    forge: LocalForge, tmp_path: Path
) -> None:
    forge.add("shop", {"a.py": "a = 1\n"})
    found = cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret=forge.token)
    config = (found.path / "config").read_text()
    assert "promisor" not in config
    assert "partial" not in config.lower()
    secret = forge.token.encode()
    for path in (tmp_path / "clone").rglob("*"):
        assert not path.is_file() or secret not in path.read_bytes()


def test_the_credential_is_in_no_argument(
    forge: LocalForge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    real = processes.subprocess.Popen

    def watched(command: list[str], **options: object) -> object:
        seen.extend(command)
        return real(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(processes.subprocess, "Popen", watched)
    forge.add("shop", {"a.py": "a = 1\n"})
    cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret=forge.token)
    assert "clone" in seen
    assert not any(forge.token in word for word in seen)


def test_a_refused_credential_is_not_in_the_error(forge: LocalForge, tmp_path: Path) -> None:
    forge.add("shop", {"a.py": "a = 1\n"})
    with pytest.raises(ChildError) as caught:
        cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret="ghp_wrong")
    assert "ghp_wrong" not in str(caught.value)
    assert "fatal" in str(caught.value)


@pytest.mark.parametrize("form", ["ghp_secret", "Z2hwX3NlY3JldA=="])
def test_a_credential_is_cut_from_any_message(form: str) -> None:
    assert clones.without_secret(f"fatal: {form} refused", "ghp_secret") == "fatal: *** refused"


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with (
        answering(200, {}) as (other, seen),
        answering(302, {"Location": f"{other}/acme/shop/info/refs"}) as (own, _),
    ):
        with pytest.raises(ChildError):
            cloned(f"{own}/acme/shop", tmp_path / "clone", secret="secret")
        assert seen == []


def test_git_connects_to_the_checked_address_alone(forge: LocalForge, tmp_path: Path) -> None:
    """A name that resolves otherwise by the time of the connection changes nothing."""
    forge.add("shop", {"a.py": "a = 1\n"}, visibility="public")
    port = forge.url.rpartition(":")[2]
    settings = BackfillSettings(hosts=(f"localhost:{port}",), networks=LOOPBACK)
    address = parse_address(f"http://localhost:{port}/acme/shop", settings)
    elsewhere = clones.CloneAddress(
        address.url, address.scheme, address.host, address.port, ("127.0.0.99",)
    )
    limits = Limits(tmp_path, time.monotonic() + 300, 10**9)
    with pytest.raises(ChildError, match=r"127\.0\.0\.99|connect"):
        clone(elsewhere, access=GitAccess(), settings=settings, limits=limits)


@pytest.mark.parametrize("branch", ["", "main"])
def test_an_empty_repository_is_recognised(branch: str, forge: LocalForge, tmp_path: Path) -> None:
    forge.add("empty")
    with pytest.raises(EmptyRepositoryError):
        cloned(f"{forge.url}/acme/empty", tmp_path / "clone", secret=forge.token, branch=branch)


def test_a_repository_without_the_branch_is_not_called_empty(
    forge: LocalForge, tmp_path: Path
) -> None:
    forge.add("shop", {"a.py": "a = 1\n"})
    with pytest.raises(ChildError, match="Remote branch trunk not found"):
        cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret=forge.token, branch="trunk")


def test_a_server_without_partial_clones_serves_too(forge: LocalForge, tmp_path: Path) -> None:
    shop = forge.add("shop", {"a.py": "a = 1\n"})
    git(shop.bare, "config", "uploadpack.allowFilter", "false")
    found = cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret=forge.token)
    assert git(found.path, "show", "HEAD:a.py") == "a = 1"


def test_a_directory_of_the_operator_is_cloned(tmp_path: Path) -> None:
    source = new_repository(tmp_path / "mirrors" / "shop")
    (source / "a.py").write_text("a = 1\n")
    commit = commit_all(source, "First")
    settings = BackfillSettings(directories=(tmp_path / "mirrors",))
    found = cloned(f"file://{source}", tmp_path / "clone", settings=settings)
    assert found.commit_sha == commit


def test_hooks_and_settings_of_a_repository_are_not_run(forge: LocalForge, tmp_path: Path) -> None:
    """A clone has no work tree: neither links nor filters nor submodules of a commit act."""
    shop = forge.add("shop", {"a.py": "a = 1\n", ".gitattributes": "* filter=evil\n"})
    shop.commit({".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::true\n'})
    (shop.tree / "link").symlink_to("/etc/passwd")
    shop.commit({})
    found = cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret=forge.token)
    assert git(found.path, "rev-parse", "--is-bare-repository") == "true"
    assert not any(path.is_symlink() for path in (tmp_path / "clone").rglob("*"))


def test_ssh_uses_the_operator_s_key_and_the_checked_address(tmp_path: Path) -> None:
    settings = BackfillSettings(
        hosts=("gitlab.example",), ssh_key_path="/run/key file", known_hosts_path="/run/known"
    )
    address = parse_address("git@gitlab.example:group/name.git", settings)
    checked = clones.CloneAddress(address.url, "ssh", address.host, 22, ("140.82.121.4",))
    environment = clones.git_environment(
        checked, access=GitAccess(), settings=settings, home=tmp_path
    )
    command = next(value for value in environment.values() if value.startswith("ssh -F"))
    assert "-oHostName=140.82.121.4" in command
    assert "'-oIdentityFile=/run/key file'" in command
    assert "-oStrictHostKeyChecking=yes" in command
    assert "-oBatchMode=yes" in command


def test_another_branch_than_the_default_one_is_cloned(forge: LocalForge, tmp_path: Path) -> None:
    shop = forge.add("shop", {"a.py": "a = 1\n"})
    git(shop.tree, "push", "--quiet", "origin", "HEAD:refs/heads/release/1.0")
    shop.commit({"a.py": "a = 2\n"})
    url = f"{forge.url}/acme/shop"
    settings = BackfillSettings(github_url=forge.url, networks=LOOPBACK)
    found = clone(
        resolve(parse_address(url, settings), settings),
        access=GitAccess("x-access-token", forge.token),
        settings=settings,
        limits=Limits(tmp_path, time.monotonic() + 300, 10**9),
        branch="release/1.0",
    )
    assert found.ref == "refs/heads/release/1.0"
    assert git(found.path, "show", "HEAD:a.py") == "a = 1"


def test_all_blobs_of_many_files_arrive(forge: LocalForge, tmp_path: Path) -> None:
    """More than their names fit into what is kept of a child's output."""
    many = BACKFILL_OUTPUT_BYTES // 40 + 100
    forge.add("shop", {f"{number}.py": f"n = {number}\n" for number in range(many)})
    found = cloned(f"{forge.url}/acme/shop", tmp_path / "clone", secret=forge.token)
    listed = git(found.path, "rev-list", "--objects", "--missing=print", "HEAD^{tree}")
    assert "?" not in listed


# Blobs of the past


def test_the_lines_of_the_newest_commits_arrive_by_one_more_request(
    forge: LocalForge, tmp_path: Path
) -> None:
    shop = forge.add("shop", {"a.py": "a = 1\n"})
    shop.commit({"a.py": "a = 2\n"})
    shop.commit({"a.py": "a = 3\n", "b.py": "b = 1\n"})
    url = f"{forge.url}/acme/shop"
    found = cloned(url, tmp_path / "clone", secret=forge.token, lines_since="")
    assert [list(paths) for paths in lines_of(found)] == [["a.py"], ["a.py"], ["a.py", "b.py"]]
    assert lines_of(found)[1] == {"a.py": "@@ -1 +1 @@\n-a = 1\n+a = 2\n"}
    assert "absent" not in str(lines_of(found))
    assert sum(path.endswith("git-upload-pack") for _, path, _ in forge.asked) <= 6


def test_lines_arrive_after_the_indexed_commit_alone_and_after_a_rewrite_all(
    forge: LocalForge, tmp_path: Path
) -> None:
    shop = forge.add("shop", {"a.py": "a = 1\n"})
    shop.commit({"a.py": "a = 2\n"})
    indexed = shop.commit({"a.py": "a = 3\n"})
    shop.commit({"a.py": "a = 4\n"})
    url = f"{forge.url}/acme/shop"
    since = cloned(url, tmp_path / "since", secret=forge.token, lines_since=indexed)
    assert [lines["a.py"] == "absent" for lines in lines_of(since)] == [True, True, True, False]
    everything = cloned(url, tmp_path / "all", secret=forge.token, lines_since="c" * 40)
    assert "absent" not in str(lines_of(everything))


def test_a_project_that_sends_no_lines_has_none_fetched(forge: LocalForge, tmp_path: Path) -> None:
    shop = forge.add("shop", {"a.py": "a = 1\n"})
    shop.commit({"a.py": "a = 2\n", ".codesearch.toml": "[history]\nlines = false\n"})
    url = f"{forge.url}/acme/shop"
    found = cloned(url, tmp_path / "clone", secret=forge.token, lines_since="")
    assert lines_of(found)[0] == {"a.py": "absent"}


@pytest.mark.parametrize("bound", ["BACKFILL_HISTORY_BLOBS", "BACKFILL_HISTORY_BYTES"])
def test_lines_beyond_the_bounds_stay_away_and_the_files_arrive(
    forge: LocalForge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(clones, bound, 2)
    large = os.urandom(1_000_000).hex()
    shop = forge.add("shop", {"a.py": large})
    shop.commit({"a.py": "a = 2\n"})
    shop.commit({"a.py": "a = 3\n"})
    url = f"{forge.url}/acme/shop"
    found = cloned(url, tmp_path / "clone", secret=forge.token, lines_since="")
    assert git(found.path, "show", "HEAD:a.py") == "a = 3"
    assert lines_of(found)[0] == {"a.py": "absent"}
    assert not list(found.path.glob("objects/pack/tmp_*"))
