"""The job of GitHub Actions that this process is in, from the runner's variables and the event.

https://docs.github.com/en/actions/reference/workflows-and-actions/variables
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from indexer.errors import ConfigurationError
from indexer.urls import service_url

_GITHUB_API: Final = "https://api.github.com"


@dataclass(frozen=True, slots=True)
class GitHubContext:
    """GitHub's description of the job; empty outside GitHub Actions.

    `ref` and `sha` are what the job runs for; `base_sha` and `head_sha` those of the pull request
    that started it, and `base_ref` the short name of the branch that it is to be merged into.
    """

    server_url: str = ""
    repository_url: str = ""
    repository_id: str = ""
    owner_id: str = ""
    event: str = ""
    run_url: str = ""
    ref: str = ""
    sha: str = ""
    default_branch: str = ""
    base_sha: str = ""
    head_sha: str = ""
    base_ref: str = ""

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "GitHubContext":
        """Load from the runner's variables and the event."""
        server = environ.get("GITHUB_SERVER_URL", "")
        repository = environ.get("GITHUB_REPOSITORY", "")
        if not (server and repository):
            return cls()
        url = f"{server}/{repository}"
        run_id = environ.get("GITHUB_RUN_ID", "")
        event = _event(environ.get("GITHUB_EVENT_PATH", ""))
        return cls(
            server_url=server,
            repository_url=url,
            repository_id=environ.get("GITHUB_REPOSITORY_ID", ""),
            owner_id=environ.get("GITHUB_REPOSITORY_OWNER_ID", ""),
            event=environ.get("GITHUB_EVENT_NAME", ""),
            run_url=f"{url}/actions/runs/{run_id}" if run_id else "",
            ref=environ.get("GITHUB_REF", ""),
            sha=environ.get("GITHUB_SHA", ""),
            default_branch=_member(event, "repository", "default_branch"),
            base_sha=_member(event, "pull_request", "base", "sha"),
            head_sha=_member(event, "pull_request", "head", "sha"),
            base_ref=_member(event, "pull_request", "base", "ref"),
        )


@dataclass(frozen=True, slots=True)
class PullRequestJob:
    """A job that the event `pull_request` started, and its token for GitHub's API."""

    api_url: str
    repository: str  # owner and name
    number: int
    is_from_fork: bool
    token: str = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> "PullRequestJob":
        """Load from the runner's variables. Raises ConfigurationError outside of such a job.

        `pull_request_target` is no such event: its jobs may write, for code of others.
        """
        event = _event(environ.get("GITHUB_EVENT_PATH", ""))
        pull = event.get("pull_request") if isinstance(event, dict) else None
        number = pull.get("number") if isinstance(pull, dict) else None
        if environ.get("GITHUB_EVENT_NAME") != "pull_request" or type(number) is not int:
            raise ConfigurationError("a comment needs a job of the event pull_request")
        head, base = (_member(pull, side, "repo", "full_name") for side in ("head", "base"))
        return cls(
            api_url=service_url(
                environ.get("GITHUB_API_URL", "").strip() or _GITHUB_API,
                name="GITHUB_API_URL",
                example=_GITHUB_API,
            ),
            repository=_required(environ, "GITHUB_REPOSITORY"),
            number=number,
            is_from_fork=head != base,  # a deleted fork has no name
            token=_required(environ, "GITHUB_TOKEN"),
        )


def _required(environ: Mapping[str, str], name: str) -> str:
    if value := environ.get(name):
        return value
    raise ConfigurationError(f"{name} is not set: a comment needs a job of GitHub Actions")


def _event(path: str) -> object:
    """Return the event that started the job; None if unknown, git is then used instead."""
    try:
        return json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _member(value: object, *keys: str) -> str:
    """Return a string member of nested objects; "" if it is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
