"""Pull requests that add the indexing workflow to repositories, by GitHub's REST API.

Every step looks first at what is there, so that a repeated or interrupted command adds nothing
twice.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.parse import quote

from indexer.errors import ForgeError
from indexer.forge.api import GitHubApi, page_url
from indexer.forge.repositories import ForgeRepository

BRANCH: Final = "aeterna/code-index"
DIRECTORY: Final = ".github/workflows"
PATH: Final = f"{DIRECTORY}/code-index.yml"
_NAMES: Final = frozenset({"code-index.yml", "code-index.yaml"})
_TITLE: Final = "Index this repository for code search"
_UNPROCESSABLE: Final = 422

# As workflows/templates/code-index.yml, with values in place of the organisation's variables.
_WORKFLOW: Final = """\
name: Code index

on:
  push:
    branches: [{branch}] # and those that .codesearch.toml names, such as 'release/*'
  workflow_dispatch:
    inputs:
      mode:
        description: full compares all files, force processes all files, auto processes changed files
        type: choice
        options: [full, force, auto]
        default: full
  schedule:
    - cron: {minute} 3 * * * # compares all files with the index; choose your own minute

permissions: {{}}

jobs:
  index:
    name: Index
    permissions:
      contents: read # the checkout
      id-token: write # the job's identity, if there is no AETERNA_TOKEN
    uses: aeterna/code-search/.github/workflows/code-index.yml@{version}
    with:
      owner: {owner}
      central-url: {central_url}
      organization: {organization}
      mode: ${{{{ inputs.mode || 'auto' }}}}
    secrets: # organisation secrets, each of them optional
      AETERNA_TOKEN: ${{{{ secrets.AETERNA_TOKEN }}}}
      OPENAI_API_KEY: ${{{{ secrets.OPENAI_API_KEY }}}}
      QDRANT_URL: ${{{{ secrets.QDRANT_URL }}}}
      QDRANT_API_KEY: ${{{{ secrets.QDRANT_API_KEY }}}}
"""  # noqa: E501 - a line of the template
_BODY: Final = """\
This adds a workflow that indexes the repository after each merge, so that code search finds it.

* Service: {central_url}, organisation `{organization}`.
* The workflow reads the checkout and has no right to write (`contents: read`).
* `id-token: write` lets the job prove which repository it is of; no secret is needed.

Opened by `codesearch onboard`. Close it if the repository is not to be indexed: the command
then leaves the repository alone.
"""


class WorkflowState(StrEnum):
    """What a repository has already."""

    NOTHING = "nothing"
    BRANCH = "branch"  # without a pull request: a command was interrupted
    WORKFLOW = "workflow"
    OPEN = "open"
    CLOSED = "closed"  # declined
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Onboarding:
    """A repository and what it has; `url` is of the pull request, if there is one."""

    repository: ForgeRepository
    state: WorkflowState
    url: str = ""

    @property
    def is_due(self) -> bool:
        """Whether a pull request is missing."""
        return self.state in {WorkflowState.NOTHING, WorkflowState.BRANCH}


@dataclass(frozen=True, slots=True)
class WorkflowValues:
    """The service that the workflow reports to, and the version of the workflow."""

    central_url: str
    organization: str
    version: str = "v0.1.0"

    def text(self, repository: ForgeRepository) -> str:
        """Return the workflow's file. The minute differs, so that not all start at once."""
        return self.text_for(
            owner=repository.owner,
            branch=repository.default_branch,
            minute=repository.id % 60,
        )

    def text_for(self, *, owner: str, branch: str, minute: int) -> str:
        """Return the workflow's file for repositories of an owner."""
        return _WORKFLOW.format(
            branch=_scalar(branch),
            minute=minute,
            version=self.version,
            owner=_scalar(owner),
            central_url=_scalar(self.central_url),
            organization=_scalar(self.organization),
        )


