"""An organisation at work: forge, service, GitHub's id tokens, and a runner for its jobs."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.local_git import git
from scripts.local_service import Organization
from tests.action.forge import BRANCH, JOB_TOKEN, Forge, Remote
from tests.action.harness import Result, Runner
from tests.action.job import Job
from tests.local_github import LocalGitHub, job_claims

OWNER_ID = 9919
# Of a runner that reaches no package index.
UNREACHABLE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/nonexistent", "UV_OFFLINE": "1"}


@dataclass(frozen=True)
class Workplace:
    """`acme`, with everything real but GitHub."""

    acme: Organization
    forge: Forge
    github: LocalGitHub
    runner: Runner
    temp: Path  # RUNNER_TEMP
    scratch: Path

    def remote(self, name: str, files: Mapping[str, str] | None = None) -> Remote:
        """A repository at the forge, with a first commit if files are given."""
        remote = Remote(self.forge, f"acme/{name}")
        if files:
            remote.commit(dict(files), "First commit")
        return remote

    def check_out(
        self,
        remote: Remote,
        commit: str | None = None,
        *,
        depth: int = 0,
        detach: bool = False,
    ) -> Path:
        """A new workspace with the commit, as actions/checkout leaves it."""
        directory = self.scratch / uuid.uuid4().hex
        return remote.check_out(directory, commit, depth=depth, detach=detach)

    def run(
        self,
        remote: Remote,
        workspace: Path | None = None,
        *,
        inputs: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
        pull_request: Mapping[str, str] | None = None,
        ref: str = BRANCH,
        cancel_when: Callable[[], bool] = lambda: False,
        runner: Runner | None = None,
    ) -> Result:
        """Run the action in a job of the branch or another ref, with the organisation's token.

        `pull_request` is that of its event, {"base": commit, "head": commit}, its number 1 and
        its branch one of the repository; none: a push.
        """
        job = self.job(remote, workspace or self.check_out(remote), environment or {})
        job.ref = ref
        if pull_request:
            job.event_name, job.ref = "pull_request", "refs/pull/1/merge"
            job.event["pull_request"] = {"number": 1} | {
                side: {"sha": commit, "repo": {"full_name": remote.name}}
                for side, commit in pull_request.items()
            }
        given = {
            "central-url": self.acme.service.url,
            "organization": self.acme.slug,
            "token": self.acme.token,
            **(inputs or {}),
        }
        return (runner or self.runner).run(job, given, cancel_when)

    def job(self, remote: Remote, workspace: Path, environment: Mapping[str, str]) -> Job:
        """The job that a push starts. GitHub knows the organisation's token as a secret."""
        return Job(
            workspace=workspace,
            temp=self.temp,
            files=self.scratch / uuid.uuid4().hex,
            server_url=self.forge.url,
            repository=remote.name,
            repository_id=remote.id,
            owner_id=OWNER_ID,
            ref=BRANCH,
            sha=git(workspace, "rev-parse", "HEAD") if (workspace / ".git").exists() else "",
            event={
                "ref": BRANCH,
                "repository": {"full_name": remote.name, "default_branch": "main", "fork": False},
            },
            token=JOB_TOKEN,
            environment={"GIT_SSL_CAINFO": str(self.forge.certificate), **environment},
            secrets=(self.acme.token,),
        )

    def claims(self, remote: Remote, **changes: object) -> dict[str, str]:
        """What GitHub vouches for in an id token of a job on the branch's tip."""
        told = {
            "repository": remote.name.partition("/")[2],
            "repository_id": remote.id,
            "sha": remote.head(),
        }
        return job_claims(**told | changes)  # type: ignore[arg-type]
