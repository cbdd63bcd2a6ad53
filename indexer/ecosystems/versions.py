"""Versions by semver.org, which several ecosystems follow."""

from typing import Any


def parse_semantic_version(version: str) -> Any:
    """Return the version as a value with its order; minor and patch may lack. Raises ValueError."""
    from semver import Version

    return Version.parse(version.removeprefix("v"), optional_minor_and_patch=True)


def allows_semantic(required: str, version: str) -> bool:
    """Whether a version is in a range of npm's grammar. Raises ValueError."""
    from semantic_version import NpmSpec
    from semantic_version import Version as SpecVersion

    return bool(NpmSpec(required).match(SpecVersion(version)))
