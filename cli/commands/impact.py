"""`impact`: who calls what a branch changes, in other repositories too."""

from typing import Annotated

import typer

from cli.commands.options import Confidence, Json, MinConfidence, Project, examples
from cli.context import CommandContext
from indexer.exits import Exit

commands = typer.Typer()


@commands.command(
    "impact",
    epilog=examples(
        "codesearch impact",
        "codesearch impact main..feature --min-confidence high",
        "codesearch impact HEAD~1..HEAD --json | jq '.symbols[].projects[].project'",
    ),
)
def impact(
    ctx: typer.Context,
    compared: Annotated[
        str | None,
        typer.Argument(
            metavar="[BASE..HEAD]",
            show_default=False,
            help="What HEAD changes since it left BASE; else since it left the remote's default "
            "branch.",
        ),
    ] = None,
    project: Project = None,
    min_confidence: MinConfidence = Confidence.MEDIUM,
    json: Json = False,
) -> Exit:
    """Tell who calls what a branch changes, in every repository.

    Asks git in the repository of this directory what is changed. That it has no callers is an
    answer too: the exit code is 0.
    """
    from cli.output.console import Console, print_stderr, print_stdout
    from cli.target.target import open_target
    from indexer.config.settings import GitCredential, GitHubContext
    from indexer.errors import NotARepositoryError
    from indexer.git.repository import Repository
    from indexer.impact import report
    from indexer.impact.assessment import impact_of

    invocation: CommandContext = ctx.obj
    try:
        repository = Repository(invocation.directory, GitCredential.load(invocation.environ))
    except NotARepositoryError as exc:
        raise NotARepositoryError(
            f"{invocation.directory} is not inside a git repository: go to one"
        ) from exc
    with open_target(invocation.environ, invocation.directory, project=project) as target:
        found = impact_of(
            repository,
            target.transport(),
            organization=target.organization,
            project=target.project,
            github=GitHubContext(),
            range_text=compared,
            min_confidence=str(min_confidence),
        )
    console = Console.of(invocation.environ)
    print_stdout(
        console.as_json(report.as_json(found)) if json else report.format_text(found) + "\n"
    )
    if found.indexed_commit is None:
        print_stderr("To index it here and now: type `codesearch index` in the repository.")
    return report.exit_of(found)
