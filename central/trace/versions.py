"""The order of versions, by the rules of each ecosystem."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from packaging.version import Version
from semver import Version as SemanticVersion
from univers.nuget import InvalidNuGetVersion
from univers.versions import MavenVersion, NugetVersion, RubygemsVersion

_COMPOSER_PATCH: Final = re.compile(r"[-.]?(?:patch|pl|p)(?=\d*$)", re.IGNORECASE)


def is_older(ecosystem: str, *, pinned: str, indexed: str) -> bool | None:
    """Whether `pinned` is older than `indexed`; None if either is unknown or unreadable."""
    read = _READERS.get(ecosystem)
    if read is None or not pinned.strip() or not indexed.strip():
        return None
    try:
        return bool(read(pinned) < read(indexed))
    except (ValueError, InvalidNuGetVersion):
        return None


def _semantic(version: str) -> SemanticVersion:
    return SemanticVersion.parse(version.removeprefix("v"), optional_minor_and_patch=True)


def _composer(version: str) -> Version:
    """Read a version of Composer as one of PyPI, whose suffixes have the same order.

    Only a patch (`1.0.0-p1`), which is newer than its release, has another spelling. Composer
    ignores what follows a "+".
    """
    return Version(_COMPOSER_PATCH.sub(".post", version.partition("+")[0]))


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "pypi": Version,
    "npm": _semantic,
    "cargo": _semantic,
    "go": _semantic,
    "swiftpm": _semantic,
    "composer": _composer,
    "maven": MavenVersion,
    "nuget": NugetVersion,
    "rubygems": RubygemsVersion,
}
