"""Versions and requirements of RubyGems."""

from typing import Any


def parse_version(version: str) -> Any:
    """Return the version as a value with the order of Gem::Version. Raises ValueError."""
    from univers.versions import RubygemsVersion

    return RubygemsVersion(version)


def allows(required: str, version: str) -> bool:
    """Whether a version satisfies requirements with commas between. Raises ValueError."""
    from univers import gem

    rules: Any = gem  # without types
    try:
        wanted = rules.GemRequirement(*(part.strip() for part in required.split(",")))
    except gem.InvalidRequirementError as error:
        raise ValueError(str(error)) from error
    return bool(wanted.satisfied_by(rules.GemVersion(version)))
