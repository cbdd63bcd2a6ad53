"""Versions by the order of RubyGems."""

from typing import Any


def parse_version(version: str) -> Any:
    """Return the version as a value with the order of Gem::Version. Raises ValueError."""
    from univers.versions import RubygemsVersion

    return RubygemsVersion(version)
