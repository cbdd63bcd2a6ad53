"""`onboard`: open a pull request with the indexing workflow in each repository of an owner."""

from typing import Annotated

import typer

from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()
_Patterns = Annotated[
    list[str] | None,
    typer.Option(
        "--repository", "-r", metavar="NAME", help="Only this name or pattern; repeatable"
    ),
]


@commands.command(
    "onboard",
    epilog=examples(
        "codesearch onboard acme",
        "codesearch onboard acme --repository 'shop-*' --open",
        "codesearch onboard acme --topic backend --open --json",
    ),
)
def onboard(
    ctx: typer.Context,
    owner: Annotated[str, typer.Argument(metavar="OWNER", help="Organisation or user at GitHub")],
    repository: _Patterns = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            "--exclude", "-e", metavar="NAME", help="Not this name or pattern; repeatable"
        ),
    ] = None,
    topic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOPIC", help="Only repositories with it; repeatable: with one of them"
        ),
    ] = None,
    forks: Annotated[bool, typer.Option("--forks", help="Forks too")] = False,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the pull requests; without it, only list them")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document")] = False,
) -> Exit:
    """Open a pull request with the indexing workflow in each chosen repository.

    Without --open nothing is changed. GITHUB_TOKEN must be allowed to write contents, workflows and
    pull requests; GITHUB_API_URL names a GitHub Enterprise Server. Repositories with the workflow
    or a pull request, open or closed, are left alone, so the command may be repeated.
    """
    from aeterna_code_search.cli.onboarding import onboard_owner, render
    from aeterna_code_search.cli.output.answers import print_answer
    from indexer.forge.selection import Selection

    context: CommandContext = ctx.obj
    selection = Selection(
        include=tuple(repository or ()),
        exclude=tuple(exclude or ()),
        topics=tuple(topic or ()),
        forks=forks,
    )
    outcome = onboard_owner(context, owner, selection, is_dry_run=not open_)
    print_answer(context.environ, outcome.as_json(), lambda *_: render(outcome), json=json)
    return Exit.OK if outcome.repositories else Exit.NOTHING_FOUND
