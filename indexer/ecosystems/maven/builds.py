"""Gradle's builds: projects with what their settings, catalogues and other projects say of them.

That is their directories, names, versions, properties and dependencies.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.formats import GRADLE_LOCK, GRADLE_SCRIPT_LOCKS
from indexer.ecosystems.maven.gradle_locks import of_scripts, with_ranges
from indexer.ecosystems.maven.settings import included
from indexer.ecosystems.maven.versions import is_exact, properties_of, replaced
from indexer.ecosystems.paths import ancestors, joined, parent, relative_to
from indexer.records.manifests import MANIFEST_STEPS, Dependency, Ecosystem, Manifest, Pin

SETTINGS: Final = ("settings.gradle.kts", "settings.gradle")
BUILDS: Final = ("build.gradle.kts", "build.gradle")
EMPTY: Final = Manifest(Ecosystem.MAVEN)
_MAX_PROJECTS: Final = 5_000  # of a build
_Pairs = tuple[tuple[str, str], ...]
_DEFAULT_CATALOG: Final = ("catalog:libs", "gradle/libs.versions.toml")


def inside(directory: str, name: str) -> str:
    """Return the path of a file in a directory."""
    return f"{directory}/{name}" if directory else name


class Projects:
    """The projects below one settings file."""

    def __init__(self, files: Mapping[str, Manifest], root: str, effort: Effort) -> None:
        self._files = files
        self._root = root
        self._effort = effort
        self._known_settings: dict[str, _Pairs] = {}
        self._known_properties: dict[str, dict[str, str]] = {}
        self._known_packages: dict[str, tuple[str, str]] = {}
        found = (files.get(inside(root, name)) for name in SETTINGS)
        self._settings = next((manifest for manifest in found if manifest), EMPTY)
        self._given = dict(self._settings.settings)

    @cached_property
    def _directories(self) -> dict[str, str]:
        """Directories by the paths of projects, without the first colon."""
        found = {"": self._root}
        for member in self._settings.members:
            for path in reversed([*ancestors(member)][:-1]):
                project = path.replace("/", ":")
                written = self._given.get(f"directory:{project}", path)
                directory = joined(self._root, written)
                if directory is not None and len(found) < _MAX_PROJECTS:
                    found[project] = directory
        return found

    @cached_property
    def _accessors(self) -> dict[str, list[str]]:
        """Paths of projects by what `projects.` has for them."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._directories:
            found[_camel(path)].append(path)
        return found

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {directory: path for path, directory in self._directories.items()}

    def _path(self, directory: str) -> str:
        inner = relative_to(directory, self._root) or ""
        return self._paths.get(directory, inner.replace("/", ":"))

    def _project_name(self, directory: str) -> str:
        if directory == self._root and self._settings.name:
            return self._settings.name
        path = self._path(directory)
        return (
            self._given.get(f"name:{path}")
            or path.rpartition(":")[2]
            or directory.rpartition("/")[2]
        )

    def _manifest(self, directory: str) -> Manifest:
        found = (self._files.get(inside(directory, name)) for name in BUILDS)
        return next((manifest for manifest in found if manifest), EMPTY)

    def _project(self, written: str) -> str | None:
        """Return the directory of `:a:b`, or of the accessor `projects.a.b`."""
        if written.startswith("projects."):
            same = self._accessors.get(written.removeprefix("projects.").replace(".", ":"), [])
            return self._directories[same[0]] if len(same) == 1 else None
        return self._directories.get(written.strip(":"))

    def _above(self, directory: str) -> Iterator[str]:
        """Yield the directories of the projects above, nearest first."""
        path = self._path(directory)
        while path:
            path = path.rpartition(":")[0]
            found = self._directories.get(path)
            if found is not None:
                yield found

    def _applied(self, directory: str) -> _Pairs:
        """Return the settings of a project: its own, then those that others give to it."""
        if directory not in self._known_settings:
            found = tuple(self._settings_of(directory))
            self._known_settings[directory] = found if self._effort.spend(len(found)) else ()
        return self._known_settings[directory]

    def _settings_of(self, directory: str) -> Iterator[tuple[str, str]]:
        own = f"project:{self._path(directory)}:"
        for key, value in self._manifest(directory).settings:
            yield key.removeprefix("all:"), value
        for above in self._above(directory):
            if not self._effort.spend(len(self._manifest(above).settings)):
                return
            for key, value in self._manifest(above).settings:
                scoped = key.replace("project::", "project:")
                for scope in ("all:", "sub:", own):
                    if scoped.startswith(scope):
                        yield scoped.removeprefix(scope), value

    @cached_property
    def _catalogs(self) -> dict[str, str]:
        """Libraries, bundles and versions by `KIND:CATALOGUE.ALIAS`."""
        found = {key: value for key, value in self._settings.settings if ":" in key}
        named = dict([_DEFAULT_CATALOG])
        named |= {key: value for key, value in found.items() if key.startswith("catalog:")}
        for key, file in named.items():
            path = joined(self._root, file)
            for wanted, value in self._files.get(path or "", EMPTY).settings:
                kind, _, alias = wanted.partition(":")
                found.setdefault(f"{kind}:{key.partition(':')[2]}.{alias}", value)
        return found

    def _properties(self, directory: str) -> dict[str, str]:
        found: dict[str, str] = {
            f"{key[len('version:') :].replace('.', '.versions.', 1)}": value
            for key, value in self._catalogs.items()
            if key.startswith("version:")
        }
        above = list(self._above(directory))
        for place in [*reversed(above), directory]:
            found |= properties_of(self._manifest(place))
        for at in dict.fromkeys([directory, self._root]):
            given = properties_of(self._files.get(inside(at, "gradle.properties"), EMPTY))
            found = given | found
        return found

    def _all_properties(self, directory: str) -> dict[str, str]:
        if directory not in self._known_properties:
            found = self._properties_of_all(directory) if self._effort.spend() else {}
            self._known_properties[directory] = found
            self._effort.spend(len(found))
        return self._known_properties[directory]

    def _properties_of_all(self, directory: str) -> dict[str, str]:
        found = self._properties(directory)
        for key in ("group", "version"):
            found.setdefault(key, self._own(directory, key))
        if self._manifest(directory).version:
            found["version"] = self._manifest(directory).version
        return found | {"name": self._project_name(directory)}

    def _own(self, directory: str, wanted: str) -> str:
        """Return `group` or `version` as it is written; a published name precedes."""
        for key, value in self._applied(directory):
            if key == wanted:
                return value
        for place in (directory, self._root):
            given = properties_of(self._files.get(inside(place, "gradle.properties"), EMPTY))
            if wanted in given:
                return given[wanted]
        return ""

    def _version(self, directory: str, properties: Mapping[str, str]) -> str:
        written = self._manifest(directory).version or self._own(directory, "version")
        return replaced(written, properties) if written != "${version}" else ""

    def _name(self, directory: str, properties: Mapping[str, str]) -> str:
        """Return `group:artifact`; only the artifact if the group is computed."""
        applied = dict(reversed(self._applied(directory)))
        artifact = replaced(applied.get("artifact", ""), properties)
        artifact = artifact or self._project_name(directory)
        group = self._group(directory, properties)
        return f"{group}:{artifact}" if group and artifact else artifact

    def _group(self, directory: str, properties: Mapping[str, str]) -> str:
        written = self._own(directory, "group")
        return replaced(written, properties) if written else self._default_group(directory)

    def _default_group(self, directory: str) -> str:
        """Return what Gradle does: the root project's name with the path of the parent."""
        path = self._path(directory)
        if not path:
            return ""
        above = path.rpartition(":")[0]
        return ".".join(filter(None, (self._project_name(self._root), above.replace(":", "."))))

    def _package(self, directory: str) -> tuple[str, str]:
        """Return name and version of a project."""
        if directory not in self._known_packages:
            properties = self._all_properties(directory)
            found = self._name(directory, properties), self._version(directory, properties)
            self._known_packages[directory] = found
        return self._known_packages[directory]


def _camel(path: str) -> str:
    words = path.replace("_", "-").split("-")
    return "".join([words[0], *(word[:1].upper() + word[1:] for word in words[1:])])


_DEPENDENCY_STEPS: Final = 10
_MAX_INCLUDED: Final = 100  # builds of one build, with what these include


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
