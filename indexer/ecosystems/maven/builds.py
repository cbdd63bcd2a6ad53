"""Gradle's builds: projects with what their settings, catalogues and other projects say of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.formats import GRADLE_LOCK, GRADLE_SCRIPT_LOCKS
from indexer.ecosystems.maven.gradle_locks import of_scripts, with_ranges
from indexer.ecosystems.maven.projects import BUILDS, EMPTY, SETTINGS, Projects, inside
from indexer.ecosystems.maven.settings import included
from indexer.ecosystems.maven.versions import is_exact
from indexer.ecosystems.paths import ancestors, parent
from indexer.ecosystems.properties import replaced
from indexer.records.manifests import MANIFEST_STEPS, Dependency, Manifest, Pin

_DEPENDENCY_STEPS: Final = 10
_MAX_INCLUDED: Final = 100  # builds of one build, with what these include
_Pairs = tuple[tuple[str, str], ...]


def completed_builds(located: Iterable[Located]) -> Iterator[Located]:
    """Yield build files with their names, versions and dependencies, and all other manifests.

    A project without a build file is declared in the settings.
    """
    files = dict(located)
    builds = _Builds(files)
    completed: dict[str, Manifest] = {}
    for path, manifest in files.items():
        name = path.rpartition("/")[2]
        if name in BUILDS or (name in SETTINGS and not _has_build(files, path)):
            completed[path] = builds.of(path).completed(path, manifest)
        elif name in SETTINGS:
            yield path, replace(manifest, name="", settings=())
        elif name not in {GRADLE_LOCK, *GRADLE_SCRIPT_LOCKS}:
            yield path, replace(manifest, settings=())
    for build in builds.known():
        completed |= build.without_files()
    yield from completed.items()
    yield from _locks(files, completed)


def _locks(files: Mapping[str, Manifest], completed: Mapping[str, Manifest]) -> Iterator[Located]:
    needs = {parent(path): manifest.dependencies for path, manifest in completed.items()}
    for path, manifest in files.items():
        name, directory = path.rpartition("/")[2], parent(path)
        if name == GRADLE_LOCK:
            yield path, with_ranges(manifest, needs.get(directory, ()))
        elif name in GRADLE_SCRIPT_LOCKS:
            yield path, of_scripts(manifest, files.get(inside(directory, GRADLE_LOCK)))


def _has_build(files: Mapping[str, Manifest], path: str) -> bool:
    return any(inside(parent(path), name) in files for name in BUILDS)


class _Builds:
    """The builds of a repository, by the directories of their settings."""

    def __init__(self, files: Mapping[str, Manifest]) -> None:
        self._files = files
        self._effort = Effort(MANIFEST_STEPS)
        self._builds: dict[str, _Build] = {}
        settings = (item for item in files.items() if item[0].rpartition("/")[2] in SETTINGS)
        self._included = {build for item in settings for build in included(*item)}

    def of(self, path: str) -> "_Build":
        """Return the build of a file; `buildSrc` is a build of its own."""
        for directory in ancestors(parent(path)):
            if any(inside(directory, name) in self._files for name in SETTINGS):
                return self.at(directory)
            if directory.rpartition("/")[2] == "buildSrc" or directory in self._included:
                return self.at(directory)
        return self.at(parent(path))

    def at(self, root: str) -> "_Build":
        return self._builds.setdefault(root, _Build(self._files, root, self, self._effort))

    def known(self) -> list["_Build"]:
        return list(self._builds.values())


class _Build(Projects):
    """The projects with their dependencies; others of included builds replace some."""

    def __init__(
        self, files: Mapping[str, Manifest], root: str, builds: _Builds, effort: Effort
    ) -> None:
        super().__init__(files, root, effort)
        self._builds = builds

    def _declared(self, declared: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Return modules with the projects that replace them, as the including build says."""
        places = {module: self._project(path) for module, path in declared.items()}
        return {
            module: self._package(place) for module, place in places.items() if place is not None
        }

    @cached_property
    def _provided(self) -> dict[str, tuple[str, str]]:
        """Modules with the projects that replace them where the build is included."""
        groups = {
            directory: self._group(directory, self._all_properties(directory))
            for directory in self._directories.values()
        }
        return {
            f"{group}:{self._project_name(project)}": self._package(project)
            for project, group in groups.items()
            if group
        }

    @cached_property
    def _substitutes(self) -> dict[str, tuple[str, str]]:
        """Name and version of projects of included builds, by the modules that they replace."""
        found: dict[str, tuple[str, str]] = {}
        waiting, seen = [self], {self._root}
        for build in waiting:
            for root, declared in build.includes().items():
                if root not in seen and len(seen) <= _MAX_INCLUDED:
                    seen.add(root)
                    waiting.append(self._builds.at(root))
                    other = self._builds.at(root)
                    found |= other._declared(declared) if declared else other._provided
        return found

    def includes(self) -> dict[str, dict[str, str]]:
        """Return the included builds' directories, each with the replacements that it declares."""
        return included(inside(self._root, SETTINGS[0]), self._settings)

    def without_files(self) -> Iterator[Located]:
        settings = next(
            (path for name in SETTINGS if (path := inside(self._root, name)) in self._files), ""
        )
        for directory in dict.fromkeys(self._directories.values()):
            if self._effort.left < 0:
                return
            path = inside(directory, BUILDS[-1])
            if directory != self._root and not _has_build(self._files, path):
                found = self.completed(path, EMPTY)
                yield path, replace(found, settings=(("declared", settings),))

    def completed(self, path: str, manifest: Manifest) -> Manifest:
        directory = parent(path)
        properties = self._all_properties(directory)
        dependencies = list(self._dependencies(directory, manifest, properties))
        return replace(
            manifest,
            name=self._name(directory, properties),
            version=self._version(directory, properties),
            dependencies=tuple(dependency for dependency, _ in dependencies),
            pins=tuple(Pin(needed.name, version) for needed, version in dependencies if version),
            settings=(),
        )

    def _dependencies(
        self, directory: str, manifest: Manifest, properties: Mapping[str, str]
    ) -> Iterator[tuple[Dependency, str]]:
        """Yield the dependencies with the version in use, or ""."""
        applied = self._applied(directory)
        if not self._effort.spend(_DEPENDENCY_STEPS * len(applied)):
            return
        constraints = self._constraints(directory, applied, properties)
        own = (f"{dependency.name}:{dependency.required}" for dependency in manifest.dependencies)
        given = (value for key, value in applied if key == "dependency")
        used = (
            accessor
            for key, value in applied
            if key == "accessor"
            for accessor in self._used(value)
        )
        for written in (*own, *given, *used):
            dependency = _dependency(written, properties)
            if dependency and dependency.name in self._substitutes:
                name, version = self._substitutes[dependency.name]
                yield Dependency(name, dependency.required), version
            elif dependency:
                version = dependency.required or constraints.get(dependency.name, "")
                yield dependency, version.removesuffix("!!") if is_exact(version) else ""
        for key, value in applied:
            other = self._project(value) if key in {"project", "accessor"} else None
            if other is not None and (key == "project" or value.startswith("projects.")):
                name, version = self._package(other)
                yield Dependency(name, ""), version

    def _used(self, accessor: str) -> Iterator[str]:
        """Yield g:a:v of a library, of all in a bundle, or of a property."""
        catalog, _, alias = accessor.partition(".")
        bundle = self._catalogs.get(f"bundle:{catalog}.{alias.removeprefix('bundles.')}")
        if alias.startswith("bundles.") and bundle is not None:
            for project in bundle.split():
                yield self._catalogs.get(f"library:{catalog}.{project}", "")
        else:
            yield self._catalogs.get(f"library:{accessor}", f"${{{accessor}}}")

    def _constraints(
        self, directory: str, applied: _Pairs, properties: Mapping[str, str]
    ) -> dict[str, str]:
        """Return versions by name of its own constraints and those of projects it requires."""
        found: dict[str, set[str]] = {}
        others = (self._project(value) for key, value in applied if key == "project")
        for project in dict.fromkeys([directory, *filter(None, others)]):
            known = properties if project == directory else self._all_properties(project)
            settings = applied if project == directory else self._applied(project)
            if not self._effort.spend(len(settings)):
                return {}
            for key, value in settings:
                wanted = _dependency(value, known) if key == "constraint" else None
                if wanted:
                    found.setdefault(wanted.name, set()).add(wanted.required)
        return {name: next(iter(values)) for name, values in found.items() if len(values) == 1}


def _dependency(written: str, properties: Mapping[str, str]) -> Dependency | None:
    """Return the dependency of g:a:v; what the version is may be unknown, the name not."""
    if written.startswith("${") and ":" not in written:
        written = replaced(written, properties)
    group, _, rest = written.partition(":")
    artifact, _, version = rest.partition(":")
    group, artifact = replaced(group, properties), replaced(artifact, properties)
    if not group or not artifact:
        return None
    return Dependency(f"{group}:{artifact}", replaced(version, properties))
