"""Versions by NuGet's order."""

from typing import Any


def parse_version(version: str) -> Any:
    """Return the version as a value with NuGet's order. Raises ValueError."""
    from univers.nuget import InvalidNuGetVersion
    from univers.versions import NugetVersion

    try:
        return NugetVersion(version)
    except InvalidNuGetVersion as error:
        raise ValueError(str(error)) from error
