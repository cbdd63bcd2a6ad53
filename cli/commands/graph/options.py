"""Arguments and options that commands of the graph share, checked as they are read."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from indexer.limits import NODE_BODY_BYTES, RULE_BYTES


class Kind(StrEnum):
    """What a document is."""

    KNOWLEDGE = "knowledge"
    POLICY = "policy"
    MEMORY = "memory"


class Target(StrEnum):
    """What relatives are looked for."""

    CODE = "code"
    KNOWLEDGE = "knowledge"
    POLICY = "policy"
    MEMORY = "memory"


class Direction(StrEnum):
    """Which way edges are followed."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


class Severity(StrEnum):
    """How bad a violation is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def not_blank(text: str | None) -> str | None:
    """A callback: the text without spaces around it. Raises BadParameter if that is nothing."""
    if text is not None and not text.strip():
        raise typer.BadParameter("it must not be blank")
    return text and text.strip()


def _properties(given: list[str] | None) -> list[str]:
    for one in given or ():
        if not one.partition("=")[0] or "=" not in one:
            raise typer.BadParameter(f"write {one!r} as KEY=VALUE")
    return given or []


def _file_content(path: str, most: int) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(most + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(most + 1)
        text = data.decode()
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{path} is not UTF-8 text") from error
    if len(data) > most:
        raise typer.BadParameter(f"{path} is longer than {most:,} bytes")
    return text


def _body(path: str | None) -> str | None:
    return None if path is None else _file_content(path, NODE_BODY_BYTES)


def rule_of(path: str | None) -> str | None:
    """A callback: the rule in a file."""
    return None if path is None else _file_content(path, RULE_BYTES)


Title = Annotated[str, typer.Argument(metavar="TITLE", callback=not_blank)]
Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        callback=not_blank,
        help="ADR-042, REPOSITORY/ADR-042, code:REPOSITORY/PATH or code:REPOSITORY/PATH#NAME.",
    ),
]
NewId = Annotated[
    str | None, typer.Option("--id", metavar="ID", help="Such as ADR-042; without it, one is made.")
]
Body = Annotated[
    str | None,
    typer.Option(
        "--body", metavar="FILE", callback=_body, help="Markdown of a file; - is standard input."
    ),
]
Status = Annotated[str | None, typer.Option(help="Such as Accepted.")]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property", metavar="KEY=VALUE", callback=_properties, help="Anything else; repeatable."
    ),
]
Rule = Annotated[
    str | None,
    typer.Option("--rule", metavar="FILE", callback=rule_of, help="ast-grep's YAML; - is stdin."),
]
Language = Annotated[str | None, typer.Option(metavar="NAME", help="Such as rust.")]
Include = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Paths that it holds for, as in .gitignore; repeatable."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Paths that it does not hold for; repeatable."),
]
SeverityOption = Annotated[Severity | None, typer.Option(help="How bad a violation is.")]
Message = Annotated[str | None, typer.Option(help="What to do about a violation.")]
Limit = Annotated[int, typer.Option(min=1, max=200, help="How many at most.")]
From = Annotated[str, typer.Argument(metavar="FROM", callback=not_blank, help="A node's id.")]
Type = Annotated[
    str, typer.Argument(metavar="TYPE", callback=not_blank, help="Such as implements.")
]
To = Annotated[str, typer.Argument(metavar="TO", callback=not_blank, help="A node's id.")]
