"""`impact`: the callers of changed definitions, in every repository."""

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
            help="Changes of HEAD since it left BASE; default: since it left the remote's default "
            "branch",
        ),
    ] = None,
    project: Project = None,
    min_confidence: MinConfidence = Confidence.MEDIUM,
    json: Json = False,
) -> Exit:
    """Show the callers of the definitions that a branch changes, in every repository.

    The changes are read from the git repository of this directory. The exit code is 0 also if the
    changed definitions have no callers.
    """
    from cli.output.console import Console, print_stderr, print_stdout
    from cli.target.target import open_target
    from indexer.config.settings import GitCredential, GitHubContext
    from indexer.errors import NotARepositoryError
    from indexer.git.repository import Repository
    from indexer.impact import report
    from indexer.impact.assessment import impact_of

    context: CommandContext = ctx.obj
    try:
        repository = Repository(context.directory, GitCredential.load(context.environ))
    except NotARepositoryError as exc:
        raise NotARepositoryError(
            f"{context.directory} is not inside a git repository: change to one"
        ) from exc
    with open_target(context.environ, context.directory, project=project) as target:
        assessment = impact_of(
            repository,
            target.transport(),
            organization=target.organization,
            project=target.project,
            github=GitHubContext(),
            range_text=compared,
            min_confidence=str(min_confidence),
        )
    console = Console.of(context.environ)
    print_stdout(
        console.as_json(report.as_json(assessment))
        if json
        else report.format_text(assessment) + "\n"
    )
    if assessment.indexed_commit is None:
        print_stderr("To index it now, type `codesearch index` in the repository.")
    return report.exit_of(assessment)
