"""What a command prints: progress, its answer and what there is to say of it; the exit code."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aeterna_code_search.client import receipt
from aeterna_code_search.client.console import Console, print_stderr, print_stdout
from indexer.exits import Exit
from indexer.output.terminal import escape_line

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


def print_answer(
    environ: Mapping[str, str],
    answer: Any,
    text: Callable[[Console, Any], str],
    *,
    json: bool,
    notes: Iterable[str] = (),
) -> None:
    """Print an answer as JSON, or its text, and then notes on standard error."""
    console = Console.of(environ)
    if json:
        print_stdout(console.as_json(answer))
        return
    print_stdout(text(console, answer))
    print_stderr(*notes)


def exit_code(answer: Mapping[str, Any], *, count: int) -> Exit:
    """Return the exit code of an answer with so many rows; without any, print why."""
    code, why = receipt.exit_status(answer, count=count)
    print_stderr(why)
    return code


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
