"""Versions by semver.org, which several ecosystems follow."""

from typing import Any


def parse_semantic_version(version: str) -> Any:
    """Return the version as a value with its order; minor and patch may lack. Raises ValueError."""
    from semver import Version

    return Version.parse(version.removeprefix("v"), optional_minor_and_patch=True)
