"""Progress of exports on a terminal's standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


@contextmanager
def shown_progress(
    task: str, *columns: "ProgressColumn"
) -> "Iterator[tuple[Progress, TaskID, Callable[[str], None]]]":
    """Show a task: a line on a terminal, by default with its name alone, else nothing.

    Yields the bars, the task, and what prints a note as a line of its own.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    named = columns or (SpinnerColumn(), TextColumn("{task.description}", markup=False))

    def note(sentence: str) -> None:
        console.print(escape_line(sentence), markup=False, highlight=False, soft_wrap=True)

    with Progress(
        *named,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bars:
        yield bars, bars.add_task(task, total=None), note
