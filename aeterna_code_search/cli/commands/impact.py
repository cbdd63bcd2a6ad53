"""`impact`: the callers of changed definitions, in every repository."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.options import Json, Project, asks, examples
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.trace import ImpactRequest
from indexer.exits import Exit

if TYPE_CHECKING:
    from indexer.config.settings import GitCredential
    from indexer.git.repository import Repository
    from indexer.impact.assessment import Range

commands = typer.Typer()


@commands.command(
    "impact",
    epilog=examples(
        "codesearch impact",
        "codesearch impact main..feature --min-confidence high",
        "codesearch impact HEAD~1..HEAD --json | jq '.symbols[].projects[].project'",
    ),
)
@asks(ImpactRequest)
def impact(
    ctx: typer.Context,
    compared: Annotated[
        str | None,
        typer.Argument(
            metavar="[BASE..HEAD]",
            show_default=False,
            help="Changes of HEAD since it left BASE; default: since it left the remote's default "
            "branch. Without HEAD, uncommitted changes too",
        ),
    ] = None,
    project: Project = None,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """Show the callers of the definitions that a branch changes, in every repository.

    The changes are read from the git repository of this directory. The exit code is 0 also if the
    changed definitions have no callers.
    """
    from aeterna_code_search.cli.output.answers import print_answer
    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.client.target.target import open_target
    from indexer.config.github_job import GitHubContext
    from indexer.config.settings import GitCredential
    from indexer.errors import NotARepositoryError
    from indexer.git.repository import Repository
    from indexer.impact import report
    from indexer.impact.assessment import assess_impact, range_of
    from indexer.impact.queries import ImpactQueries

    context: CommandContext = ctx.obj
    try:
        credential = GitCredential.load(context.environ)
        repository = Repository(context.directory, credential)
    except NotARepositoryError as exc:
        raise NotARepositoryError(
            f"{context.directory} is not inside a git repository: change to one"
        ) from exc
    with open_target(context.environ, context.directory, project=project) as target:
        queries = ImpactQueries(
            target.transport(), organization=target.organization, project=target.project
        )
        found = range_of(repository, GitHubContext(), compared)
        with _with_work_tree(repository, found, compared, credential) as (extended, ends):
            assessment = assess_impact(
                repository=extended,
                queries=queries,
                project=target.project,
                compared=ends,
                min_confidence=request["min_confidence"],
            )
    print_answer(
        context.environ,
        report.as_json(assessment),
        lambda *_: report.format_text(assessment) + "\n",
        json=json,
    )
    if assessment.indexed_commit is None:
        print_stderr("To index it now, type `codesearch index` in the repository.")
    return report.exit_of(assessment)


@contextmanager
def _with_work_tree(
    repository: "Repository",
    compared: "Range",
    range_text: str | None,
    credential: "GitCredential | None",
) -> Iterator[tuple["Repository", "Range"]]:
    """Add uncommitted changes to a range whose HEAD is not named, if there are any.

    The commit of the work tree is in the yielded repository only, and gone afterwards.
    """
    _, dots, head = (range_text or "").partition("..")
    if (dots and head.removeprefix(".")) or not (repository.root / ".git").exists():
        yield repository, compared
        return
    from aeterna_code_search.cli.watch.snapshot import Snapshots
    from indexer.git.local import object_environment
    from indexer.git.repository import Repository

    with tempfile.TemporaryDirectory(prefix="codesearch-impact-") as directory:
        snapshots = Snapshots(repository.root, Path(directory))
        commit = snapshots.create()
        snapshots.repository.close()
        if commit is None or commit == compared.head:
            yield repository, compared
            return
        environment = object_environment(repository.root, Path(directory, "objects"))
        extended = Repository(repository.root, credential, environment)
        try:
            yield extended, replace(compared, work_tree=commit)
        finally:
            extended.close()
