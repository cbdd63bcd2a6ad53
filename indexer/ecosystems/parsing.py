"""Typed values of parsed manifests, and blocks of lock files."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree import ElementTree

from indexer.records.manifests import Dependency, Pin

Table = dict[str, object]
# Keeps strings; drops comments and commas before a closing bracket. An unclosed string or comment
# runs to the end: a retry from its inside would take quadratic time.
_STRING = r'("(?:[^"\\]|\\.)*+(?:"|\Z|\\\Z))'
_JSONC = re.compile(_STRING + r"|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[\]}])", re.DOTALL)


def exact_pins(dependencies: Iterable[Dependency], exact: re.Pattern[str]) -> tuple[Pin, ...]:
    """Return the versions of ranges that allow one alone: the first group of their pattern."""
    found = ((needed.name, exact.fullmatch(needed.required)) for needed in dependencies)
    return tuple(Pin(name, match[1]) for name, match in found if match)


class TooLargeError(ValueError):
    """The text is larger than its reader takes."""


# tomllib takes time quadratic in a key's dots.
_MAX_DOTS_SQUARED: Final = 10_000_000


def read_json(text: str) -> Table:
    """Parse a JSON object. Raises ValueError and RecursionError."""
    return table(json.loads(text))


def read_toml(text: str) -> Table:
    """Parse a TOML document. Raises ValueError and RecursionError."""
    if sum(line.count(".") ** 2 for line in text.split("\n")) > _MAX_DOTS_SQUARED:
        raise TooLargeError
    return tomllib.loads(text)


def read_xml(text: str) -> ElementTree.Element:
    """Parse XML to its root element, tags without namespaces. Raises ValueError and SyntaxError.

    Refuses declarations of entities and attributes, so that nothing is expanded.
    """
    if "<!ENTITY" in text or "<!ATTLIST" in text:
        raise ValueError("declarations are refused")
    root = ElementTree.fromstring(text)  # noqa: S314 (declarations are refused above)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def table(value: object, *keys: str) -> Table:
    """Return the table below `keys`, or an empty one."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def string(value: object) -> str:
    """Return the string, or ""."""
    return value if isinstance(value, str) else ""


def array(value: object) -> list[object]:
    """Return the array, or an empty one."""
    return value if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    """Return the strings of an array; a single string counts as an array."""
    if isinstance(value, str):
        return [value]
    return [item for item in array(value) if isinstance(item, str)]


_BLOCK = re.compile(
    r'^\[\[package\]\]\r?\nname = "([^"\n]{1,500})"\r?\nversion = "([^"\n]{1,200})"', re.MULTILINE
)


def locked_packages(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and version of every block that has both."""
    return ((found[1], found[2]) for found in _BLOCK.finditer(text))


def read_jsonc(text: str) -> Table:
    """Parse an object. Raises ValueError and RecursionError."""
    bare = _JSONC.sub(lambda found: found[1] or " ", text)
    return table(json.loads(_TRAILING_COMMA.sub(lambda found: found[1] or "", bare)))
