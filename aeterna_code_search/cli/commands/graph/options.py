"""What the graph commands share: arguments and options with their validation, and output."""

import sys
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit
from indexer.limits import NODE_BODY_BYTES, RULE_BYTES

if TYPE_CHECKING:
    from aeterna_code_search.cli.output.knowledge import Columns


class Severity(StrEnum):
    """The severity of a violation."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def not_blank(text: str | None) -> str | None:
    """Return the stripped text (a callback). Raises BadParameter if it is blank."""
    if text is not None and not text.strip():
        raise typer.BadParameter("must not be blank")
    return text and text.strip()


def _properties(values: list[str] | None) -> list[str]:
    for assignment in values or ():
        if not assignment.partition("=")[0] or "=" not in assignment:
            raise typer.BadParameter(f"write {assignment!r} as KEY=VALUE")
    return values or []


def _file_content(path: str, max_bytes: int) -> str:
    """Read the text of a file, or of standard input for `-`."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(max_bytes + 1)
        text = data.decode()
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{path} is not UTF-8 text") from error
    if len(data) > max_bytes:
        raise typer.BadParameter(f"{path} is longer than {max_bytes:,} bytes")
    return text


def _body(path: str | None) -> str | None:
    return None if path is None else _file_content(path, NODE_BODY_BYTES)


def read_rule(path: str | None) -> str | None:
    """Read the rule in a file (a callback)."""
    return None if path is None else _file_content(path, RULE_BYTES)


Title = Annotated[str, typer.Argument(metavar="TITLE", callback=not_blank)]
Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        callback=not_blank,
        help="ADR-042, REPOSITORY/ADR-042, code:REPOSITORY/PATH or code:REPOSITORY/PATH#NAME",
    ),
]
NewId = Annotated[
    str | None,
    typer.Option("--id", metavar="ID", help="Id, such as ADR-042; default: a generated one"),
]
Body = Annotated[
    str | None,
    typer.Option(
        "--body", metavar="FILE", callback=_body, help="Markdown file; - is standard input"
    ),
]
Status = Annotated[str | None, typer.Option(help="Status, such as Accepted")]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        metavar="KEY=VALUE",
        callback=_properties,
        help="Additional property; repeatable",
    ),
]
Rule = Annotated[
    str | None,
    typer.Option(
        "--rule", metavar="FILE", callback=read_rule, help="ast-grep YAML file; - is stdin"
    ),
]
Language = Annotated[str | None, typer.Option(metavar="NAME", help="Language, such as rust")]
Include = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN", help="Paths that the policy covers, as in .gitignore; repeatable"
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Paths that the policy does not cover; repeatable"),
]
SeverityOption = Annotated[Severity | None, typer.Option(help="Severity of a violation")]
Message = Annotated[str | None, typer.Option(help="How to fix a violation")]
From = Annotated[str, typer.Argument(metavar="FROM", callback=not_blank, help="Id of a node")]
Type = Annotated[
    str,
    typer.Argument(metavar="TYPE", callback=not_blank, help="Type of the link, such as implements"),
]
To = Annotated[str, typer.Argument(metavar="TO", callback=not_blank, help="Id of a node")]


def without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are set; the service chooses the others."""
    return {name: value for name, value in values.items() if value not in (None, [])}


def mapping(properties: list[str]) -> dict[str, str]:
    """Return the `KEY=VALUE` options by key."""
    pairs = (property_.partition("=") for property_ in properties)
    return {name: value for name, _, value in pairs}


def print_rows(
    context: CommandContext,
    answer: Mapping[str, Any],
    *columns: "Columns",
    json: bool,
    after: str = "",
    notes: Iterable[str] = (),
) -> None:
    """Print the columns and the text `after` them, or the answer as JSON."""
    from aeterna_code_search.cli.output import knowledge
    from aeterna_code_search.cli.output.answers import print_answer

    print_answer(
        context.environ,
        answer,
        lambda console, _: knowledge.render(console, *columns) + after,
        json=json,
        notes=notes,
    )


def print_found(
    context: CommandContext,
    answer: Mapping[str, Any],
    *columns: "Columns",
    count: int,
    json: bool,
    after: str = "",
    notes: Iterable[str] = (),
) -> Exit:
    """Print the answer to a question, with notes; the exit code follows `count`."""
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr

    notes = [*notes, *receipt.graph_notes(answer)]
    print_rows(context, answer, *columns, json=json, after=after, notes=notes)
    if count:
        return Exit.OK
    print_stderr(receipt.in_options(answer.get("hint") or "Nothing was found."))
    return Exit.NOTHING_FOUND
