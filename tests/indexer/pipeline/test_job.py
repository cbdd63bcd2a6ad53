"""What is indexed: branch, commit and the ids that GitHub gives."""

import json
from pathlib import Path

import pytest

from indexer.client.api import OpenRequest
from indexer.config.settings import Settings
from indexer.errors import ConfigurationError
from indexer.git.repository import Repository
from indexer.pipeline.job import make_job
from indexer.records.runs import Requested
from tests.indexer.repositories import Sandbox

ENVIRON = {
    "AETERNA_URL": "http://localhost",
    "AETERNA_TOKEN": "t",
    "AETERNA_ORGANIZATION": "acme",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "Acme/app",
    "GITHUB_REPOSITORY_ID": "7",
    "GITHUB_REPOSITORY_OWNER_ID": "8",
}


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", {"a.py": "a = 1\n"})
    return sandbox


def request(sandbox: Sandbox, ref: str | None = None, **environ: str) -> OpenRequest:
    repository = Repository(sandbox.path)
    settings = Settings.load(
        ENVIRON | environ,
        project_dir=sandbox.path,
        default_project=repository.name(),
        overrides={},
    )
    job = make_job(repository, settings, ref=ref, requested=Requested.AUTO, timeout_seconds=1.0)
    return job.request


def test_githubs_ids_are_sent_for_the_jobs_own_repository_alone(sandbox: Sandbox) -> None:
    assert request(sandbox).repository_id is None
    sandbox.git("remote", "add", "origin", "https://x:secret@github.com/acme/other.git")
    sandbox.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert request(sandbox).repository_id is None
    assert request(sandbox).repository_url == "https://github.com/acme/other"
    assert request(sandbox).project_id == "other"
    sandbox.git("remote", "set-url", "origin", "git@github.com:acme/app.git")
    assert (request(sandbox).repository_id, request(sandbox).owner_id) == (7, 8)


def test_without_a_remote_the_directory_names_the_project(sandbox: Sandbox) -> None:
    assert request(sandbox).project_id == "shop"
    assert request(sandbox).default_branch == "main"


def test_the_checked_out_commit_stands_for_the_branch_where_head_is_detached(
    sandbox: Sandbox,
) -> None:
    first = sandbox.git("rev-parse", "HEAD")
    sandbox.commit("second")
    sandbox.git("checkout", "--quiet", "--detach", first)
    assert request(sandbox, ref="main").commit_sha == first
    with pytest.raises(ConfigurationError, match="--ref"):
        request(sandbox)


def test_another_branch_is_indexed_at_its_own_commit(sandbox: Sandbox) -> None:
    sandbox.git("branch", "side")
    side = sandbox.git("rev-parse", "side")
    sandbox.commit("second")
    asked = request(sandbox, ref="side")
    assert (asked.ref, asked.commit_sha) == ("refs/heads/side", side)


def test_githubs_event_names_the_default_branch_of_the_jobs_own_repository(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"repository": {"default_branch": "trunk"}}))
    sandbox.git("checkout", "--quiet", "-b", "feature")
    assert request(sandbox, GITHUB_EVENT_PATH=str(event)).default_branch == "feature"
    sandbox.git("remote", "add", "origin", "https://github.com/acme/app.git")
    assert request(sandbox, GITHUB_EVENT_PATH=str(event)).default_branch == "trunk"
