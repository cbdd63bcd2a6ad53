"""Options that several commands share, those made from records of the contract, and examples."""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, Final

import typer

from aeterna_code_search.cli.commands.completion import complete_project
from aeterna_code_search.contract.notes import Member, members_of
from indexer.exits import Exit

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

Ref = Annotated[
    str,
    typer.Option("--ref", metavar="NAME", help="A branch; default: the default one"),
]

Repository = Annotated[
    str,
    typer.Argument(
        metavar="PROJECT",
        autocompletion=complete_project,
        help="Name of the repository in the index; also PROJECT/PATH, as other commands print it",
    ),
]


def project_and_path(project: str, path: str | None) -> tuple[str, str]:
    """Split `project/path`; names of projects have no slash."""
    name, _, beginning = project.partition("/")
    return name, "/".join(filter(None, (beginning.strip("/"), path)))


def examples(*commands: str) -> str:
    """Format the examples at the end of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


_NO_MAXIMUM: Final = 1_000_000  # an option's help does not say so


def _languages() -> list[str]:
    from indexer.languages.registry import SUFFIXES

    return sorted({language.name for language in SUFFIXES.values()})


_COMPLETIONS: Final[Mapping[str, Callable[..., list[str]]]] = {
    "caller_projects": complete_project,
    "exclude_projects": complete_project,
    "include_projects": complete_project,
    "language": _languages,
    "project": complete_project,
}
_Command = Callable[..., Exit]


def asks(record: type, *, without: Collection[str] = ()) -> Callable[[_Command], _Command]:
    """Give a command the options of a request, and what is chosen as `**request` for the API.

    Its own options that can only be named go behind them.
    """
    members = {
        member.name: member
        for member in members_of(record)
        if member.argument.cli is not None and member.name not in without
    }

    def decorate(command: _Command) -> _Command:
        own = [*signature(command).parameters.values()][:-1]
        first = [parameter for parameter in own if parameter.kind is not Parameter.KEYWORD_ONLY]
        options = [
            Parameter(
                name, Parameter.KEYWORD_ONLY, annotation=_type(member), default=_default(member)
            )
            for name, member in members.items()
        ]

        @wraps(command)
        def run(*args: Any, **given: Any) -> Exit:
            chosen = {name: given.pop(name) for name in members}
            request = {name: _json(value) for name, value in chosen.items() if value or value == ""}
            return command(*args, **given, **request)

        parameters = [*first, *options, *own[len(first) :]]
        vars(run)["__signature__"] = signature(command).replace(parameters=parameters)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _default(member: Member) -> Any:
    if member.is_required:
        return Parameter.empty
    return None if member.is_list else member.told_default


def _json(value: Any) -> Any:
    if isinstance(value, list):
        return [_json(member) for member in value]
    return str(value) if isinstance(value, StrEnum) else value


def _type(member: Member) -> Any:
    argument = member.argument
    names = [word for word in argument.option.split() if word.startswith("-")]
    options: dict[str, Any] = {
        "help": argument.cli,
        "metavar": next((word for word in argument.option.split() if word.isupper()), None),
        "autocompletion": _COMPLETIONS.get(member.name),
    }
    if member.kind in {int, float}:
        high = argument.high
        options["min"] = argument.low
        options["max"] = None if high is None or high >= _NO_MAXIMUM else high
    kind: Any = member.kind if member.kind in {bool, int, float} else str
    if member.choices:
        values = [(choice, choice) for choice in member.choices]
        kind = StrEnum(member.name, values)  # type: ignore[misc, no-redef]
    if member.is_list:
        kind = list[kind]
    if _default(member) is None:
        kind = kind | None
    name = f"--{member.name.replace('_', '-')}"
    return Annotated[kind, typer.Option(*(names or [name]), **options)]
