"""Pull requests with the indexing workflow, for the repositories of an owner."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from indexer.config.settings import ServerSettings
from indexer.errors import ConfigurationError, ForgeUnavailableError
from indexer.limits import FORGE_WAIT_SECONDS
from indexer.output.terminal import escape_line
from indexer.retry import Retryable, with_retries

if TYPE_CHECKING:
    from aeterna_code_search.cli.context import CommandContext
    from indexer.forge.api import GitHubApi
    from indexer.forge.selection import Selection
    from indexer.forge.workflow import Onboarding, WorkflowValues

ONBOARD_REPOSITORIES: Final = 1_000  # of one command that opens pull requests
_Result = TypeVar("_Result")
_API: Final = "https://api.github.com"
_SENTENCES: Final = {
    "nothing": "would open a pull request",
    "branch": "would open a pull request; the branch is there",
    "workflow": "has the workflow",
    "open": "has an open pull request",
    "closed": "has a closed pull request, so it is left alone",
    "empty": "has no commit yet",
    "opened": "opened a pull request",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A repository and what was found or done."""

    repository: str
    state: str
    url: str


@dataclass(slots=True)
class Outcome:
    """What the command found and did; `left_out` counts repositories by reason."""

    is_dry_run: bool
    repositories: list[Row] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON types."""
        rows = [
            {"repository": row.repository, "state": row.state, "pull_request": row.url or None}
            for row in self.repositories
        ]
        return {"dry_run": self.is_dry_run, "repositories": rows, "left_out": self.left_out}


def onboard_owner(
    context: "CommandContext", owner: str, selection: "Selection", *, is_dry_run: bool
) -> Outcome:
    """Inspect the owner's repositories and, unless it is a dry run, open what is missing.

    Raises IndexerError.
    """
    from indexer.forge.api import GitHubApi
    from indexer.forge.repositories import find_owner, list_repositories

    selection.check()
    values = _values(context)
    environ = context.environ
    token = environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN")
    if not token:
        raise ConfigurationError(
            "GITHUB_TOKEN is not set: it must be allowed to write contents, workflows and pull "
            "requests of the repositories"
        )
    outcome = Outcome(is_dry_run)
    with GitHubApi(url=environ.get("GITHUB_API_URL") or _API, token=token) as api:
        found = _within_rate(lambda: find_owner(api, owner))
        for repository in _within_rate(lambda: list(list_repositories(api, found))):
            if why := selection.reason_against(repository):
                outcome.left_out[why] = outcome.left_out.get(why, 0) + 1
                continue
            if len(outcome.repositories) >= ONBOARD_REPOSITORIES:
                raise ConfigurationError(
                    f"more than {ONBOARD_REPOSITORIES:,} repositories are chosen: choose fewer "
                    "with --repository or --topic"
                )
            outcome.repositories.append(_row(api, repository, values, is_dry_run=is_dry_run))
    return outcome


def _row(api: "GitHubApi", repository: Any, values: "WorkflowValues", *, is_dry_run: bool) -> Row:
    from indexer.forge.workflow import inspect, open_pull_request

    def act() -> tuple["Onboarding", str]:
        found = inspect(api, repository)
        is_due = found.is_due and not is_dry_run
        return found, open_pull_request(api, found, values) if is_due else ""

    found, opened = _within_rate(act)
    name = repository.full_name
    return Row(name, "opened", opened) if opened else Row(name, found.state, found.url)


def _values(context: "CommandContext") -> "WorkflowValues":
    from indexer.forge.workflow import WorkflowValues

    named = ServerSettings.load(context.environ, project_dir=context.directory, overrides={})
    if not named.url or not named.organization:
        raise ConfigurationError(
            "AETERNA_URL and AETERNA_ORGANIZATION must name the service that the workflow reports "
            "to, and the organisation there"
        )
    return WorkflowValues(central_url=named.url, organization=named.organization)


def _within_rate(act: Callable[[], _Result]) -> _Result:
    """Wait as long as the forge asks, up to FORGE_WAIT_SECONDS; every step may be repeated."""

    def attempt() -> _Result | Retryable:
        try:
            return act()
        except ForgeUnavailableError as error:
            if not error.pause_seconds:
                raise
            return Retryable(error, error.pause_seconds)

    return with_retries(attempt, seconds=FORGE_WAIT_SECONDS)


def render(outcome: Outcome) -> str:
    """Format a line for each repository, and what to do next."""
    lines = [
        f"{row.repository}: {_SENTENCES[row.state]}" + (f" {row.url}" if row.url else "")
        for row in outcome.repositories
    ]
    lines += [f"left out: {count} ({why})" for why, count in outcome.left_out.items()]
    due = sum(row.state in {"nothing", "branch"} for row in outcome.repositories)
    if due:
        lines.append(f"Nothing was changed. --open opens {due} pull requests.")
    elif not outcome.repositories:
        lines.append("No repository is chosen.")
    return "".join(f"{escape_line(line)}\n" for line in lines)
