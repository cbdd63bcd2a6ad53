"""Which branch a detached checkout is indexed as: real clones, as actions/checkout leaves them."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from indexer.client.api import OpenRequest
from indexer.config.settings import Settings
from indexer.errors import ConfigurationError, GitError
from indexer.git.repository import Repository
from indexer.pipeline.job import make_job
from indexer.records.runs import Requested
from tests.indexer.pipeline.test_job import ENVIRON
from tests.indexer.repositories import Sandbox

MAIN = "refs/heads/main"


@dataclass
class Origin:
    """A remote: `main` of three commits, the last a merge, and a pull request that is open."""

    sandbox: Sandbox
    first: str
    second: str
    merge: str
    pull: str  # the merge that GitHub makes for the pull request


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    sandbox = Sandbox(tmp_path / "origin")
    first = sandbox.commit("first", {"a.py": "a = 1\n"})
    sandbox.git("tag", "v1")
    sandbox.git("checkout", "--quiet", "-b", "side")
    sandbox.commit("of a merged pull request", {"b.py": "b = 1\n"})
    sandbox.git("checkout", "--quiet", "main")
    second = sandbox.commit("second", {"a.py": "a = 2\n"})
    sandbox.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
    merge = sandbox.git("rev-parse", "HEAD")
    sandbox.git("checkout", "--quiet", "--detach")
    pull = sandbox.commit("merge of an open pull request", {"c.py": "c = 1\n"})
    sandbox.git("update-ref", "refs/pull/7/merge", pull)
    sandbox.git("checkout", "--quiet", "main")
    return Origin(sandbox, first, second, merge, pull)


def checkout(origin: Origin, path: Path, commit: str, *, depth: int = 0) -> Sandbox:
    """A workspace with HEAD detached at the commit, and the branches of the remote."""
    workspace = Sandbox(path)
    workspace.git("remote", "add", "origin", f"file://{origin.sandbox.path}")
    origin.sandbox.git("config", "uploadpack.allowAnySHA1InWant", "true")
    if depth:
        workspace.git("fetch", "--quiet", f"--depth={depth}", "--no-tags", "origin", commit)
    else:
        workspace.git("fetch", "--quiet", "--tags", "origin")
        workspace.git("fetch", "--quiet", "origin", commit)
    workspace.git("checkout", "--quiet", "--detach", commit)
    return workspace


def in_own_job(workspace: Sandbox) -> Sandbox:
    """Give it the address of the job's repository; nothing answers there."""
    workspace.git("remote", "set-url", "origin", "https://github.com/acme/app.git")
    workspace.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    return workspace


def request(
    workspace: Sandbox, ref: str | None = None, *, job_ref: str = "", job_sha: str = ""
) -> OpenRequest:
    """What is opened with `--ref`, in a job that has these GITHUB_REF and GITHUB_SHA."""
    environ = ENVIRON | {"GITHUB_REF": job_ref, "GITHUB_SHA": job_sha}
    settings = Settings.load(
        environ, project_dir=workspace.path, default_project="app", overrides={}
    )
    return make_job(
        Repository(workspace.path),
        settings,
        ref=ref,
        requested=Requested.AUTO,
        timeout_seconds=1.0,
    ).request


# The job's own commit


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("ref", [None, "main", MAIN])
def test_the_commit_that_a_branch_s_job_is_for_is_of_that_branch(
    origin: Origin, tmp_path: Path, depth: int, ref: str | None
) -> None:
    workspace = in_own_job(checkout(origin, tmp_path / "w", origin.merge, depth=depth))
    asked = request(workspace, ref, job_ref=MAIN, job_sha=origin.merge)
    assert (asked.ref, asked.commit_sha) == (MAIN, origin.merge)


def test_an_old_job_of_a_branch_that_was_moved_is_still_of_it(
    origin: Origin, tmp_path: Path
) -> None:
    """The plan decides whether it is superseded."""
    workspace = in_own_job(checkout(origin, tmp_path / "w", origin.second))
    origin.sandbox.git("reset", "--quiet", "--hard", origin.first)
    for ref in (None, "main"):
        asked = request(workspace, ref, job_ref=MAIN, job_sha=origin.second)
        assert (asked.ref, asked.commit_sha) == (MAIN, origin.second)


