"""The value of a path of names, as far as its file determines it.

Steps from a value to a function that it holds are those of a chain after HELD:

* `2=name`, the parameter of the function with this name, the third that callers write;
* `=>`, the function without a name that it returns; `()`, what calling it gives;
* `[key]`, its item by a literal key; `[]`, any item;
* `@name`, a member of the instance that root.chain is or gives.
"""

import re
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from indexer.records.files import NAME_CHARACTERS
from indexer.records.references import (
    CALLED,
    CLOSURE,
    EACH,
    ELEMENT,
    HELD,
    Access,
    Binding,
    Reference,
    ReferenceKind,
)
from indexer.syntax.expressions import read_arguments

if TYPE_CHECKING:
    from indexer.resolution.scopes import Scope

# Module constants because these are read for each name: looking a member up on its enumeration
# takes half as long as creating a tuple.
LOCAL: Final = Binding.LOCAL
IMPORT: Final = Binding.IMPORT
FREE: Final = Binding.FREE
PATH: Final = Access.PATH
INSTANCE: Final = Access.INSTANCE
RESULT: Final = Access.RESULT
BASE: Final = Access.BASE


class NameRole(Enum):
    """The syntactic role of a name. Some languages have a namespace for some roles."""

    VALUE = auto()
    RECEIVER = auto()
    CALLEE = auto()
    TYPE = auto()


VALUE: Final = NameRole.VALUE
RECEIVER: Final = NameRole.RECEIVER
CALLEE: Final = NameRole.CALLEE
TYPE: Final = NameRole.TYPE


class WrittenType(NamedTuple):
    """A type of which parts have types too, where it is written: `list[Item]`, `() => Item`.

    `taken` are the names of the parts that lead to the value (indexer/syntax/containers.py).
    """

    text: str
    scope: "Scope"
    offset: int
    taken: tuple[str, ...] = ()


class Items(NamedTuple):
    """What a function over items gives: `sorted(items)`, or a literal of them: each is a value.

    `paths` lead to it, such as `values`, CALLED, EACH; `taken` are the names of one that were read.
    """

    each: "Value"
    paths: frozenset[tuple[str, ...]] = frozenset({(EACH,), (ELEMENT,)})
    taken: tuple[str, ...] = ()


class Value(NamedTuple):
    """The object root.chain itself (PATH), an instance, a call's result or a base class of it.

    With a `member`, that member of it. UNKNOWN is the only unknown value. `written` is the type of
    a container or function, or what its items are. With `is_self` it is the class around a method,
    or an instance of it, so in a subclass it is that.
    """

    binding: Binding
    root: str = ""
    chain: tuple[str, ...] = ()
    access: Access = PATH
    member: str = ""
    written: WrittenType | Items | None = None
    is_self: bool = False

    @property
    def path(self) -> str:
        """The dotted names of the object."""
        return ".".join((self.root, *self.chain))


UNKNOWN: Final = Value(Binding.UNKNOWN)
MAX_CHAIN: Final = 8  # names between a root and its member


def is_method_access(value: Value) -> bool:
    """Whether the value is a method, so that its members are members of its result."""
    if value.access is PATH and value is not UNKNOWN:
        return (value.chain or value.root.split("."))[-1][:1].islower()
    return bool(value.member)


def member_value(value: Value, access: Access) -> Value:
    """Return the value of its member (INSTANCE) or the result of calling it (RESULT)."""
    if not value.member or value.access is BASE or len(value.chain) >= MAX_CHAIN:
        return UNKNOWN
    return Value(value.binding, value.root, (*value.chain, value.member), access)


def as_instance(value: Value) -> Value:
    """Return an instance of the class `value`."""
    if value.access is PATH and value is not UNKNOWN:
        return Value(
            value.binding, value.root, value.chain, INSTANCE, value.member, None, value.is_self
        )
    return UNKNOWN


def type_reference(owner: str, value: Value, position: tuple[int, int]) -> Reference:
    """Return the TYPE reference that tells the type of `owner`, a definition or a part of it."""
    return Reference(
        ReferenceKind.TYPE,
        "",
        value.binding,
        value.root[:NAME_CHARACTERS],
        ".".join(value.chain)[:NAME_CHARACTERS],
        value.access,
        owner[:NAME_CHARACTERS],
        *position,
    )


_NAME: Final = re.compile(r"\s*((?:[^\W\d]|\$)[\w$]*)\s*")
_LITERAL_KEY: Final = re.compile(r"\s*(?:\"(\w{1,60})\"|'(\w{1,60})'|(\d{1,9}))\s*\Z")
_PARAMETER: Final = re.compile(r"\d+=")


@lru_cache(maxsize=10_000)
def read_steps(written: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the names of a path, and the calls and indexes after it; None of any other text."""
    text = written.strip()
    if text.isidentifier():
        return (text,), ()
    path: list[str] = []
    steps: list[str] = []
    position = 0
    while position < len(text):
        sign = text[position]
        if sign in "([" and path:
            inner, end = read_arguments(text, position)
            if end < 0:
                return None
            steps.append(CALLED if sign == "(" else index_step(inner[0] if len(inner) == 1 else ""))
            position = end
            continue
        found = _NAME.match(text, position + (sign == "." and bool(path)))
        if found is None or steps or (path and sign != "."):
            return None
        path.append(found[1])
        position = found.end()
    return (tuple(path), tuple(steps)) if path else None


def index_step(key: str) -> str:
    """Return the step to an item, by its literal key or else any."""
    found = _LITERAL_KEY.match(key)
    if found is None:
        return ELEMENT
    return f"[{found[1] or found[2] or '#' + found[3]}]"


def flow_name(value: Value) -> str:
    """Return the name of a reference to a value: `make()`, `TABLE[]`, a field, `=parameter`."""
    at = value.chain.index(HELD)
    name, *_ = [*reversed(value.chain[:at]), value.root.rpartition(".")[2]]
    for step in value.chain[at + 1 :]:
        if step == CALLED:
            name += CALLED
        elif step == CLOSURE:
            continue
        elif step[0] == "[":
            name += ELEMENT
        else:
            name = step[1:] if step[0] == "@" else f"{HELD}{step.partition('=')[2]}"
    return name


def parameter_step(value: Value) -> str | None:
    """Return the step to the parameter that the value is, or begins with."""
    return next((step for step in value.chain if _PARAMETER.match(step)), None)


def owner_part(value: Value) -> str:
    """Return the part that a value is, without later steps: `apply.0=f`."""
    at = value.chain.index(HELD)
    steps = value.chain[at + 1 :]
    last = next((place for place, step in enumerate(steps) if step != CLOSURE), len(steps))
    return ".".join((value.root, *value.chain[:at], *steps[: last + 1]))


def held_function(value: Value) -> Value | None:
    """Return a value as what holds a function: itself, or its member; None if it gives neither."""
    if value.access is PATH:
        return Value(value.binding, value.root, (*value.chain, HELD))
    if value.access in (INSTANCE, RESULT) and value.member:
        return Value(value.binding, value.root, (*value.chain, HELD, f"@{value.member}"))
    return None


@overload
def with_step(value: Value, step: str) -> Value: ...
@overload
def with_step(value: None, step: str) -> None: ...
@overload
def with_step(value: Value | None, step: str) -> Value | None: ...
def with_step(value: Value | None, step: str) -> Value | None:
    """Return the value after one step more."""
    return value and value._replace(chain=(*value.chain, step))
