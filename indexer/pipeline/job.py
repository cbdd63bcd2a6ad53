"""The job of a run, from the repository, the settings and the arguments."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
from indexer.records.refs import HEADS, short_name
from indexer.records.runs import Requested, UploadMode
from indexer.records.vectors import EmbedderConfig

if TYPE_CHECKING:
    from indexer.scip.files import NamedIndex

NO_SCIP: Final = "none"  # instead of names of indexes
_ABBREVIATED_COMMIT = re.compile("[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class ScipRequest:
    """The SCIP indexes that an argument or the environment names; else `.codesearch.toml` does.

    `commit`: that of which they were made, or its beginning; "" if unknown. `is_none`: central is
    to forget those that it has.
    """

    indexes: "tuple[NamedIndex, ...]" = ()
    commit: str = ""
    is_none: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """The commit to index and the options of the run.

    `direct` None: vectors travel in the batches. `direct_refusal`: why, if central refused the
    direct upload that QDRANT_URL asked for. `scip` None: no SCIP index is looked for, and what
    central has of them is kept.
    """

    request: OpenRequest
    requested: Requested
    timeout_seconds: float
    access: EmbedderConfig = field(default_factory=EmbedderConfig)
    direct: DirectUploadSettings | None = None
    direct_refusal: str = ""
    scip: ScipRequest | None = None

    @property
    def vectors(self) -> UploadMode:
        """How the vectors travel."""
        if self.direct:
            return UploadMode.DIRECT
        return UploadMode.DIRECT_REFUSED if self.direct_refusal else UploadMode.RELAY

    def relayed(self, refusal: str) -> "Job":
        """Return the job without the direct upload that central refused."""
        request = replace(self.request, vectors=None, own_secret=None, direct_refused=True)
        return replace(self, request=request, direct=None, direct_refusal=refusal)


def make_job(
    repository: Repository,
    settings: Settings,
    *,
    ref: str | None,
    requested: Requested,
    timeout_seconds: float,
    scip: ScipRequest | None = None,
) -> Job:
    """Return the job that indexes `ref` (default: the checked-out branch, or GitHub's job's).

    The commit is HEAD unless another branch is checked out. Raises GitError, and ConfigurationError
    if a detached HEAD is on no branch that is known.
    """
    url = repository.web_url()
    github = _own_context(settings.github, url)
    full_ref, commit = _branch(repository, ref and _full_name(ref), github)
    default = github.default_branch or repository.default_branch()
    direct = direct_settings(settings.environ)
    return Job(
        request=OpenRequest(
            org_id=settings.organization,
            project_id=settings.project,
            ref=full_ref,
            commit_sha=commit,
            extractor=EXTRACTOR,
            repository_id=_number(github.repository_id),
            owner_id=_number(github.owner_id),
            default_branch=short_name(default) if default else None,
            event=settings.github.event or None,
            run_url=settings.github.run_url or None,
            repository_url=url,
            vectors=UploadMode.DIRECT if direct else None,
            own_secret=bool(direct.api_key) if direct else None,
        ),
        requested=requested,
        timeout_seconds=timeout_seconds,
        access=embedder_access(settings.environ),
        direct=direct,
        scip=scip,
    )


def scip_request(
    names: Sequence[str], commit: str, environ: Mapping[str, str], directory: Path
) -> ScipRequest:
    """Return the indexes that arguments name, else AETERNA_SCIP: a line each.

    They are relative to `directory`. `commit`: the argument, else AETERNA_SCIP_COMMIT. Raises
    ConfigurationError, also for a name of no file.
    """
    commit = commit or environ.get("AETERNA_SCIP_COMMIT", "").strip()
    if commit and not _ABBREVIATED_COMMIT.fullmatch(commit):
        raise ConfigurationError(
            f"{commit!r} is no commit of a SCIP index: give 7 to 64 hexadecimal digits"
        )
    lines = environ.get("AETERNA_SCIP", "").splitlines()
    names = names or [line.strip() for line in lines if line.strip()]
    if list(names) == [NO_SCIP]:
        return ScipRequest(is_none=True)
    if not names:
        return ScipRequest((), commit)
    from indexer.scip.files import required_indexes

    return ScipRequest(tuple(required_indexes(names, directory.resolve())), commit)


def _full_name(ref: str) -> str:
    if ref.startswith("refs/") and not ref.startswith(HEADS):
        raise ConfigurationError(f"{ref} is not a branch: name one, such as main")
    return HEADS + short_name(ref)


def _branch(repository: Repository, ref: str | None, github: GitHubContext) -> tuple[str, str]:
    """Return the branch to index and its commit.

    A detached HEAD is of the branch for whose commit GitHub has started the job, or of the named
    branch that contains it.
    """
    checked_out = repository.head_ref()
    if checked_out:
        if ref and ref != checked_out:
            return ref, repository.commit(ref)
        return checked_out, repository.commit("HEAD")
    head = repository.commit("HEAD")
    branch_of_job = github.ref if github.sha == head and github.ref.startswith(HEADS) else None
    named = ref or branch_of_job
    if named is None:
        raise ConfigurationError(_detached(head, github.ref))
    if named != branch_of_job and not repository.is_on_branch(head, named):
        raise ConfigurationError(
            f"HEAD is detached at {head[:12]}, which is not on {named} at the remote: check out "
            "that branch, or name the branch that contains the commit"
        )
    return named, head


def _detached(head: str, ref: str) -> str:
    """Return why a detached HEAD is of no branch, and what to write."""
    name_it = "name the branch that contains it with the input `ref` of the action, or --ref"
    if ref.startswith("refs/pull/"):
        return (
            f"the job runs for {ref}, which is not a branch. Index the branch when it is pushed "
            "(`on: push: branches: [main]`); `command: impact` is for pull requests"
        )
    if ref.startswith("refs/tags/"):
        return (
            f"the job runs for {ref}, and tags are not indexed. Index the branch when it is pushed "
            f"(`on: push: branches: [main]`), or {name_it}"
        )
    return f"HEAD is detached at {head[:12]}, which is not the commit of a branch's job: {name_it}"


def _own_context(github: GitHubContext, url: str | None) -> GitHubContext:
    """Return GitHub's ids only for the job's own repository: it may index another checkout."""
    same = url is not None and url.lower() == github.repository_url.lower()
    return github if same else GitHubContext()


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
