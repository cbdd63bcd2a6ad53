"""Parser of written types whose parts have types: containers, tuples, functions, object types."""

import re
from functools import lru_cache
from typing import TypeAlias

from indexer.languages.base import Containers, PartPath
from indexer.records.references import CALLED, EACH, ELEMENT, NAMED, argument
from indexer.syntax.types import bare_type, first_argument, last_component, split_type

Parts: TypeAlias = tuple[tuple[PartPath, str], ...]  # paths, and the text of the type there

_MAX_CHARACTERS = 1_000
_MAX_NESTING = 8
_MAX_PARTS = 16  # of a tuple or an object type
_GENERIC = re.compile(r"([\w.:]+)\s*[<\[](.+)[>\]]", re.DOTALL)
_ARRAY = re.compile(r"(.+)\[[\d,\s]*\]", re.DOTALL)  # Item[]
_SLICE = re.compile(r"\[\w*\]\s*(.+)", re.DOTALL)  # []Item
_MAP = re.compile(r"map\[([^\[\]]+)\]\s*(.+)", re.DOTALL)
_CHANNEL = re.compile(r"(?:<-\s*chan|chan(?:\s*<-)?)\s+(.+)", re.DOTALL)
_MEMBER = re.compile(r"(?:readonly\s+)?([A-Za-z_$][\w$]*)\??\s*:\s*(.+)", re.DOTALL)
_METHOD = re.compile(r"([A-Za-z_$][\w$]*)\??\s*(\(.*)", re.DOTALL)
_KEYED = re.compile(r"(?:[-+]?readonly\s+)?\[[^\]]*\][-+]?\??\s*:\s*(.+)", re.DOTALL)
_NAMED = re.compile(r"^([^:]*\S)\s+\w+$")  # of C#'s tuples
_ASSIGNED = re.compile(r"^\w+\s*=\s*")  # Rust's `Iterator<Item = Order>`
_FIELD = re.compile(r"([A-Za-z_]\w*)\s+(\S.*)", re.DOTALL)
_HAS_PARTS = ("[", "<", "(", "{", "chan")


@lru_cache(maxsize=10_000)
def read_parts(text: str, containers: Containers, wrapper_types: frozenset[str]) -> Parts:
    """Return the parts of a written type; () if it has none, or any other syntax."""
    if len(text) > _MAX_CHARACTERS or not any(sign in text for sign in _HAS_PARTS):
        return ()
    for _ in range(_MAX_NESTING):
        text = bare_type(text)
        if text.startswith("(") and _closing(text) == len(text) - 1:
            text = text[1:-1]
            if len(several := split_type(text, ",")) > 1:  # C#'s `(Order order, int count)`
                return _of_tuple([_NAMED.sub(r"\1", part.strip()) for part in several])
            continue
        generic = _GENERIC.fullmatch(text)
        head = last_component(generic[1]) if generic is not None else ""
        if generic is None or head in containers or head not in wrapper_types:
            break
        text = first_argument(generic[2])
    return _of_syntax(text, containers) or _of_generic(text, containers)


def is_generic(text: str, containers: Containers) -> bool:
    """Whether the text is a container with arguments, such as `dict[str, Item]`."""
    if not text.endswith("]"):
        return False
    generic = _GENERIC.fullmatch(text)
    return generic is not None and last_component(generic[1]) in containers


def _of_generic(text: str, containers: Containers) -> Parts:
    generic = _GENERIC.fullmatch(text)
    if generic is None:
        return ()
    head = last_component(generic[1])
    arguments = [_ASSIGNED.sub("", part.strip()) for part in split_type(generic[2], ",")]
    if head.lower() == "tuple":
        if arguments[1:] != ["..."]:
            return _of_tuple(arguments)
        head, arguments = "list", arguments[:1]
    return tuple(
        (path, arguments[number])
        for path, number in containers.get(head, ())
        if -len(arguments) <= number < len(arguments)
    )


