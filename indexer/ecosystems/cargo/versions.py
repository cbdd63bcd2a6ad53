"""Versions and ranges of Cargo, by the crate `semver` (https://docs.rs/semver)."""

import re
from typing import Any, Final, NamedTuple

_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_IDENTIFIERS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_ENDING: Final = rf"(?:-(?P<pre>{_IDENTIFIERS}))?(?:\+(?P<build>{_IDENTIFIERS}))?"
_VERSION: Final = re.compile(
    rf"(?P<major>{_NUMBER})\.(?P<minor>{_NUMBER})\.(?P<patch>{_NUMBER}){_ENDING}"
)
_COMPARATOR: Final = re.compile(
    rf"(?P<operator>[<>]=?|[=~^]?)\s*(?P<major>{_NUMBER})"
    rf"(?:\.(?P<minor>{_NUMBER}|[*xX])(?:\.(?P<patch>{_NUMBER}|[*xX]){_ENDING})?)?"
)
_WILDCARDS: Final = frozenset("*xX")
# A prerelease: what has none comes after all of its own.
_Prerelease = tuple[bool, tuple[tuple[bool, int, str], ...]]
_Numbers = tuple[int, int, int]


class _Comparator(NamedTuple):
    operator: str
    numbers: tuple[int, ...]  # as many as are written
    prerelease: _Prerelease


def parse_version(version: str) -> Any:
    """Return the version as a value with Cargo's order, which counts build metadata.

    Raises ValueError.
    """
    found = _VERSION.fullmatch(version)
    if not found:
        raise ValueError(f"{version!r} is no version of Cargo")
    numbers = (int(found["major"]), int(found["minor"]), int(found["patch"]))
    return numbers, _prerelease(found["pre"]), _build(found["build"])


def allows(required: str, version: str) -> bool:
    """Whether a version is in a range: comparators after commas, `^` if nothing else is written.

    A prerelease is in it only if a comparator is one of the same release. Raises ValueError.
    """
    numbers, prerelease, _ = parse_version(version)
    if required.strip() in _WILDCARDS:
        return bool(prerelease[0])
    comparators = [_comparator(part.strip()) for part in required.split(",")]
    if not all(_matches(one, numbers, prerelease) for one in comparators):
        return False
    return prerelease[0] or any(
        one.numbers == numbers and not one.prerelease[0] for one in comparators
    )


def _comparator(part: str) -> _Comparator:
    found = _COMPARATOR.fullmatch(part)
    if not found:
        raise ValueError(f"{part!r} is no range of Cargo")
    written = [one for one in (found["major"], found["minor"], found["patch"]) if one]
    numbers = tuple(int(one) for one in written if one not in _WILDCARDS)
    operator = found["operator"] or ("=" if len(numbers) < len(written) else "^")
    return _Comparator(operator, numbers, _prerelease(found["pre"]))


def _matches(one: _Comparator, numbers: _Numbers, prerelease: _Prerelease) -> bool:
    release = numbers[: len(one.numbers)]
    is_whole = len(one.numbers) == len(numbers)
    at, wanted = (release, prerelease), (one.numbers, one.prerelease)
    match one.operator:
        case "=":
            return at == wanted
        case ">":
            return at > wanted if is_whole else release > one.numbers
        case ">=":
            return at >= wanted
        case "<":
            return at < wanted if is_whole else release < one.numbers
        case "<=":
            return at <= wanted
        case "~":
            kept = one.numbers[:2]
        case _:
            kept = _kept(one.numbers)
    return numbers[: len(kept)] == kept and at >= wanted


def _kept(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers that `^` keeps: up to the first that is not 0."""
    first = next((place for place, one in enumerate(numbers) if one), len(numbers) - 1)
    return numbers[: first + 1]


def _prerelease(written: str | None) -> _Prerelease:
    parts = written.split(".") if written else []
    if any(one.isdigit() and one[0] == "0" and one != "0" for one in parts):
        raise ValueError(f"{written!r} has a number with a leading zero")
    return not parts, tuple(
        (False, int(one), "") if one.isdigit() else (True, 0, one) for one in parts
    )


def _build(written: str | None) -> tuple[tuple[bool, int, str, int], ...]:
    """Return a key: 0 < 00 < 1 < 01 < a."""
    parts = ((one, one.lstrip("0")) for one in (written or "").split("."))
    return tuple(
        (True, 0, one, 0) if one and not one.isdigit() else (False, len(value), value, len(one))
        for one, value in parts
    )
