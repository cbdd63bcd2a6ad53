"""Options that several commands have, and how examples stand in their help."""

from enum import StrEnum
from typing import Annotated

import typer

Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print the service's answer as JSON. After an error nothing is printed but the "
        "message, on standard error.",
    ),
]
Projects = Annotated[
    list[str] | None,
    typer.Option("--project", "-p", metavar="NAME", help="Only this repository; repeatable."),
]
Project = Annotated[
    str | None,
    typer.Option("--project", "-p", metavar="NAME", help="The repository's name in the index."),
]


class Confidence(StrEnum):
    """The lowest confidence of a link; `low` names those of the same name, too."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


MinConfidence = Annotated[
    Confidence, typer.Option(help="The lowest confidence of a use; low: by its name alone.")
]


def examples(*commands: str) -> str:
    """The end of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)
