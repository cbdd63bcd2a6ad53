"""Packages of a repository: the manifests of one ecosystem and directory form one root."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from typing import Final

from indexer.ecosystems.base import Located, PackageRoot, RootDependency
from indexer.ecosystems.local_ranges import local_ranges
from indexer.ecosystems.paths import ancestors, parent
from indexer.ecosystems.pins import Pins
from indexer.ecosystems.registry import ECOSYSTEMS
from indexer.records.files import NAME_CHARACTERS
from indexer.records.manifests import MANIFEST_PINS, OWN_FILE, Dependency, Ecosystem, Manifest

_MAX_DEPENDENCIES: Final = 4_000
_MAX_NEEDS: Final = 20_000  # examined dependencies of a package, its own and inherited


_Key = tuple[Ecosystem, str]


@dataclass(frozen=True, slots=True)
class _Declared:
    """A root without inherited values."""

    package: PackageRoot
    needs: tuple[Dependency, ...]
    has_members: bool
    ranges: Mapping[str, str]  # by local name


def package_roots(manifests: Iterable[Located]) -> dict[_Key, list[PackageRoot]]:
    """Return the packages by ecosystem and directory, in order."""
    located = sorted(manifests, key=_order)
    pins = Pins((manifest_root(path, manifest), manifest) for path, manifest in located)
    declared: dict[_Key, list[_Declared]] = {}
    for key, group in groupby(located, key=_key):
        declaring = [item for item in group if _declares_package(*item)]
        if declaring:
            declared[key] = list(_declared(key, declaring))
    completed = {
        key: [_completed(root, declared, pins) for root in roots] for key, roots in declared.items()
    }
    linked = _Linked(declared)
    for key, roots in completed.items():
        completed[key] = [linked.pinned(root) for root in roots]
    for key, (first, *others) in completed.items():
        completed[key] = [_with_locked(first, pins.locked(*key)), *others]
    return completed


def manifest_root(path: str, manifest: Manifest) -> str:
    """Return the directory that a manifest applies to, or the one file."""
    if OWN_FILE in manifest.settings:
        return path.removesuffix(".lock")
    rules = ECOSYSTEMS[manifest.ecosystem]
    directory = parent(path)
    endings = rules.inner_directories.get(directory.rpartition("/")[2])
    return parent(directory) if endings and path.endswith(endings) else directory


def _key(located: Located) -> _Key:
    path, manifest = located
    return manifest.ecosystem, manifest_root(path, manifest)


def _order(located: Located) -> tuple[_Key, int, str]:
    path, manifest = located
    name = path.rpartition("/")[2]
    decisive = ECOSYSTEMS[manifest.ecosystem].decisive
    rank = decisive.index(name) if name in decisive else len(decisive)
    return _key(located), rank, path


def _declares_package(path: str, manifest: Manifest) -> bool:
    """Whether it declares a package, unlike lock files, path configurations and tool settings."""
    return bool(
        manifest.name
        or manifest.dependencies
        or manifest.members
        or manifest.import_names
        or manifest.source_roots
        or manifest_root(path, manifest) == path
    )


def _declared(key: _Key, group: list[Located]) -> Iterator[_Declared]:
    names = dict.fromkeys(manifest.name for _, manifest in group if manifest.name)
    rules = ECOSYSTEMS[key[0]]
    if not rules.shares_directories or len(names) < 2:
        yield _merged(key, next(iter(names), ""), group)
        return
    for name in names:
        yield _merged(key, name, [item for item in group if item[1].name in {name, ""}])


def _merged(key: _Key, name: str, group: list[Located]) -> _Declared:
    """Take each value from the first manifest that has it, and dependencies from all."""
    manifests = [manifest for _, manifest in group]
    package = PackageRoot(
        ecosystem=key[0],
        name=name,
        version=next((manifest.version for manifest in manifests if manifest.version), ""),
        root=key[1],
        manifest=_declared_in(next((item for item in group if item[1].name == name), group[0])),
        import_names=next(
            (manifest.import_names for manifest in manifests if manifest.import_names), ()
        ),
        source_roots=next(
            (manifest.source_roots for manifest in manifests if manifest.source_roots), ()
        ),
        entries=next((manifest.entries for manifest in manifests if manifest.entries), ()),
        renamed=tuple(pair for manifest in manifests for pair in manifest.renamed),
    )
    needs = tuple(need for manifest in manifests for need in manifest.dependencies)
    has_members = any(manifest.members for manifest in manifests)
    return _Declared(package, needs, has_members, local_ranges(manifests))


def _declared_in(located: Located) -> str:
    """Return the path of the file, which may be one of another directory."""
    path, manifest = located
    return dict(manifest.settings).get("declared", path)


def _completed(
    root: _Declared, declared: Mapping[_Key, list[_Declared]], pins: Pins
) -> PackageRoot:
    package = root.package
    above = [
        other
        for directory in ancestors(package.root)
        if directory != package.root and not package.is_file
        for other in declared.get((package.ecosystem, directory), ())
    ]
    needs: dict[str, Dependency] = {}
    inherits = ECOSYSTEMS[package.ecosystem].inherits_dependencies
    inherited = (need for other in above if inherits for need in other.needs)
    for need in islice(chain(root.needs, inherited), _MAX_NEEDS):
        known = needs.get(need.name)
        if known is None or (need.required and not known.required):
            needs[need.name] = need
        if len(needs) == _MAX_DEPENDENCIES:
            break
    needs.pop(package.name, None)
    version_for = pins.versions_for(package)
    aliases = _aliases(package, needs)
    return replace(
        package,
        version=package.version or _inherited_version(package, above),
        dependencies=tuple(
            found
            for need in needs.values()
            for found in _dependencies(root, need, aliases.get(need.name, []), version_for)
        ),
    )


def _dependencies(
    declared: _Declared,
    need: Dependency,
    aliases: list[str],
    version_for: Callable[[Dependency], str],
) -> Iterator[RootDependency]:
    """Yield the dependency, once for each name by which it is imported, with this name's range."""
    own = [] if aliases and need.name not in declared.ranges else [""]
    for alias in [*own, *aliases]:
        local = alias.partition(" ")[0] or need.name
        wanted = Dependency(need.name, declared.ranges.get(local, need.required))
        yield RootDependency(need.name, wanted.required, version_for(wanted), alias=alias)


