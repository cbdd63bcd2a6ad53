"""Versions of Go modules, by golang.org/x/mod/semver."""

import re
from typing import Any, Final

_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_VERSION: Final = re.compile(
    rf"v(?P<major>{_NUMBER})(?:\.(?P<minor>{_NUMBER})(?:\.(?P<patch>{_NUMBER})"
    r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
    r")?)?"
)


def parse_version(version: str) -> Any:
    """Return the version as a value with its order; without minor and patch they are 0.

    What follows a "+" does not count. Raises ValueError.
    """
    found = _VERSION.fullmatch(version)
    parts = found["pre"].split(".") if found and found["pre"] else []
    if not found or any(part.isdigit() and part[0] == "0" and part != "0" for part in parts):
        raise ValueError(f"{version!r} is no version of Go")
    numbers = tuple(int(found[part] or 0) for part in ("major", "minor", "patch"))
    return *numbers, not parts, tuple(_identifier(part) for part in parts)


def allows(required: str, version: str) -> bool:
    """Whether a version satisfies a requirement, which is the lowest. Raises ValueError."""
    return bool(parse_version(version) >= parse_version(required))


def _identifier(written: str) -> tuple[bool, int, str]:
    return (False, int(written), "") if written.isdigit() else (True, 0, written)
