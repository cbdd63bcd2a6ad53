"""The graph as a DuckDB file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aeterna_code_search.cli.commands.options import examples
from indexer.exits import Exit
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from aeterna_code_search.cli.export.graph import Exported, Progress

commands = typer.Typer()
_RETRY_SECONDS = 120.0  # rate limits are per minute; the pages read so far are kept


@commands.command(
    "export",
    epilog=examples(
        "codesearch graph export graph.duckdb --calls",
        'duckdb graph.duckdb "SELECT callee, count(*) FROM calls GROUP BY callee"',
    ),
)
def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write")],
    calls: Annotated[
        bool, typer.Option("--calls", help="Add a table of all calls in every repository")
    ] = False,
    unused: Annotated[
        bool, typer.Option("--unused", help="Add a table of the definitions without callers")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file")] = False,
) -> Exit:
    """Write the graph to a DuckDB file, for SQL: tables nodes and edges, and those of options.

    Needs a credential of the whole organisation. After an interruption, run the command again: it
    resumes FILE.part.
    """
    from aeterna_code_search.cli.export.graph import export_graph
    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.client.receipt import missing_note

    target = ctx.obj.directory / file
    with ctx.obj.service_api(retry_seconds=_RETRY_SECONDS) as api, _progress() as progress:
        exported = export_graph(
            api,
            target,
            with_calls=calls,
            with_unused=unused,
            may_overwrite=force,
            progress=progress,
        )
    print_stderr(f"{escape_line(str(file))}: {_content(exported)}.", missing_note(exported.missing))
    return Exit.OK


def _content(exported: "Exported") -> str:
    from indexer.output.terminal import pluralize

    parts = [pluralize(exported.nodes, "node"), pluralize(exported.edges, "edge")]
    if exported.unused is not None:
        parts.append(f"{pluralize(exported.unused, 'definition')} without callers")
    if exported.calls is not None:
        parts.append(pluralize(exported.calls, "call"))
    return ", ".join(parts)


@contextmanager
def _progress() -> "Iterator[Progress]":
    """Show a progress line on a terminal; print each note once."""
    from aeterna_code_search.cli.export.graph import Progress
    from aeterna_code_search.cli.output.answers import shown_progress

    printed: set[str] = set()
    with shown_progress("Preparing the graph") as (bars, task, print_note):

        def received(done: int, size: int | None) -> None:
            total = f" of {size / 1e6:,.1f}" if size else ""
            bars.update(task, description=f"{done / 1e6:,.1f}{total} MB of the graph")

        def added(calls: int, project: str) -> None:
            current = f", reading {escape_line(project)}" if project else ""
            bars.update(task, description=f"{calls:,} calls{current}")

        def note(sentence: str) -> None:
            if sentence not in printed:
                printed.add(sentence)
                print_note(sentence)

        yield Progress(received, added, note)
