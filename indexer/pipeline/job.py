"""The job of a run, from the repository, the settings and the arguments."""

from dataclasses import dataclass, field

from indexer.client.api import OpenRequest
from indexer.config.github_job import GitHubContext
from indexer.config.settings import (
    DirectUploadSettings,
    Settings,
    direct_settings,
    embedder_access,
)
from indexer.errors import ConfigurationError
from indexer.git.repository import Repository
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.records.runs import Requested
from indexer.records.vectors import EmbedderConfig

_BRANCHES = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Job:
    """The commit to index and the options of the run."""

    request: OpenRequest
    requested: Requested
    timeout_seconds: float
    access: EmbedderConfig = field(default_factory=EmbedderConfig)
    direct: DirectUploadSettings | None = None  # None: vectors travel in the batches


def make_job(
    repository: Repository,
    settings: Settings,
    *,
    ref: str | None,
    requested: Requested,
    timeout_seconds: float,
) -> Job:
    """Return the job that indexes `ref` (default: the checked-out branch).

    The commit is HEAD if the branch is checked out or HEAD is detached, as it is in an action.
    Raises CommitNotFoundError, and ConfigurationError, also if there is no branch.
    """
    checked_out = repository.head_ref()
    full_ref = _full_name(ref) if ref else checked_out
    if full_ref is None:
        raise ConfigurationError("HEAD is detached, so the branch must be named with --ref")
    here = checked_out in {None, full_ref}
    url = repository.web_url()
    github = _own_context(settings.github, url)
    default = github.default_branch or repository.default_branch()
    direct = direct_settings(settings.environ)
    return Job(
        request=OpenRequest(
            org_id=settings.organization,
            project_id=settings.project,
            ref=full_ref,
            commit_sha=repository.commit("HEAD" if here else full_ref),
            extractor=EXTRACTOR,
            repository_id=_number(github.repository_id),
            owner_id=_number(github.owner_id),
            default_branch=default.removeprefix(_BRANCHES) if default else None,
            event=settings.github.event or None,
            run_url=settings.github.run_url or None,
            repository_url=url,
            vectors="direct" if direct else None,
            own_secret=bool(direct.api_key) if direct else None,
        ),
        requested=requested,
        timeout_seconds=timeout_seconds,
        access=embedder_access(settings.environ),
        direct=direct,
    )


def _full_name(ref: str) -> str:
    return ref if ref.startswith("refs/") else f"{_BRANCHES}{ref}"


def _own_context(github: GitHubContext, url: str | None) -> GitHubContext:
    """Return GitHub's ids only for the job's own repository: it may index another checkout."""
    same = url is not None and url.lower() == github.repository_url.lower()
    return github if same else GitHubContext()


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
