"""Versions by PEP 440."""

from typing import Any


def parse_version(version: str) -> Any:
    """Return the version as a value with PyPI's order. Raises ValueError."""
    from packaging.version import Version

    return Version(version)


def allows(required: str, version: str) -> bool:
    """Whether a version matches specifiers of PEP 440. Raises ValueError."""
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(required).contains(version, prereleases=True)
