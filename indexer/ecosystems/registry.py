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
from indexer.ecosystems.parsing import TooLargeError
from indexer.ecosystems.pypi import PYPI
from indexer.ecosystems.rubygems import RUBYGEMS
from indexer.ecosystems.swiftpm import SWIFTPM
from indexer.limits import MANIFEST_CHARACTERS, WRITTEN_MANIFEST_CHARACTERS
from indexer.records.manifests import Ecosystem, Manifest, ManifestProblem

ECOSYSTEMS: Final[Mapping[str, PackageEcosystem]] = {
    one.ecosystem: one for one in (PYPI, NPM, GO, CARGO, MAVEN, NUGET, RUBYGEMS, COMPOSER, SWIFTPM)
}
_Known = tuple[Ecosystem, ManifestFormat]
_KNOWN: Final[tuple[_Known, ...]] = tuple(
    (one.ecosystem, found) for one in ECOSYSTEMS.values() for found in one.formats
)
_BY_NAME: Final = {name: known for known in _KNOWN for name in known[1].names}
_BY_PATH: Final = tuple((known[1].paths, known) for known in _KNOWN if known[1].paths)


# The same for PostgreSQL, but of what the content makes a manifest: names, and a pattern of whole
# paths.
MANIFEST_NAMES: Final = tuple(name for name, (_, one) in _BY_NAME.items() if not one.markers)
MANIFEST_PATHS: Final = (
    f"^(?:{'|'.join(pattern.pattern for pattern, (_, one) in _BY_PATH if not one.markers)})$"
)


def is_manifest(path: str) -> bool:
    """Whether `read_manifest` supports a file of this name, whatever it holds."""
    known = _format(path)
    return known is not None and not known[1].markers


def is_lock_file(path: str) -> bool:
    """Whether it is a manifest that a tool writes, of versions that are in use."""
    known = _format(path)
    return known is not None and known[1].is_lock


def read_manifest(path: str, content: bytes | str) -> Manifest | None:
    """Read a manifest, within bounds; None if it is none. No content makes this raise."""
    known = _format(path)
    if known is None:
        return None
    ecosystem, found = known
    if found.markers and not any(_holds(content, marker) for marker in found.markers):
        return None
    if len(content) > (MANIFEST_CHARACTERS if found.is_lock else WRITTEN_MANIFEST_CHARACTERS):
        return Manifest(ecosystem, problem=ManifestProblem.TOO_LARGE)
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        read = found.read(text.removeprefix("\ufeff"), path)
        return truncate_manifest(read) if read else None
    except TooLargeError:
        return Manifest(ecosystem, problem=ManifestProblem.TOO_LARGE)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return Manifest(ecosystem, problem=ManifestProblem.INVALID)


def _holds(content: bytes | str, marker: str) -> bool:
    return marker.encode() in content if isinstance(content, bytes) else marker in content


def _format(path: str) -> _Known | None:
    by_name = _BY_NAME.get(path.rpartition("/")[2])
    if by_name:
        return by_name
    return next((known for pattern, known in _BY_PATH if pattern.fullmatch(path)), None)
