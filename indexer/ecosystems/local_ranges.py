"""Ranges by local name, for a package that another depends on under several names.

Settings ("range LOCAL", range): a manifest's dependencies have one range for each package.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from indexer.records.manifests import Manifest

_RANGE: Final = "range "
_ANY: Final = "*"


def ranges_by_local(
    needs: Iterable[tuple[str, str, str]],
) -> tuple[set[str], list[tuple[str, str]]]:
    """Return the packages that have several local names and ranges, and settings for these names.

    `needs` are local names, packages and ranges.
    """
    ranges: dict[str, dict[str, str]] = defaultdict(dict)
    for local, name, required in needs:
        ranges[name].setdefault(local, required)
    several = {name for name, known in ranges.items() if len(set(known.values())) > 1}
    settings = [
        (_RANGE + local, required or _ANY)
        for name, known in ranges.items()
        if name in several
        for local, required in known.items()
    ]
    return several, settings


def local_ranges(manifests: Iterable[Manifest]) -> Mapping[str, str]:
    """Return the ranges of the settings by local name."""
    return dict(_ranges(manifests))


def _ranges(manifests: Iterable[Manifest]) -> Iterator[tuple[str, str]]:
    for key, value in (pair for manifest in manifests for pair in manifest.settings):
        if key.startswith(_RANGE):
            yield key.removeprefix(_RANGE), "" if value == _ANY else value
