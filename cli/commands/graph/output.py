"""What commands of the graph send and print."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from cli.output.knowledge import Columns


def only_given(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was given of the values: what is left out is the service's to choose."""
    return {name: value for name, value in values.items() if value not in (None, [])}


def mapping(properties: list[str]) -> dict[str, str]:
    """`KEY=VALUE` options by key."""
    pairs = (one.partition("=") for one in properties)
    return {name: value for name, _, value in pairs}


def print_stored(invocation: CommandContext, answer: Mapping[str, Any], *, json: bool) -> Exit:
    """Print a document as it is stored now."""
    from cli.output import knowledge
    from cli.output.console import Console, print_stdout

    console = Console.of(invocation.environ)
    stored = knowledge.nodes(answer["nodes"])
    print_stdout(console.as_json(answer) if json else knowledge.shown(console, stored))
    return Exit.OK


def print_answer(
    invocation: CommandContext,
    answer: Mapping[str, Any],
    columns: "list[Columns]",
    *,
    found: int,
    json: bool,
    after: str = "",
) -> Exit:
    """Print an answer, `after` its columns a text, and notes about it; ends by what was found."""
    from cli.output import knowledge, receipt
    from cli.output.console import Console, print_stderr, print_stdout

    console = Console.of(invocation.environ)
    if json:
        print_stdout(console.as_json(answer))
    else:
        print_stdout(knowledge.shown(console, *columns) + after)
        print_stderr(*receipt.graph_notes(answer))
    if found:
        return Exit.OK
    print_stderr(receipt.in_options(answer.get("hint") or "Nothing was found."))
    return Exit.NOTHING_FOUND
