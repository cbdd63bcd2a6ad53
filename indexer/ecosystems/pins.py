"""Versions of dependencies in use, from lock files and requirements."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from indexer.ecosystems.base import PackageRoot
from indexer.ecosystems.paths import ancestors, relative_to
from indexer.ecosystems.registry import ECOSYSTEMS
from indexer.records.manifests import ANY_USER, Dependency, Ecosystem, Manifest, PinUse

_MAX_VERSIONS: Final = 100  # of one package in a file, of which a range chooses
_Key = tuple[Ecosystem, str]


class _Pinned:
    """What the manifests of one directory pin."""

    def __init__(self) -> None:
        self.versions: dict[str, dict[str, None]] = defaultdict(dict)
        self.uses: dict[tuple[str, str], list[PinUse]] = defaultdict(list)

    def add(self, manifest: Manifest) -> None:
        for pin in manifest.pins:
            self.versions[pin.name][pin.version] = None
        for use in manifest.uses:
            self.uses[use.name, use.user].append(use)

    def knows(self, users: set[str], wanted: Dependency) -> bool:
        return wanted.name in self.versions or bool(self.used(users, wanted))

    def used(self, users: set[str], wanted: Dependency) -> set[str]:
        """Return the versions that the file says are used by one of `users`."""
        return {
            use.version
            for user in users
            for use in self.uses.get((wanted.name, user), ())
            if use.required in {"", wanted.required or "*"}
        }


class Pins:
    """The pins of a repository. A directory's pins apply to directories below, nearest first.

    In one directory a lock file precedes a manifest that requires an exact version.
    """

    def __init__(self, manifests: Iterable[tuple[str, Manifest]]) -> None:
        self._locked: dict[_Key, _Pinned] = defaultdict(_Pinned)
        self._exact: dict[_Key, _Pinned] = defaultdict(_Pinned)
        for root, manifest in manifests:
            pins = self._exact if manifest.dependencies else self._locked
            pins[manifest.ecosystem, root].add(manifest)

    def versions_for(self, package: PackageRoot) -> Callable[[Dependency], str]:
        """Return what gives the version of a dependency that a package uses.

        "" if that is unknown: no file pins it, or several versions and not which one.
        """
        ecosystem = package.ecosystem
        places = list(self._places(package))

        def version(dependency: Dependency) -> str:
            known = (place for place in places if place[0].knows(place[1], dependency))
            found = next(known, None)
            return _chosen(ecosystem, *found, dependency) if found else ""

        return version

    def _places(self, package: PackageRoot) -> Iterator[tuple[_Pinned, set[str]]]:
        """Yield what is pinned for a package, nearest first, and as what it may use it."""
        ecosystem, root = package.ecosystem, package.root
        rules = ECOSYSTEMS[ecosystem]
        for directory in [root] if package.is_file else ancestors(root):
            is_own = directory == root
            exact = self._exact if is_own or rules.inherits_dependencies else {}
            locked = self._locked if is_own or rules.locks_below else {}
            users = {relative_to(root, directory) or "", package.name, ANY_USER}
            for pins in (locked, exact):
                pinned = pins.get((ecosystem, directory))
                if pinned and (pinned.versions or pinned.uses):
                    yield pinned, users

    def locked(self, ecosystem: Ecosystem, root: str) -> Iterator[tuple[str, str]]:
        """Yield name and version, "" if there are several, of all that lock files here pin."""
        pinned = self._locked.get((ecosystem, root))
        for name, versions in pinned.versions.items() if pinned else ():
            yield name, _only(versions)


def _chosen(ecosystem: Ecosystem, pinned: _Pinned, users: set[str], wanted: Dependency) -> str:
    """Return the version by the file's own relation, else the only one that may be meant."""
    versions = pinned.used(users, wanted) or pinned.versions.get(wanted.name, {})
    if len(versions) == 1:
        return _only(versions)
    allows = ECOSYSTEMS[ecosystem].allows
    if not allows or not wanted.required or len(versions) > _MAX_VERSIONS:
        return ""
    try:
        return _only([version for version in versions if allows(wanted.required, version)])
    except ValueError:
        return ""


def _only(versions: Collection[str]) -> str:
    return next(iter(versions)) if len(versions) == 1 else ""