def _scalar(text: str) -> str:
    """Return a YAML scalar: plain where that is unambiguous, else quoted."""
    is_plain = text.replace("-", "").replace("/", "").replace(".", "").isalnum() and text.isascii()
    if (
        is_plain
        and text[0].isalpha()
        and text.lower() not in {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
    ):
        return text
    return "'" + text.replace("'", "''") + "'"


def inspect(api: GitHubApi, repository: ForgeRepository) -> Onboarding:
    """Return what the repository has. Reads only. Raises ForgeError."""
    place = f"repos/{repository.full_name}"
    branch = repository.default_branch
    if not branch or _head(api, place, branch) is None:
        return Onboarding(repository, WorkflowState.EMPTY)
    listed = api.find(f"{place}/contents/{DIRECTORY}", ref=repository.default_branch)
    names = {row.get("name") for row in listed} if isinstance(listed, list) else set()
    if not _NAMES.isdisjoint(names):
        return Onboarding(repository, WorkflowState.WORKFLOW)
    pull = _pull(api, repository)
    if pull is None:
        has_branch = _head(api, place, BRANCH) is not None
        return Onboarding(repository, WorkflowState.BRANCH if has_branch else WorkflowState.NOTHING)
    state = WorkflowState.OPEN if pull.get("state") == "open" else WorkflowState.CLOSED
    return Onboarding(repository, state, page_url(pull))


def open_pull_request(api: GitHubApi, found: Onboarding, values: WorkflowValues) -> str:
    """Open the pull request that is due and return its address. Raises ForgeError."""
    repository = found.repository
    place = f"repos/{repository.full_name}"
    head = _head(api, place, repository.default_branch)
    if head is None:
        raise ForgeError(f"{repository.full_name} has no commit any more.")
    if _head(api, place, BRANCH) is None:
        api.send("POST", f"{place}/git/refs", {"ref": f"refs/heads/{BRANCH}", "sha": head})
    _write(api, place, values.text(repository))
    try:
        made = api.send(
            "POST",
            f"{place}/pulls",
            {
                "title": _TITLE,
                "head": BRANCH,
                "base": repository.default_branch,
                "body": _BODY.format(
                    central_url=values.central_url, organization=values.organization
                ),
                "maintainer_can_modify": True,
            },
        )
    except ForgeError as error:
        if error.status != _UNPROCESSABLE or (made := _pull(api, repository)) is None:
            raise
    return page_url(made)


def _write(api: GitHubApi, place: str, text: str) -> None:
    """Write the file on the branch, unless it is there with this content."""
    known = api.find(f"{place}/contents/{PATH}", ref=BRANCH)
    body: dict[str, Any] = {
        "message": _TITLE,
        "content": b64encode(text.encode()).decode(),
        "branch": BRANCH,
    }
    if isinstance(known, dict):
        if _content(known) == text:
            return
        body["sha"] = known.get("sha")
    api.send("PUT", f"{place}/contents/{PATH}", body)


def _content(file: dict[str, Any]) -> str:
    try:
        return b64decode(file["content"]).decode()
    except (KeyError, TypeError, ValueError):
        return ""


def _head(api: GitHubApi, place: str, branch: str) -> str | None:
    found = api.find(f"{place}/git/ref/heads/{quote(branch, safe='/')}")
    pointed = found.get("object") if isinstance(found, dict) else None
    sha = pointed.get("sha") if isinstance(pointed, dict) else None
    return sha if isinstance(sha, str) else None


def _pull(api: GitHubApi, repository: ForgeRepository) -> dict[str, Any] | None:
    """Return the pull request of the branch, an open one before a closed one."""
    pulls = list(_pulls(api, repository))
    return min(pulls, key=lambda pull: pull.get("state") != "open", default=None)


def _pulls(api: GitHubApi, repository: ForgeRepository) -> Iterator[dict[str, Any]]:
    return api.pages(
        f"repos/{repository.full_name}/pulls", head=f"{repository.owner}:{BRANCH}", state="all"
    )
