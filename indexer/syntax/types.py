"""Parser of written types: the path of the class of a value."""

import re
from functools import lru_cache
from typing import NamedTuple

from indexer.syntax.expressions import MAX_EXPRESSION_CHARACTERS, read_expression

_QUALIFIER = re.compile(
    r"(?:[&*:^?\s]|'\w+\s|\.\.\.|(?:const|mut|dyn|impl|volatile|struct|class|enum|union|readonly"
    r"|final|inout|in|out|ref|some|any|params|vararg|static|extern|register|unsafe"
    r"|lateinit|asserts|@escaping|@MainActor|@Sendable)\s)+"
)
_SUFFIX = re.compile(r"(?:[\s&*?!]|\bconst)+$")
_GENERIC = re.compile(r"([^<\[(]+?)\s*(<|\[)(.*)[>\]]$", re.DOTALL)
_DOCUMENTED = re.compile(
    r"@(var|param)\s+((?:[^\s$*<>]|<[^<>$*]{0,200}>)+)(?:[ \t]+(?:&|\.\.\.)?(\$\w+))?"
)
_NOTHING = frozenset({"None", "null", "undefined", "nil", "void", "false"})
_CLASS_OF = frozenset({"type", "Type", "typing.Type"})
_OPENING, _CLOSING = "<([{", ">)]}"
_QUOTES = frozenset("\"'`")
_MAX_NESTING = 8
_MAX_PARTS = 8  # of a union


class TypeName(NamedTuple):
    """The class's path; `is_class_object`: the value is the class itself, as in `type[X]`."""

    path: tuple[str, ...]
    is_class_object: bool = False


@lru_cache(maxsize=10_000)
def read_type(text: str, wrapper_types: frozenset[str]) -> TypeName | None:
    """Parse the class of a value. None for unions of several, arrays, functions, tuples.

    Pointers, references, nullability and type arguments are ignored. A type in `wrapper_types`
    counts as its first argument; any other container is itself.
    """
    if len(text) > MAX_EXPRESSION_CHARACTERS:
        return None
    is_class_object = False
    for _ in range(_MAX_NESTING):
        text = bare_type(text)
        generic = _GENERIC.fullmatch(text)
        if generic is None:
            break
        head = generic[1].strip()
        if not generic[3].strip(" ,"):  # an array
            return None
        is_class_object = is_class_object or head in _CLASS_OF
        if head not in _CLASS_OF and last_component(head) not in wrapper_types:
            text = head
            break
        text = first_argument(generic[3])
    if text.startswith("typeof "):
        text, is_class_object = text.removeprefix("typeof ").strip(), True
    expression = read_expression(text)
    if expression is None or not expression.path or expression.name:
        return None
    return TypeName(expression.path, is_class_object)


@lru_cache(maxsize=10_000)
def read_types(text: str, wrapper_types: frozenset[str]) -> tuple[TypeName, ...]:
    """Parse the possible classes of a value: each class of a union."""
    if ("|" not in text and "Union" not in text) or len(text) > MAX_EXPRESSION_CHARACTERS:
        type_name = read_type(text, wrapper_types)
        return (type_name,) if type_name is not None else ()
    for _ in range(_MAX_NESTING):
        text = bare_type(text)
        generic = _GENERIC.fullmatch(text)
        if generic is None or last_component(generic[1].strip()) not in wrapper_types:
            break
        text = first_argument(generic[3])
    generic = _GENERIC.fullmatch(text)
    if generic is not None and last_component(generic[1].strip()) == "Union":
        parts = split_type(generic[3], ",")
    else:
        parts = split_type(text, "|")
    if "=>" in parts[0]:  # a function
        return ()
    named = [part for part in map(str.strip, parts) if part and part not in _NOTHING]
    if len(named) > 1:  # a quoted part is a literal
        named = [part for part in named if not _QUOTES & {part[0], part[-1]}]
    kinds = (read_type(part, wrapper_types) for part in named[:_MAX_PARTS])
    return tuple(dict.fromkeys(kind for kind in kinds if kind is not None))


def documented_type(comment: str, name: str) -> str:
    """Return the type that a doc comment has for a variable or field; "" without one."""
    for found in _DOCUMENTED.finditer(comment):
        named = found[3] or ""
        if named.lstrip("$") == name.lstrip("$") or (found[1] == "var" and not named):
            return found[2]
    return ""


def generic_arguments(text: str) -> tuple[str, list[str]]:
    """Return the last name of a generic type and its arguments; none of any other type."""
    if len(text) > MAX_EXPRESSION_CHARACTERS:
        return "", []
    generic = _GENERIC.fullmatch(bare_type(text))
    if generic is None:
        return "", []
    arguments = [argument.strip() for argument in split_type(generic[3], ",")]
    return last_component(generic[1]), [argument for argument in arguments if argument]


def first_argument(text: str) -> str:
    """Return the first type argument without its name: `'a, Output = T` → `T`."""
    arguments = split_type(text, ",")
    candidates = [argument for argument in arguments if not argument.lstrip().startswith("'")]
    return (candidates or arguments)[0].rpartition(" = ")[2]


@lru_cache(maxsize=10_000)
def bare_type(text: str) -> str:
    """Remove quotes, pointers, nullability and keywords around a type."""
    text = text.strip().strip("\"'`").strip()
    text = _SUFFIX.sub("", _QUALIFIER.sub("", text, count=1) if _QUALIFIER.match(text) else text)
    if " + " in text:  # of several traits the first
        text = split_type(text, "+")[0].rstrip()
    if " & " in text:  # an intersection: the first named type
        named = (part.strip() for part in split_type(text, "&"))
        text = next((part for part in named if part[:1] not in _OPENING), text)
    if "|" not in text:
        return text
    kinds = [part.strip() for part in split_type(text, "|")]
    candidates = [part for part in kinds if part and part not in _NOTHING]
    return bare_type(candidates[0]) if len(candidates) == 1 and len(kinds) > 1 else text


def last_component(path: str) -> str:
    """`typing.Sequence` → `Sequence`."""
    return re.split(r"::|\.", path)[-1].strip()


def closing_bracket(text: str) -> int:
    """Return the end of what the bracket at the start of a text encloses; -1 without one."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return position + 1
    return -1


def split_type(text: str, separator: str) -> list[str]:
    """Split `text` at separators outside brackets."""
    if separator not in text:
        return [text]
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= character != ">" or text[position - 1] not in "=-"  # an arrow
        elif character == separator and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]
