"""Options that several commands share, and examples for their help."""

from enum import StrEnum
from typing import Annotated

import typer

from aeterna_code_search.cli.commands.completion import complete_project

Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print the service's answer as JSON; after an error only the message, on standard "
        "error",
    ),
]
Projects = Annotated[
    list[str] | None,
    typer.Option(
        "--project",
        "-p",
        metavar="NAME",
        autocompletion=complete_project,
        help="Only this repository; repeatable",
    ),
]
Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="NAME",
        autocompletion=complete_project,
        help="Name of the repository in the index",
    ),
]


class Confidence(StrEnum):
    """The minimum confidence of a link; `low` includes matches by name only."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


MinConfidence = Annotated[
    Confidence, typer.Option(help="Minimum confidence; `low` includes matches by name only")
]


class Kind(StrEnum):
    """How a name is used: with `new` in languages that write it, `element` in JSX.

    Imports, and types in annotations, are listed only if they are asked for.
    """

    CALL = "call"
    NEW = "new"
    DECORATE = "decorate"
    INHERIT = "inherit"
    ELEMENT = "element"
    VALUE = "value"
    TYPE = "type"
    IMPORT = "import"


Kinds = Annotated[
    list[Kind] | None,
    typer.Option("--kind", help="Only such uses; repeatable. Types and imports are shown only so"),
]
Limit = Annotated[
    int, typer.Option("--limit", "-k", min=1, max=200, help="Maximum number of results")
]


def examples(*commands: str) -> str:
    """Format the examples at the end of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)
