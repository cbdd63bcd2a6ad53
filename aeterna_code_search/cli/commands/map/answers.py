"""Ask the service about the organisation as one, and print what it says."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

_Answer = Mapping[str, Any]
RETRY_SECONDS: Final = 20.0  # while stored edges follow an apply


def answer_of(context: CommandContext, what: str, asked: Mapping[str, Any]) -> _Answer:
    """Return the answer of `/api/v1/{what}`. Raises IndexerError."""
    with context.service_api(retry_seconds=RETRY_SECONDS) as service_api:
        return service_api.map(
            what, {name: value for name, value in asked.items() if value is not None}
        )


def print_answer(
    context: CommandContext,
    answer: _Answer,
    lines: Callable[[_Answer], Iterator[str]],
    *,
    count: int,
    json: bool,
) -> Exit:
    """Print the lines, or the answer as JSON; return the exit code. `count` is of its rows."""
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr, print_stdout

    if json:
        print_stdout(Console.of(context.environ).as_json(answer))
    else:
        print_stdout("".join(f"{line}\n" for line in lines(answer)))
        print_stderr(*receipt.receipt_notes(answer))
    code, why = receipt.exit_status(answer, count=count)
    print_stderr(why)
    return code
