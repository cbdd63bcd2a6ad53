"""How a command ends: its answer, what there is to say of it, and the exit code."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aeterna_code_search.client import receipt
from aeterna_code_search.client.console import Console, print_stderr, print_stdout
from indexer.exits import Exit


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
