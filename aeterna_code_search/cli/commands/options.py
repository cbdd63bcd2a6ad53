"""Options that several commands share, and examples for their help."""

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


def examples(*commands: str) -> str:
    """Format the examples at the end of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)
