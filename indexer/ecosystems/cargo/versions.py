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
    if not all(_matches(comparator, numbers, prerelease) for comparator in comparators):
        return False
    return prerelease[0] or any(
        comparator.numbers == numbers and not comparator.prerelease[0] for comparator in comparators
    )


def _comparator(part: str) -> _Comparator:
    found = _COMPARATOR.fullmatch(part)
    if not found:
        raise ValueError(f"{part!r} is no range of Cargo")
    written = [number for number in (found["major"], found["minor"], found["patch"]) if number]
    numbers = tuple(int(number) for number in written if number not in _WILDCARDS)
    operator = found["operator"] or ("=" if len(numbers) < len(written) else "^")
    return _Comparator(operator, numbers, _prerelease(found["pre"]))


def _matches(comparator: _Comparator, numbers: _Numbers, prerelease: _Prerelease) -> bool:
    release = numbers[: len(comparator.numbers)]
    is_whole = len(comparator.numbers) == len(numbers)
    at, wanted = (release, prerelease), (comparator.numbers, comparator.prerelease)
    match comparator.operator:
        case "=":
            return at == wanted
        case ">":
            return at > wanted if is_whole else release > comparator.numbers
        case ">=":
            return at >= wanted
        case "<":
            return at < wanted if is_whole else release < comparator.numbers
        case "<=":
            return at <= wanted
        case "~":
            kept = comparator.numbers[:2]
        case _:
            kept = _kept(comparator.numbers)
    return numbers[: len(kept)] == kept and at >= wanted


def _kept(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers that `^` keeps: up to the first that is not 0."""
    first = next((place for place, number in enumerate(numbers) if number), len(numbers) - 1)
    return numbers[: first + 1]


def _prerelease(written: str | None) -> _Prerelease:
    parts = written.split(".") if written else []
    if any(part.isdigit() and part[0] == "0" and part != "0" for part in parts):
        raise ValueError(f"{written!r} has a number with a leading zero")
    return not parts, tuple(
        (False, int(part), "") if part.isdigit() else (True, 0, part) for part in parts
    )


def _build(written: str | None) -> tuple[tuple[bool, int, str, int], ...]:
    """Return a key: 0 < 00 < 1 < 01 < a."""
    parts = ((part, part.lstrip("0")) for part in (written or "").split("."))
    return tuple(
        (True, 0, part, 0) if part and not part.isdigit() else (False, len(value), value, len(part))
        for part, value in parts
    )
