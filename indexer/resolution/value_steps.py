"""Steps from a value to a function that it holds: those of a chain after HELD.

* `2=name`, the parameter of the function with this name, the third that callers write;
* `=>`, the function without a name that it returns; `()`, what calling it gives;
* `[key]`, its item by a literal key; `[]`, any item;
* `@name`, a member of the instance that root.chain is or gives.
"""

import re
from functools import lru_cache
from typing import Final, overload

from indexer.records.references import CALLED, CLOSURE, ELEMENT, HELD
from indexer.resolution.value import INSTANCE, PATH, RESULT, Value
from indexer.syntax.expressions import read_arguments

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
