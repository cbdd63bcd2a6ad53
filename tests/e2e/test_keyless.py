"""Jobs without an API token: GitHub's id token opens the index of the job's own repository."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Organization, free_address, running_service
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.indexer.git_server import GitServer, git_server
from tests.local_github import LocalGitHub, job_claims

OWNER_ID = 42
GIT_TOKEN = "ghs_token-of-the-job"
SMALL = {"src/login.py": "def log_in(name):\n    return name\n"}
# More than half a life of the service's tokens, after which the indexer asks for the next one.
RENEWAL_SECONDS = 0.6


@dataclass
class Job:
    """A job of the private repository `acme/NAME`, in a shallow checkout without a credential."""

    name: str
    repository_id: int
    origin: Path
    checkout: Path
    forge: GitServer
    github: LocalGitHub
    acme: Organization

    @property
    def head(self) -> str:
        """The commit that is checked out."""
        return git(self.checkout, "rev-parse", "HEAD")

    def push(self, files: dict[str, str], branch: str = "main") -> None:
        """Commit to the forge, and check out as `persist-credentials: false` has it."""
        if branch != "main":
            git(self.origin, "checkout", "--quiet", "-b", branch)
        write_files(self.origin, files)
        commit_all(self.origin, "Another commit")
        shutil.rmtree(self.checkout, ignore_errors=True)
        git(self.origin, "checkout", "--quiet", "main")  # the default branch, as it says
        clone = ("clone", "--quiet", "--depth=1", f"--branch={branch}", f"file://{self.origin}")
        git(self.origin, *clone, str(self.checkout))
        git(self.checkout, "checkout", "--quiet", "--detach")
        git(self.checkout, "remote", "set-url", "origin", f"{self.forge.url}/acme/{self.name}")

    def run(self, branch: str = "main", **claims: str) -> "subprocess.CompletedProcess[str]":
        """Run the indexer as the action does; `claims` are what GitHub says otherwise."""
        own = job_claims(
            ref=f"refs/heads/{branch}",
            owner_id=OWNER_ID,
            repository=self.name,
            repository_id=self.repository_id,
            sha=self.head,
        )
        self.github.claims = own | claims
        environment = {
            "AETERNA_TOKEN": "",
            "GITHUB_ACTIONS": "true",
            "GITHUB_SERVER_URL": self.forge.url,
            "GITHUB_REPOSITORY": f"acme/{self.name}",
            "GITHUB_REPOSITORY_ID": self.github.claims["repository_id"],
            "GITHUB_REPOSITORY_OWNER_ID": self.github.claims["repository_owner_id"],
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_TOKEN": GIT_TOKEN,
            **self.github.job_environment(),
        }
        done = self.acme.try_index(
            self.checkout, self.name, "--ref", f"refs/heads/{branch}", environment=environment
        )
        for secret in (GIT_TOKEN, self.github.request_key, "eyJ", "aet_"):
            assert secret not in done.stdout + done.stderr
        return done

    def report(self, branch: str = "main") -> dict[str, Any]:
        """What a run that must succeed reports."""
        done = self.run(branch)
        assert done.returncode == 0, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def indexed_commits(self) -> list[str]:
        """The repository's indexed commit; none where it is unknown."""
        rows = self.acme.get("index/status")["projects"]
        return [row["last_indexed_commit"] for row in rows if row["project"] == self.name]


@pytest.fixture(scope="module")
def github() -> Iterator[LocalGitHub]:
    """GitHub, as far as id tokens go."""
    with LocalGitHub() as github:
        yield github


@pytest.fixture(scope="module")
def acme(github: LocalGitHub) -> Iterator[Organization]:
    """An organisation that lets its owner's jobs in, for a second at a time."""
    address = free_address()
    environment = {
        "AETERNA_BIND": address,
        "AETERNA_PUBLIC_URL": f"http://{address}",
        "AETERNA_GITHUB_OIDC_ISSUER": github.issuer,
        "AETERNA_KEYLESS_SECONDS": "1",
    }
    with prepared_data_directory() as directory, running_service(directory, environment) as service:
        token = service.create_organization("acme")
        service.manage(
            "github_policy", "--organization", "acme", "--owner-id", str(OWNER_ID), "--enable"
        )
        yield Organization(service, "acme", token)


@pytest.fixture
def job(github: LocalGitHub, acme: Organization, tmp_path: Path) -> Iterator[Job]:
    """A job of a repository of the test's own."""
    number = github.id_token_requests + 1
    name = f"shop-{number}"
    origin = new_repository(tmp_path / "forge" / "acme" / name)
    with git_server(tmp_path / "forge", GIT_TOKEN) as forge:
        job = Job(name, number, origin, tmp_path / name, forge, github, acme)
        job.push(SMALL)
        yield job
    github.id_token_seconds = 0.0


def test_a_first_index_outlives_its_tokens(job: Job) -> None:
    asked = job.github.id_token_requests
    job.github.id_token_seconds = RENEWAL_SECONDS

    report = job.report()

    assert (report["mode"], report["reason"]) == ("full", "first_index")
    assert job.github.id_token_requests - asked >= 3  # the first one has expired by the third
    assert job.indexed_commits() == [job.head]


def test_a_private_shallow_checkout_is_deepened_and_indexed(job: Job) -> None:
    job.report()
    job.push({"src/new.py": "def new():\n    return 1\n"})

    report = job.report()

    assert (report["mode"], report["reason"]) == ("incremental", "fast_forward")
    assert job.indexed_commits() == [job.head]


def test_a_fork_of_another_owner_is_refused_and_writes_nothing(job: Job) -> None:
    refused = job.run(repository_owner="mallory", repository_owner_id="43", repository_id="9000")

    assert refused.returncode == 5
    assert "oidc_owner_unknown" in refused.stderr
    assert "manage.py github_policy" in refused.stderr
    assert job.indexed_commits() == []


def test_another_commit_than_that_of_the_job_is_refused_and_writes_nothing(job: Job) -> None:
    refused = job.run(sha="f" * 40)

    assert refused.returncode == 5
    assert "commit_mismatch" in refused.stderr
    assert job.indexed_commits() == []


def test_another_branch_than_that_of_the_job_is_refused(job: Job) -> None:
    refused = job.run(ref="refs/heads/topic")

    assert refused.returncode == 5
    assert "ref_mismatch" in refused.stderr
    assert job.indexed_commits() == []


def test_a_job_of_a_wanted_branch_indexes_it_and_that_of_another_has_nothing_to_do(
    job: Job,
) -> None:
    job.push({".codesearch.toml": 'branches = ["release/*"]\n'})
    main = job.head
    job.report()
    job.push({"src/fix.py": "def fix():\n    return 1\n"}, branch="release/1")
    report = job.report("release/1")
    assert (report["mode"], report["reason"]) == ("full", "first_index")
    assert report["files"]["changed"] == 1  # what main has is there already
    rows = job.acme.get("index/status")["projects"]
    [found] = [row for row in rows if row["project"] == job.name]
    assert found["last_indexed_commit"] == main
    assert [branch["last_indexed_commit"] for branch in found["branches"]] == [job.head]
    job.push({"src/topic.py": "topic = 1\n"}, branch="topic")
    report = job.report("topic")
    assert (report["mode"], report["reason"]) == ("none", "branch_not_wanted")
    assert job.run("main", ref="refs/heads/release/1").returncode != 0  # its token is for another
    assert job.indexed_commits() == [main]
