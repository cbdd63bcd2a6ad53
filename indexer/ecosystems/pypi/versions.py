"""Versions by PEP 440, and the ranges of pip and poetry."""

import re
from typing import Any

_OPERATOR = re.compile(r"(\^|~=|~|===?|!=|<=|>=|<|>)\s*")
_SEPARATOR = re.compile(r"\s*,\s*|(?<=[\w*])\s+(?=[\^~=<>!\d*])")


def parse_version(version: str) -> Any:
    """Return the version as a value with PyPI's order. Raises ValueError."""
    from packaging.version import Version

    return Version(version)


def allows(required: str, version: str) -> bool:
    """Whether a version matches specifiers of PEP 440, or poetry's. Raises ValueError.

    Poetry's are a bare version, `1.*`, `^1.2`, `~1.2`, and alternatives with `||`.
    """
    from packaging.specifiers import SpecifierSet

    return any(
        SpecifierSet(_specifiers(alternative)).contains(version, prereleases=True)
        for alternative in re.split(r"\|\|?", required)
    )


def _specifiers(required: str) -> str:
    """Write the parts of a range as PEP 440 does."""
    parts = _SEPARATOR.split(required.strip().strip("()"))
    return ",".join(filter(None, (_specifier(part.strip()) for part in parts)))


def _specifier(part: str) -> str:
    found = _OPERATOR.match(part)
    operator, version = (found[1], part[found.end() :]) if found else ("", part)
    if operator in {"^", "~"}:
        return f">={version},<{_next(operator, version)}"
    if part in {"", "*"}:
        return ""
    return part if operator else f"=={part}"


def _next(operator: str, version: str) -> str:
    """Return the first version that `^` or `~` leaves out: `^0.2.1` → `0.3`, `~1` → `2`."""
    parsed = parse_version(version)
    numbers = list(parsed.release)
    if operator == "~":
        kept = min(len(numbers), 2)
    else:
        kept = next((at for at, number in enumerate(numbers, 1) if number), len(numbers))
    bumped = [*numbers[: kept - 1], numbers[kept - 1] + 1]
    epoch = f"{parsed.epoch}!" if parsed.epoch else ""
    return epoch + ".".join(map(str, bumped))
