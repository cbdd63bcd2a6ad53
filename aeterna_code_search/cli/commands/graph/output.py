"""Request parameters and output of the graph commands."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.cli.output.knowledge import Columns


def without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are set; the service chooses the others."""
    return {name: value for name, value in values.items() if value not in (None, [])}


def mapping(properties: list[str]) -> dict[str, str]:
    """Return the `KEY=VALUE` options by key."""
    pairs = (property_.partition("=") for property_ in properties)
    return {name: value for name, _, value in pairs}


def print_stored(context: CommandContext, answer: Mapping[str, Any], *, json: bool) -> Exit:
    """Print a stored document."""
    from aeterna_code_search.cli.output import knowledge
    from aeterna_code_search.client.console import Console, print_stdout

    console = Console.of(context.environ)
    stored = knowledge.nodes(answer["nodes"])
    print_stdout(console.as_json(answer) if json else knowledge.render(console, stored))
    return Exit.OK


def print_answer(
    context: CommandContext,
    answer: Mapping[str, Any],
    columns: "list[Columns]",
    *,
    count: int,
    json: bool,
    after: str = "",
) -> Exit:
    """Print the columns, the text `after` them and notes; the exit code follows `count`."""
    from aeterna_code_search.cli.output import knowledge
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr, print_stdout

    console = Console.of(context.environ)
    if json:
        print_stdout(console.as_json(answer))
    else:
        print_stdout(knowledge.render(console, *columns) + after)
        print_stderr(*receipt.graph_notes(answer))
    if count:
        return Exit.OK
    print_stderr(receipt.in_options(answer.get("hint") or "Nothing was found."))
    return Exit.NOTHING_FOUND