def _aliases(package: PackageRoot, needs: Container[str]) -> dict[str, list[str]]:
    """Return the aliases by dependency: what is renamed may be a part of one."""
    found: dict[str, list[str]] = defaultdict(list)
    for local, real in package.renamed:
        if real in needs:
            found[real].append(local)
        for name in ancestors(parent(real)):
            if name in needs and len(local) + len(real) < NAME_CHARACTERS:
                found[name].append(f"{local} {real[len(name) + 1 :]}")
    return found


class _Linked:
    """Packages of the repository that others in it depend on without a lock file's entry."""

    def __init__(self, declared: Mapping[_Key, list[_Declared]]) -> None:
        self._versions: dict[_Key, set[str]] = defaultdict(set)
        self._workspaces: set[_Key] = set()
        for key, roots in declared.items():
            if ECOSYSTEMS[key[0]].links:
                for root in roots:
                    self._versions[key[0], root.package.name].add(root.package.version)
                    self._workspaces |= {key} if root.has_members else set()

    def pinned(self, package: PackageRoot) -> PackageRoot:
        """Give the dependencies on such packages their version."""
        links = ECOSYSTEMS[package.ecosystem].links
        if not links:
            return package
        is_member = any(
            (package.ecosystem, directory) in self._workspaces
            for directory in ancestors(package.root)
        )
        return replace(
            package,
            dependencies=tuple(
                dependency._replace(pinned=version)
                if not dependency.pinned
                and (version := self._version(package.ecosystem, dependency.name))
                and links(dependency.required, version, is_member)
                else dependency
                for dependency in package.dependencies
            ),
        )

    def _version(self, ecosystem: Ecosystem, name: str) -> str:
        versions = self._versions.get((ecosystem, name), ())
        return next(iter(versions)) if len(versions) == 1 else ""


def _with_locked(package: PackageRoot, locked: Iterable[tuple[str, str]]) -> PackageRoot:
    known = {package.name, *(dependency.name for dependency in package.dependencies)}
    added = (
        RootDependency(name, "", version, is_locked=True)
        for name, version in locked
        if name not in known
    )
    dependencies = (*package.dependencies, *islice(added, MANIFEST_PINS))
    return replace(package, dependencies=dependencies)


def _inherited_version(package: PackageRoot, above: list[_Declared]) -> str:
    if not ECOSYSTEMS[package.ecosystem].inherits_version:
        return ""
    return next((other.package.version for other in above if other.package.version), "")
