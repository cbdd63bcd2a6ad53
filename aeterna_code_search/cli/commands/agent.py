"""`agent`: configure a coding agent for the MCP server."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from aeterna_code_search.agents.configuration import AGENTS, SERVER, Agent, AgentName
from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeterna_code_search.cli.agent_config.file_edit import FileEdit


commands = typer.Typer()
agent = typer.Typer(no_args_is_help=True, help="Configure a coding agent to use this search.")
RULES: Final = """\
## Code search

The MCP server `codesearch` knows every repository of the organisation, not just this one.

- To find code by what it does, or in another repository, use code_search before grep. Exact text goes in quotes, a regular expression in slashes: query="lang:go \\"context.WithTimeout\\"".
- To find every line that holds a text, use code_grep; to read a file that is not in this checkout, code_read_file.
- Before you change a signature, or remove something, use code_trace_callers: other repositories may use it.
- An answer that says Complete and has no rows means that there is none. Otherwise say what was missing.
- Lines marked (uncommitted) are those of the work tree; all others are of the commit in the receipt.
"""  # noqa: E501 - a paragraph is one line, so that it can be pasted anywhere
commands.add_typer(agent, name="agent")

Name = Annotated[AgentName, typer.Argument(metavar="AGENT", help=", ".join(AgentName))]
User = Annotated[
    bool,
    typer.Option("--user", help="In your own configuration, for all repositories"),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would change")]
_GUIDE: Final = "docs/how-to/agents.md"


@agent.command(
    "install",
    epilog=examples(
        "codesearch agent install claude",
        "codesearch agent install codex --user",
        "codesearch agent install cursor --url https://codesearch.example.com --dry-run",
        'codesearch agent install zed --command "uvx --from aeterna-code-search codesearch"',
    ),
)
def install(
    ctx: typer.Context,
    name: Name,
    user: User = False,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Connect to this service over HTTP, with the token in AETERNA_TOKEN; default: run "
            "`codesearch mcp` on this machine",
        ),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Command that starts codesearch on this machine"),
    ] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> Exit:
    """Add the MCP server to an agent's configuration.

    Shows what changes in the file and asks. Other settings and comments in it stay; an entry that
    this command did not write is replaced only after the question. Unless --user is given, the file
    is the one of this repository, which you can commit.
    """
    from aeterna_code_search.cli.agent_config.file_edit import installation

    context: CommandContext = ctx.obj
    chosen = AGENTS[name]
    path = _file_of(context, chosen, in_home=user)
    if url:
        entry = chosen.remote_entry(_address(url))
        if not entry:
            raise typer.BadParameter(
                f"{chosen.title} needs another setup for a service over HTTP ({_GUIDE}): leave "
                "--url out and set AETERNA_URL, then `codesearch mcp` connects to the service",
                param_hint="--url",
            )
    else:
        entry = chosen.command_entry(_words(command), context.environ)
    change = installation(chosen, path, entry)
    if change.is_empty:
        typer.echo(f"{path} has the server already.")
        return Exit.OK
    needs_token = url and "AETERNA_TOKEN" not in context.environ
    before = "Set AETERNA_TOKEN to a token with the scope search. " if needs_token else ""
    return _apply(change, before + chosen.next_step, yes=yes, dry_run=dry_run)


@agent.command(
    "uninstall",
    epilog=examples("codesearch agent uninstall claude", "codesearch agent uninstall codex --user"),
)
def uninstall(
    ctx: typer.Context, name: Name, user: User = False, yes: Yes = False, dry_run: DryRun = False
) -> Exit:
    """Remove the MCP server from an agent's configuration."""
    from aeterna_code_search.cli.agent_config.file_edit import removal

    chosen = AGENTS[name]
    path = _file_of(ctx.obj, chosen, in_home=user)
    change = removal(chosen, path)
    if change.is_empty:
        typer.echo(f"{path} does not have the server.")
        return Exit.OK
    return _apply(change, f"Start {chosen.title} again.", yes=yes, dry_run=dry_run)


@agent.command("rules", epilog=examples("codesearch agent rules >> AGENTS.md"))
def rules() -> Exit:
    """Print when to use which tool, for AGENTS.md, CLAUDE.md or .cursor/rules."""
    from aeterna_code_search.client.console import print_stdout

    print_stdout(RULES)
    return Exit.OK


def _file_of(context: CommandContext, chosen: Agent, *, in_home: bool) -> Path:
    """Return the file to change. Raises ConfigurationError."""
    from indexer.errors import ConfigurationError, NotARepositoryError, UntrustedRepositoryError
    from indexer.git.local import WorkingCopy

    if in_home:
        return (Path.home() / chosen.user_file).resolve()
    if not chosen.project_file:
        raise ConfigurationError(f"{chosen.title} has no configuration of a repository: add --user")
    try:
        repository = WorkingCopy(context.directory)
    except (NotARepositoryError, UntrustedRepositoryError) as exc:
        raise ConfigurationError(
            f"{context.directory} is not inside a git repository: change to one, or add --user"
        ) from exc
    root = repository.root.resolve()
    repository.close()
    path = root / chosen.project_file
    if not path.resolve().is_relative_to(root):
        raise ConfigurationError(
            f"{path} is a link out of the repository: change the file that it names yourself"
        )
    return path.resolve()


def _address(url: str) -> str:
    from indexer.urls import central_url

    return central_url(url)


def _words(command: str | None) -> "Sequence[str]":
    """Return the command that starts codesearch, and say so if this machine does not find it."""
    import shutil
    from shlex import split

    words = split(command or "") or _own_command()
    if shutil.which(words[0]) is None:
        from aeterna_code_search.client.console import print_stderr

        print_stderr(
            f"Note: {words[0]} is not on your PATH, so the agent may not find it either: name the "
            "command with --command."
        )
    return words


def _own_command() -> list[str]:
    """Return `codesearch`; what uvx has started is gone later, so it is named with uvx."""
    is_temporary = "archive-v0" in Path(sys.prefix).parts  # a directory of uv's cache
    return ["uvx", "--from", "aeterna-code-search", SERVER] if is_temporary else [SERVER]


def _apply(change: "FileEdit", next_step: str, *, yes: bool, dry_run: bool) -> Exit:
    from aeterna_code_search.client.console import confirm, print_stderr, print_stdout
    from indexer.output.terminal import escape_line, escape_lines

    print_stdout("\n".join(escape_lines(change.difference().rstrip("\n"))) + "\n")
    if change.foreign:
        members = escape_line(", ".join(change.foreign))
        print_stderr(
            f"{change.path} has an entry {SERVER} that this command did not write ({members})."
        )
    if dry_run:
        print_stderr("Nothing was written.")
        return Exit.OK
    if change.foreign and (yes or not sys.stdin.isatty()):
        print_stderr(
            "Nothing was written: change the entry yourself, or type the command on a terminal "
            "without --yes and answer the question."
        )
        return Exit.USAGE
    if not yes and not sys.stdin.isatty():
        print_stderr("Nothing was written: add --yes to write it without a question.")
        return Exit.USAGE
    if not yes and not confirm(f"Write {change.path}?"):
        print_stderr("Nothing was written.")
        return Exit.OK
    change.write()
    print_stderr(f"Written. {next_step}")
    return Exit.OK
