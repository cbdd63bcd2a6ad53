"""The ecosystems, and the readers of their manifests. They run and fetch nothing.

Manifests are untrusted: readers treat values of wrong types as absent and are bounded in time.
"""

from collections.abc import Mapping
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.bounds import truncate_manifest
from indexer.ecosystems.cargo import CARGO
from indexer.ecosystems.composer import COMPOSER
from indexer.ecosystems.golang import GO
from indexer.ecosystems.maven import MAVEN
from indexer.ecosystems.npm import NPM
from indexer.ecosystems.nuget import NUGET
from indexer.ecosystems.pypi import PYPI
from indexer.ecosystems.rubygems import RUBYGEMS
from indexer.ecosystems.swiftpm import SWIFTPM
from indexer.limits import MANIFEST_CHARACTERS, WRITTEN_MANIFEST_CHARACTERS
from indexer.records.manifests import Manifest

ECOSYSTEMS: Final[Mapping[str, PackageEcosystem]] = {
    one.ecosystem: one for one in (PYPI, NPM, GO, CARGO, MAVEN, NUGET, RUBYGEMS, COMPOSER, SWIFTPM)
}
_FORMATS: Final = tuple(found for one in ECOSYSTEMS.values() for found in one.formats)
_BY_NAME: Final = {name: one for one in _FORMATS for name in one.names}
_BY_PATH: Final = tuple((one.paths, one) for one in _FORMATS if one.paths)


def is_manifest(path: str) -> bool:
    """Whether `read_manifest` supports a file of this name."""
    return _format(path) is not None


def read_manifest(path: str, content: bytes | str) -> Manifest | None:
    """Read a manifest, within bounds; None if it is none, too long or unreadable.

    No content makes this raise.
    """
    found = _format(path)
    if found is None:
        return None
    if len(content) > (MANIFEST_CHARACTERS if found.is_lock else WRITTEN_MANIFEST_CHARACTERS):
        return None
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        return truncate_manifest(found.read(text.removeprefix("\ufeff"), path))
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the file is invalid
        return None


def _format(path: str) -> ManifestFormat | None:
    by_name = _BY_NAME.get(path.rpartition("/")[2])
    if by_name:
        return by_name
    return next((one for pattern, one in _BY_PATH if pattern.fullmatch(path)), None)
