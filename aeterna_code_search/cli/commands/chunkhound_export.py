"""`chunkhound export`: a project's index as a ChunkHound database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aeterna_code_search.cli.commands.options import Project, examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from aeterna_code_search.integrations.chunkhound.export import Exported, Progress

commands = typer.Typer()


@commands.command(
    "export",
    short_help="Write the index to a file that ChunkHound reads.",
    epilog=examples(
        "mkdir -p .chunkhound/db && codesearch chunkhound export .chunkhound/db/chunks.db",
        "codesearch chunkhound export index.db --no-embeddings",
        "chunkhound search 'where are passwords hashed' --db index.db",
    ),
)
def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write")],
    project: Project = None,
    embeddings: Annotated[
        bool,
        typer.Option(
            "--embeddings/--no-embeddings",
            help="With vectors; sends every chunk to OpenAI, or to OPENAI_BASE_URL",
        ),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file")] = False,
) -> Exit:
    """Write the index of this checkout's project to a DuckDB file that ChunkHound reads.

    The chunks are those of the indexed commit. Their vectors come from text-embedding-3-small,
    ChunkHound's model; without vectors ChunkHound searches by regular expression only. After an
    interruption, run the command again: it resumes FILE.part.
    """
    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.client.target.target import open_target
    from aeterna_code_search.integrations.chunkhound.export import export_index, open_chunk_embedder
    from indexer.config.settings import GitCredential

    context: CommandContext = ctx.obj
    embedder = open_chunk_embedder(context.environ) if embeddings else None
    with (
        open_target(context.environ, context.directory) as target,
        _progress() as progress,
    ):
        exported = export_index(
            target,
            context.directory / file,
            project=project,
            embedder=embedder,
            credential=GitCredential.load(context.environ),
            may_overwrite=force,
            progress=progress,
        )
    print_stderr(
        f"{escape_line(str(file))}: {_content(exported)}.", _spent(exported), exported.differs
    )
    return Exit.OK


def _content(exported: "Exported") -> str:
    from indexer.output.terminal import pluralize

    parts = [
        pluralize(exported.files, "file"),
        pluralize(exported.chunks, "chunk"),
        pluralize(exported.embeddings, "embedding"),
    ]
    named = f"{escape_line(exported.project)} at commit {exported.commit[:12]}"
    return f"{', '.join(parts)} of {named}"


def _spent(exported: "Exported") -> str:
    from indexer.output.terminal import pluralize

    usage = exported.usage
    if not usage.requests:
        return ""
    cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:,.4f}"
    return f"Embedded by {pluralize(usage.requests, 'request')}, {usage.tokens:,} tokens{cost}."


@contextmanager
def _progress() -> "Iterator[Progress]":
    """Show a progress bar on a terminal; elsewhere print notes only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    from aeterna_code_search.integrations.chunkhound.export import Progress

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bars(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bars:
        task = bars.add_task("Files", total=None)

        def read(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        def embedded(done: int, total: int) -> None:
            bars.update(task, description="Embeddings", completed=done, total=total)

        def note(sentence: str) -> None:
            console.print(escape_line(sentence), markup=False, highlight=False, soft_wrap=True)

        yield Progress(read, embedded, note)
