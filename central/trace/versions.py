"""Whether one version is older than another. Pure."""

import re
from typing import Final

from packaging.version import InvalidVersion, Version

_NUMBERS: Final = re.compile(r"v?(\d{1,9}(?:\.\d{1,9})*)")


def lags(ecosystem: str, *, pinned: str, indexed: str) -> bool | None:
    """Whether `pinned` is older than `indexed`; None where either is unknown or cannot be told."""
    if not pinned or not indexed:
        return None
    if ecosystem == "pypi":
        try:
            return Version(pinned) < Version(indexed)
        except InvalidVersion:
            return None
    one, other = _numbers(pinned), _numbers(indexed)
    if one is None or other is None:
        return None
    length = max(len(one), len(other))
    return _padded(one, length) < _padded(other, length)


def _numbers(version: str) -> list[int] | None:
    """The release's numbers; what follows them (`-rc.1`, `+build`) is left out."""
    found = _NUMBERS.match(version)
    return [int(part) for part in found[1].split(".")] if found else None


def _padded(numbers: list[int], length: int) -> list[int]:
    return numbers + [0] * (length - len(numbers))