def _of_syntax(text: str, containers: Containers) -> Parts:
    if text.startswith("struct"):
        text = text.removeprefix("struct").lstrip()
    first = text[:1]
    if first == "{" and text.endswith("}"):
        objects = [part.strip()[1:-1] for part in split_type(text, "&")]
        return tuple(part for object_ in objects for part in _of_object(object_))[:_MAX_PARTS]
    if first == "(" or text.startswith("func"):
        parts = _of_function(text)
        if parts:
            return parts
    if first == "[" and text.endswith("]") and _closing(text) == len(text) - 1:
        if "Vec" in containers:  # of Rust: `[Order]`, `[Order; 4]`
            return _of_generic(f"Vec<{text[1:-1].partition(';')[0]}>", containers)
        return _of_tuple([part.strip() for part in split_type(text[1:-1], ",")])
    return _of_go(text) or _of_array(text, containers)


def _of_go(text: str) -> Parts:
    if mapped := _MAP.fullmatch(text):
        return (((ELEMENT,), mapped[2]), ((EACH, "1"), mapped[2]), ((EACH, "0"), mapped[1]))
    if channel := _CHANNEL.fullmatch(text):
        return (((EACH,), channel[1]),)
    if (array := _SLICE.fullmatch(text)) and not text.endswith("]"):
        return (((ELEMENT,), array[1]), ((EACH, "1"), array[1]))
    return ()


def _of_array(text: str, containers: Containers) -> Parts:
    array = _ARRAY.fullmatch(text)
    if array and "Array" in containers:
        return tuple((path, array[1]) for path, number in containers["Array"] if number == 0)
    if array and _closing(array[1]) in {-1, len(array[1]) - 1}:
        return (((ELEMENT,), array[1]), ((EACH,), array[1]))
    return ()


def _of_tuple(arguments: list[str]) -> Parts:
    named = [part.rpartition(": ")[2] for part in arguments[:_MAX_PARTS]]
    parts: Parts = tuple(((str(number),), part) for number, part in enumerate(named))
    if len(set(named)) == 1:
        parts += (((ELEMENT,), named[0]), ((EACH,), named[0]))
    return parts


def _of_function(text: str) -> Parts:
    """Read `(x: A) => B` and `func(x A) (B, error)`."""
    parameters = text.removeprefix("func").lstrip()
    result = parameters[_closing(parameters) + 1 :].lstrip()
    if parameters != text:
        return (((CALLED,), _first_result(result)),) if result else ()
    if not result.startswith("=>"):
        return ()
    return (((CALLED,), result[2:].strip()), *_of_parameters(parameters))


def _of_parameters(text: str) -> Parts:
    """Read the written types of `(a: A, b?: B) => …`: those that a function given for it has."""
    written = split_type(text[1 : _closing(text)], ",")[:_MAX_PARTS]
    named = [_MEMBER.fullmatch(part.strip()) for part in written]
    if named and named[0] is not None and named[0][1] == "this":
        named = named[1:]
    return tuple(
        ((argument(place),), match[2]) for place, match in enumerate(named) if match is not None
    )


def _of_object(text: str) -> Parts:
    found: list[tuple[PartPath, str]] = []
    for written in _lines(text):
        if keyed := _KEYED.fullmatch(written):
            found += [((ELEMENT,), keyed[1]), ((NAMED,), keyed[1])]
        elif member := _MEMBER.fullmatch(written):
            found.append(((member[1],), member[2]))
        elif method := _METHOD.fullmatch(written):
            result = method[2][_closing(method[2]) + 1 :].lstrip()
            if result.startswith(":"):
                found.append(((method[1], CALLED), result[1:].strip()))
        elif field := _FIELD.fullmatch(written):
            found.append(((field[1],), field[2]))
    return tuple(found[:_MAX_PARTS])


def _lines(text: str) -> list[str]:
    """Return the members of an object type."""
    lines = [text]
    for separator in ";,\n":
        lines = [part for line in lines for part in split_type(line, separator)]
    return [line.strip() for line in lines[: 2 * _MAX_PARTS]]


def _first_result(text: str) -> str:
    """Return the first of Go's results: `(*Item, error)` → `*Item`."""
    if not text.startswith("("):
        return text
    return split_type(text[1 : _closing(text)], ",")[0].strip().rpartition(" ")[2]


def _closing(text: str) -> int:
    """Return where the bracket closes that the text begins with; -1 if it begins with none."""
    depth = 0
    for position, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[position - 1] != "="):
            depth -= 1
        if depth <= 0:
            return position if position else -1
    return -1
