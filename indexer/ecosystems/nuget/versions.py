"""Versions by NuGet's order, and its ranges.

https://learn.microsoft.com/nuget/concepts/package-versioning
"""

import re
from typing import Any, Final

_RANGE: Final = re.compile(r"([\[(])\s*([^,\[\]()]*)(,?)\s*([^,\[\]()]*)([\])])")
_FLOATING: Final = re.compile(r"([\d.]*)\*?(?:-([\w.-]*)\*)?")


def parse_version(version: str) -> Any:
    """Return the version as a value with NuGet's order. Raises ValueError."""
    from univers.nuget import InvalidNuGetVersion
    from univers.versions import NugetVersion

    try:
        return NugetVersion(version)
    except InvalidNuGetVersion as error:
        raise ValueError(str(error)) from error


def allows(required: str, version: str) -> bool:
    """Whether a version is in a range; a plain version is the lowest. Raises ValueError."""
    required = required.strip()
    wanted = parse_version(version)
    if "*" in required:
        return bool(wanted >= parse_version(_lowest_floating(required)))
    found = _RANGE.fullmatch(required)
    if not found:
        return bool(wanted >= parse_version(required))
    opening, low, comma, high, closing = (part.strip() for part in found.groups())
    if not comma:
        return bool(wanted == parse_version(low))
    return _is_above(wanted, opening, low) and _is_below(wanted, high, closing)


def _is_above(wanted: Any, opening: str, low: str) -> bool:
    if not low:
        return True
    lowest = parse_version(low)
    return bool(wanted > lowest or (opening == "[" and wanted == lowest))


def _is_below(wanted: Any, high: str, closing: str) -> bool:
    if not high:
        return True
    highest = parse_version(high)
    return bool(wanted < highest or (closing == "]" and wanted == highest))


def _lowest_floating(required: str) -> str:
    """Return the lowest version of `1.*`: it floats upwards, without a bound."""
    found = _FLOATING.fullmatch(required)
    if not found:
        raise ValueError("not a range")
    numbers = (found[1] or "") + "0" if found[1].endswith(".") or not found[1] else found[1]
    return f"{numbers}-{found[2] or '0'}".rstrip("-.") if found[2] is not None else numbers
