"""Versions by Maven's order, that of Maven 3.9, and ranges as Maven and Gradle write them.

Build files write them with properties, which are replaced here.

https://maven.apache.org/pom.html#version-order-specification: where it and Maven's program differ,
the program decides. Gradle: https://docs.gradle.org/current/userguide/dependency_versions.html
"""

import re
from collections.abc import Mapping
from functools import cmp_to_key
from itertools import zip_longest
from typing import Any, Final

from indexer.records.manifests import Manifest

_MAX_CHARACTERS: Final = 400
_RELEASE: Final = 5
_QUALIFIERS: Final = {
    "alpha": 0,
    "beta": 1,
    "milestone": 2,
    "rc": 3,
    "cr": 3,
    "snapshot": 4,
    "": _RELEASE,
    "ga": _RELEASE,
    "final": _RELEASE,
    "release": _RELEASE,
    "sp": 6,
}
_SHORT: Final = {"a": "alpha", "b": "beta", "m": "milestone"}
_PIECE: Final = re.compile(r"[.-]|[0-9]+|[^.\-0-9]+")
_RANGE: Final = re.compile(r"\s*([\[\](])([^\[\]()]*)([\[\])])\s*(?:,|$)")


def parse_version(version: str) -> Any:
    """Return the version as a value with Maven's order. Raises ValueError."""
    if not version or len(version) > _MAX_CHARACTERS:
        raise ValueError("not a version")
    return cmp_to_key(_compared)(_items(version.lower()))


def allows(required: str, version: str) -> bool:
    """Whether a version is in a range; a plain version only recommends. Raises ValueError."""
    required = required.strip().partition("!!")[0]
    if required.endswith("+"):
        return version.startswith(required[:-1])
    if not required.startswith(("[", "(", "]")):
        return True
    found = list(_RANGE.finditer(required))
    if "".join(match[0] for match in found) != required:
        raise ValueError("not a range")
    return any(_is_between(parse_version(version), *match.groups()) for match in found)


def is_exact(required: str) -> bool:
    """Whether it names one version, which Maven and Gradle then use."""
    return bool(required) and not re.search(r"[\[\](,+$]|^latest\.|^(LATEST|RELEASE)$", required)


def _is_between(version: Any, opening: str, inside: str, closing: str) -> bool:
    lowest, comma, highest = (part.strip() for part in inside.partition(","))
    if not comma:
        return bool(version == parse_version(lowest))
    if lowest:
        low = parse_version(lowest)
        if version < low or (opening != "[" and version == low):
            return False
    if highest:
        high = parse_version(highest)
        if version > high or (closing != "]" and version == high):
            return False
    return True


def _items(version: str) -> list[Any]:
    """Return numbers, words and the list that follows; a list begins at each hyphen.

    So it does between letters and digits.
    """
    first: list[Any] = []
    lists = [first]
    pieces = _PIECE.findall(version)
    last = "."
    for index, piece in enumerate(pieces):
        following = pieces[index + 1] if index + 1 < len(pieces) else ""
        if piece in {".", "-"}:
            if last in {".", "-"}:
                lists[-1].append(0)
            if piece == "-":
                _begin(lists)
        else:
            is_number = piece.isdigit()
            if last not in {".", "-"} or (not is_number and following not in {".", "-"}):
                _begin(lists)
            lists[-1].append(int(piece) if is_number else _word(piece, following))
        last = piece
    for parts in reversed(lists):
        _trim(parts)
    return first


def _begin(lists: list[list[Any]]) -> None:
    if lists[-1]:
        began: list[Any] = []
        lists[-1].append(began)
        lists.append(began)


def _word(piece: str, following: str) -> tuple[int, str]:
    word = _SHORT.get(piece, piece) if following.isdigit() else piece
    rank = _QUALIFIERS.get(word)
    return (7, word) if rank is None else (rank, "")


def _trim(items: list[Any]) -> None:
    """Remove what means nothing at the end, and before each list."""
    for index in range(len(items) - 1, -1, -1):
        if items[index] in (0, (_RELEASE, ""), []):
            del items[index]
        elif not isinstance(items[index], list):
            break


def _compared(left: Any, other: Any) -> int:
    """Compare items; None is the end of the other's list."""
    if left is None or other is None:
        return _meaning(left) - _meaning(other)
    kinds = _kind(left), _kind(other)
    if kinds[0] != kinds[1]:
        return kinds[0] - kinds[1]
    if isinstance(left, list):
        pairs = (_compared(*pair) for pair in zip_longest(left, other))
        return next(filter(None, pairs), 0)
    return int(left > other) - int(left < other)


def _kind(item: Any) -> int:
    return 2 if isinstance(item, int) else 1 if isinstance(item, list) else 0


def _meaning(item: Any) -> int:
    """Whether an item makes a version newer (1) or older (-1) than one that ends before it."""
    if item is None:
        return 0
    if isinstance(item, list):
        return next(filter(None, map(_meaning, item)), 0)
    number = item if isinstance(item, int) else item[0] - _RELEASE
    return (number > 0) - (number < 0)


_REPLACED_DEPTH: Final = 20
_REPLACED_CHARACTERS: Final = 1_000
_PLACEHOLDER: Final = re.compile(r"\$\{([^${}]{1,200})\}")
_PREFIX: Final = "property:"


def properties_of(manifest: Manifest) -> dict[str, str]:
    """Return its settings `property:NAME` and `empty` by name, as they are written."""
    empty = {value: "" for key, value in manifest.settings if key == "empty"}
    return empty | {
        key[len(_PREFIX) :]: value for key, value in manifest.settings if key.startswith(_PREFIX)
    }


def replaced(text: str, properties: Mapping[str, str]) -> str:
    """Replace `${name}`, also in the values; "" if one is unknown or the result is too long."""
    for _ in range(_REPLACED_DEPTH):
        if "${" not in text or len(text) > _REPLACED_CHARACTERS:
            break
        if any(name not in properties for name in _PLACEHOLDER.findall(text)):
            return ""
        text = _PLACEHOLDER.sub(lambda found: properties[found[1]], text)
    return "" if "${" in text or len(text) > _REPLACED_CHARACTERS else text
