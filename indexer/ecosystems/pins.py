"""Versions of dependencies in use, from lock files and requirements."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from indexer.ecosystems.paths import ancestors
from indexer.records.manifests import Dependency, Ecosystem, Manifest

_Versions = dict[str, list[str]]
_NUMBERS = re.compile(r"\d+(?:\.\d+)*")
_NUMBER = re.compile(r"\d+")


class Pins:
    """The pins of a repository. A directory's pins apply to directories below, nearest first.

    In one directory a lock file precedes a manifest that requires an exact version.
    """

    def __init__(self, manifests: Iterable[tuple[str, Manifest]]) -> None:
        self._locked: dict[tuple[Ecosystem, str], _Versions] = {}
        self._exact: dict[tuple[Ecosystem, str], _Versions] = {}
        for root, manifest in manifests:
            pins = self._exact if manifest.dependencies else self._locked
            versions = pins.setdefault((manifest.ecosystem, root), defaultdict(list))
            for pin in manifest.pins:
                versions[pin.name].append(pin.version)

    def version_for(self, ecosystem: Ecosystem, root: str, dependency: Dependency) -> str:
        """Return the version of the dependency that a package in `root` uses, or ""."""
        for directory in ancestors(root):
            for pins in (self._locked, self._exact):
                versions = pins.get((ecosystem, directory), {}).get(dependency.name)
                if versions:
                    return _closest_version(dependency.required, versions)
        return ""

    def locked(self, ecosystem: Ecosystem, root: str) -> Iterator[tuple[str, str]]:
        """Yield name and first version of all that the lock files of this directory pin."""
        for name, versions in self._locked.get((ecosystem, root), {}).items():
            yield name, versions[0]


def _closest_version(required: str, versions: list[str]) -> str:
    """Return the locked version that is closest to the required one, else the first."""
    if len(set(versions)) == 1:
        return versions[0]
    wanted = _NUMBERS.search(required)
    if not wanted:
        return versions[0]
    prefix = _components(wanted[0])
    return max(versions, key=lambda version: _similarity(prefix, _components(version)))


def _similarity(wanted: list[int], found: list[int]) -> tuple[int, list[int]]:
    same = 0
    for one, other in zip(wanted, found, strict=False):
        if one != other:
            break
        same += 1
    return same, found


def _components(version: str) -> list[int]:
    return [int(digits[:18]) for digits in _NUMBER.findall(version[:200])]
