"""What to paste to use a new token: on a command line, in coding agents, in GitHub's jobs."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from aeterna_code_search.agents.configuration import AGENTS, Agent, configuration_text
from central.tenancy.models import Scope
from indexer.forge.workflow import PATH, WorkflowValues

_COMMAND = ("codesearch",)
UNKNOWN_OWNER = "OWNER"  # of the organisation at GitHub
_MINUTE = 17  # of the nightly comparison; each repository may choose its own


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text to copy. `note` says where it belongs, `hint` what to do then."""

    title: str
    note: str
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Snippets:
    """The texts for one token; those that its scopes do not serve are left out."""

    commands: list[Snippet]
    agents: list[Snippet]
    jobs: list[Snippet]


def snippets_for(
    *, url: str, organization: str, token: str, scopes: Collection[str], owner: str = UNKNOWN_OWNER
) -> Snippets:
    """Return the texts for a token. `owner` is the organisation's login at GitHub."""
    may_search, may_index = Scope.SEARCH in scopes, Scope.INDEX in scopes
    return Snippets(
        commands=list(_commands(url, organization, token, may_search=may_search)),
        agents=[_agent(agent, url) for agent in AGENTS.values()] if may_search else [],
        jobs=list(_jobs(url, organization, owner)) if may_index else [],
    )


def _commands(url: str, organization: str, token: str, *, may_search: bool) -> Iterator[Snippet]:
    variables = (
        f"export AETERNA_URL={url}\n"
        f"export AETERNA_ORGANIZATION={organization}\n"
        f"export AETERNA_TOKEN={token}"
    )
    yield Snippet(
        "Environment",
        "In a terminal, or in a file that only you can read. Commands and agents read the token "
        "from here.",
        variables,
    )
    yield Snippet(
        "First command",
        "In a terminal with these variables",
        'codesearch search "retry with backoff"' if may_search else "codesearch index",
    )


def _agent(agent: Agent, url: str) -> Snippet:
    """Return the server over HTTP; for an agent that has no such form, as a command."""
    path = agent.project_file or f"~/{agent.user_file}"
    entry = agent.remote_entry(url) or agent.command_entry(_COMMAND, {})
    note = f"{path}. It names the variables of the environment and holds no token."
    if "command" in entry:
        note += " It starts the command codesearch on your machine."
    return Snippet(agent.title, note, configuration_text(agent, path, entry), agent.next_step)


def _jobs(url: str, organization: str, owner: str) -> Iterator[Snippet]:
    named = "" if owner != UNKNOWN_OWNER else f" Replace {owner} by your name at GitHub."
    yield Snippet(
        "Secret",
        "In a terminal, once. It asks for the token. With keyless trust no secret is needed."
        f"{named}",
        f"gh secret set AETERNA_TOKEN --org {owner} --visibility all",
    )
    values = WorkflowValues(central_url=url, organization=organization)
    yield Snippet(
        "Workflow",
        f"{PATH} in each repository. The command codesearch onboard {owner} opens a pull request "
        "with it in all of them.",
        values.text_for(owner=owner, branch="main", minute=_MINUTE).rstrip(),
    )