def test_the_job_s_branch_is_not_that_of_another_repository(origin: Origin, tmp_path: Path) -> None:
    workspace = checkout(origin, tmp_path / "w", origin.merge)
    workspace.git("remote", "set-url", "origin", "https://github.com/acme/mirror.git")
    with pytest.raises(ConfigurationError, match=r"the input `ref`.*--ref"):
        request(workspace, job_ref=MAIN, job_sha=origin.merge)


@pytest.mark.parametrize(
    ("job_ref", "is_job_s_commit", "says"),
    [
        (MAIN, False, "the input `ref` of the action, or --ref"),
        ("", False, "the input `ref` of the action, or --ref"),
        ("refs/tags/v1", True, r"refs/tags/v1.*on: push: branches"),
        ("refs/pull/7/merge", True, r"refs/pull/7/merge.*command: impact"),
    ],
)
def test_any_other_detached_checkout_is_refused_with_what_to_write(
    origin: Origin, tmp_path: Path, job_ref: str, is_job_s_commit: bool, says: str
) -> None:
    workspace = in_own_job(checkout(origin, tmp_path / "w", origin.first))
    sha = origin.first if is_job_s_commit else origin.merge
    with pytest.raises(ConfigurationError, match=says):
        request(workspace, job_ref=job_ref, job_sha=sha)


# A branch that is named


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("name", ["first", "second", "merge"])
def test_head_is_indexed_as_the_named_branch_that_contains_it(
    origin: Origin, tmp_path: Path, name: str, depth: int
) -> None:
    commit = getattr(origin, name)
    workspace = checkout(origin, tmp_path / "w", commit, depth=depth)
    asked = request(workspace, "main", job_ref="refs/tags/v1", job_sha=commit)
    assert (asked.ref, asked.commit_sha) == (MAIN, commit)


def test_a_branch_that_has_moved_on_since_the_checkout_contains_head(
    origin: Origin, tmp_path: Path
) -> None:
    workspace = checkout(origin, tmp_path / "w", origin.merge, depth=1)
    origin.sandbox.commit("third", {"a.py": "a = 3\n"})
    assert request(workspace, "main").commit_sha == origin.merge


@pytest.mark.parametrize("depth", [0, 1])
def test_the_merge_of_an_open_pull_request_is_on_no_branch(
    origin: Origin, tmp_path: Path, depth: int
) -> None:
    workspace = checkout(origin, tmp_path / "w", origin.pull, depth=depth)
    with pytest.raises(ConfigurationError, match=f"{origin.pull[:12]}.*is not on {MAIN}"):
        request(workspace, "main", job_ref="refs/pull/7/merge", job_sha=origin.pull)


def test_a_commit_that_was_removed_from_the_branch_is_refused_unless_it_is_the_job_s_own(
    origin: Origin, tmp_path: Path
) -> None:
    workspace = checkout(origin, tmp_path / "w", origin.merge)
    origin.sandbox.git("reset", "--quiet", "--hard", origin.first)
    with pytest.raises(ConfigurationError, match="is not on"):
        request(workspace, "main")


def test_a_branch_that_the_remote_does_not_have_is_refused(origin: Origin, tmp_path: Path) -> None:
    workspace = checkout(origin, tmp_path / "w", origin.merge)
    workspace.git("branch", "here")
    with pytest.raises(ConfigurationError, match="is not on refs/heads/here"):
        request(workspace, "here")


def test_a_remote_that_does_not_answer_proves_nothing(origin: Origin, tmp_path: Path) -> None:
    workspace = checkout(origin, tmp_path / "w", origin.merge)
    workspace.git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
    with pytest.raises(GitError, match="ls-remote"):
        request(workspace, "main")


@pytest.mark.parametrize("detach", [False, True])
@pytest.mark.parametrize("ref", ["refs/tags/v1", "refs/pull/7/merge", "refs/remotes/origin/main"])
def test_only_a_branch_can_be_named(origin: Origin, tmp_path: Path, ref: str, detach: bool) -> None:
    workspace = checkout(origin, tmp_path / "w", origin.first)
    if not detach:
        workspace.git("checkout", "--quiet", "-b", "main")
    with pytest.raises(ConfigurationError, match=f"{ref} is not a branch.*such as main"):
        request(workspace, ref)
