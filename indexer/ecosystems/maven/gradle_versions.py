"""Versions by Gradle's order, which is not Maven's, and ranges as Gradle reads them.

https://docs.gradle.org/current/userguide/dependency_versions.html#sec:version-ordering
"""

import re
from functools import cmp_to_key
from typing import Any, Final

_MAX_CHARACTERS: Final = 400
_WORDS: Final = {"dev": -1, "rc": 1, "snapshot": 2, "final": 3, "ga": 4, "release": 5, "sp": 6}
_PART: Final = re.compile(r"[0-9]+|[^0-9._+-]+|(?<=[._+-])(?=[._+-])")
_RANGE: Final = re.compile(r"([\[\](])\s*([^,\s]*)\s*(,?)\s*([^,\s]*)\s*([\[\])])")


def parse_version(version: str) -> Any:
    """Return the version as a value with Gradle's order. Raises ValueError."""
    if not version or len(version) > _MAX_CHARACTERS:
        raise ValueError("not a version")
    return cmp_to_key(_compared)(_PART.findall(version))


def allows(required: str, version: str) -> bool:
    """Whether Gradle's selector accepts a version.

    One that only recommends, `1.0`, may be replaced by a newer one all the same. `[1,2)` accepts
    nothing that begins with `2`. Raises ValueError, also for `latest.release`, which depends on a
    repository of artifacts.
    """
    required = required.strip().partition("!!")[0]
    if required.startswith("latest."):
        raise ValueError("only a repository of artifacts tells which version this is")
    if required.endswith("+"):
        return version.startswith(required[:-1])
    found = _RANGE.fullmatch(required)
    if not found:
        return required == version
    opening, low, comma, high, closing = found.groups()
    if not comma:
        return version == low
    return _is_above(version, low, opening) and _is_below(version, high, closing)


def _is_above(version: str, low: str, opening: str) -> bool:
    if not low:
        return True
    asked, other = parse_version(version), parse_version(low)
    return bool(asked > other or (opening == "[" and asked == other))


def _is_below(version: str, high: str, closing: str) -> bool:
    if not high:
        return True
    asked, other = parse_version(version), parse_version(high)
    if closing == "]":
        return bool(asked <= other)
    return bool(asked < other) and not version.startswith(high)


def _compared(left: list[str], other: list[str]) -> int:
    for part, second in zip(left, other, strict=False):
        if part != second and (found := _compared_parts(part, second)) is not None:
            return found
    longer = left[len(other) :] or other[len(left) :]
    if not longer:
        return 0
    sign = 1 if len(left) > len(other) else -1
    return sign if longer[0].isdigit() else -sign


def _compared_parts(left: str, other: str) -> int | None:
    """Compare different parts; None if these are one number."""
    if left.isdigit() or other.isdigit():
        if not (left.isdigit() and other.isdigit()):
            return 1 if left.isdigit() else -1
        return (int(left) > int(other)) - (int(left) < int(other)) or None
    ranks = _WORDS.get(left.lower()), _WORDS.get(other.lower())
    if ranks != (None, None):
        return (ranks[0] or 0) - (ranks[1] or 0)
    return 1 if left > other else -1
