"""Versions by PEP 440."""

from typing import Any


def parse_version(version: str) -> Any:
    """Return the version as a value with PyPI's order. Raises ValueError."""
    from packaging.version import Version

    return Version(version)
