"""Versions by Maven's order."""

from typing import Any


def parse_version(version: str) -> Any:
    """Return the version as a value with Maven's order. Raises ValueError."""
    from univers.versions import MavenVersion

    return MavenVersion(version)
