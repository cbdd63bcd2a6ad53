"""What a record says of a field beside its type.

An answer's fields are `Annotated`: a text is the description; an enumeration, or members of one,
are its values. A request's fields are made by `argument`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum, IntEnum, StrEnum, auto
from functools import cache
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints


class Note(Enum):
    """`YOUNGER`: servers of older versions do not send it. `PAGES`: only pages ask for it."""

    YOUNGER = auto()
    PAGES = auto()


YOUNGER: Final = Note.YOUNGER
PAGES: Final = Note.PAGES
AS_TOOL: Final = "="
REQUIRED: Final = MISSING
_ARGUMENT: Final = "argument"


@dataclass(frozen=True, slots=True)
class Argument:
    """The limits of a request's field, and what each surface says of it.

    `help` is of the API, `tool` of the tools of agents, `sidecar` of those of a sidecar, `cli` of
    the command line; None where there is no such argument. `option`: its names and placeholder on
    the command line, where they do not follow from the name. Tools have `tool_default` instead of
    the record's default. `chars` and `low` and `high` also limit the members of a list, of which
    there are `fewest` to `most`. `name`: in JSON, unless it is that of the record. `is_trimmed`:
    blanks around a text do not count, so it has others.
    """

    help: str = ""
    tool: str | None = None
    sidecar: str | None = AS_TOOL
    cli: str | None = None
    option: str = ""
    chars: int | None = None
    low: int | float | None = None
    high: int | float | None = None
    fewest: int | None = None
    most: int | None = None
    choices: Sequence[str] = ()
    name: str = ""
    tool_default: Any = None
    is_trimmed: bool = False
    may_be_blank: bool = False
    may_be_null: bool = False
    is_default_told: bool = True


def argument(default: Any, help: str = "", **options: Any) -> Any:
    """Return a field of a request; `options` are those of Argument."""
    return field(default=default, metadata={_ARGUMENT: Argument(help, **options)})


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a request in JSON. `kind` is its type, or that of the members of a list."""

    name: str
    kind: type
    argument: Argument
    default: Any
    is_list: bool

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED

    @property
    def choices(self) -> list[str]:
        """The values that it may have, if they are listed; a scale has its highest first."""
        if self.argument.choices:
            return list(self.argument.choices)
        if issubclass(self.kind, IntEnum):
            return [value.name.lower() for value in reversed(self.kind)]
        return [value.value for value in self.kind] if issubclass(self.kind, StrEnum) else []

    @property
    def told_default(self) -> Any:
        """The default in JSON; None if that is to leave the field out."""
        default = self.default
        if isinstance(default, IntEnum):
            return default.name.lower()
        if self.is_list or default in ("", REQUIRED) or not self.argument.is_default_told:
            return None
        low = self.argument.low
        return None if low is not None and default is not None and default < low else default

    def value(self, given: Any) -> Any:
        """Return the record's value of one in JSON."""
        if self.is_list:
            return tuple(sorted(set(given)) if self.choices else dict.fromkeys(given))
        if issubclass(self.kind, IntEnum):
            return self.kind[given.upper()]
        return self.kind(given) if issubclass(self.kind, StrEnum) else given


@cache
def members_of(record: type) -> tuple[Member, ...]:
    """Return the fields of a request in JSON: those of a record in it are its own."""
    return tuple(_members(record))


_hints_of = cache(get_type_hints)


def _members(record: type) -> Iterator[Member]:
    hints = _hints_of(record)
    for own in fields(record):
        kind = hints[own.name]
        if is_dataclass(kind):
            yield from members_of(kind)  # type: ignore[arg-type]
        elif _ARGUMENT in own.metadata:
            said: Argument = own.metadata[_ARGUMENT]
            parts = [part for part in get_args(kind) if part not in (NoneType, ...)]
            value = parts[0] if parts else kind
            is_list = get_origin(kind) is tuple
            yield Member(said.name or own.name, value, said, own.default, is_list)


def record_of(record: type, given: dict[str, Any]) -> Any:
    """Return the record of a request in JSON that is valid."""
    known = {member.name: member for member in members_of(record)}
    values = {}
    hints = _hints_of(record)
    for own in fields(record):
        if is_dataclass(kind := hints[own.name]):
            values[own.name] = record_of(kind, given)  # type: ignore[arg-type]
        elif _ARGUMENT in own.metadata:
            name = own.metadata[_ARGUMENT].name or own.name
            if name in given:
                values[own.name] = known[name].value(given[name])
    return record(**values)
