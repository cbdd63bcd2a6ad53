"""Gradle's builds: projects with what their settings, catalogues and other projects say of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.effort import Effort
from indexer.ecosystems.maven.versions import is_exact
from indexer.ecosystems.paths import ancestors, joined, parent, relative_to
from indexer.ecosystems.properties import properties_of, replaced
from indexer.limits import MANIFEST_STEPS
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_DEPENDENCY_STEPS: Final = 10
_MAX_PROJECTS: Final = 5_000  # of a build
_SETTINGS: Final = ("settings.gradle.kts", "settings.gradle")
_BUILDS: Final = ("build.gradle.kts", "build.gradle")
_DEFAULT_CATALOG: Final = ("catalog:libs", "gradle/libs.versions.toml")
_EMPTY: Final = Manifest(Ecosystem.MAVEN)
_Pairs = tuple[tuple[str, str], ...]


def completed_builds(located: Iterable[Located]) -> Iterator[Located]:
    """Yield build files with their names, versions and dependencies, and all other manifests.

    A project without a build file is declared in the settings.
    """
    files = dict(located)
    builds: dict[str, _Build] = {}
    effort = Effort(MANIFEST_STEPS)
    for path, manifest in files.items():
        name = path.rpartition("/")[2]
        if name in _BUILDS or (name in _SETTINGS and not _has_build(files, path)):
            root = _root(files, path)
            build = builds.setdefault(root, _Build(files, root, effort))
            yield path, build.completed(path, manifest)
        elif name in _SETTINGS:
            yield path, replace(manifest, name="", settings=())
        else:
            yield path, replace(manifest, settings=())
    for build in builds.values():
        yield from build.without_files()


def _has_build(files: Mapping[str, Manifest], path: str) -> bool:
    return any(_in(parent(path), name) in files for name in _BUILDS)


def _root(files: Mapping[str, Manifest], path: str) -> str:
    """Return the directory of the build's settings; `buildSrc` is a build of its own."""
    for directory in ancestors(parent(path)):
        if any(_in(directory, name) in files for name in _SETTINGS):
            return directory
        if directory.rpartition("/")[2] == "buildSrc":
            return directory
    return parent(path)


def _in(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


class _Build:
    """The projects below one settings file."""

    def __init__(self, files: Mapping[str, Manifest], root: str, effort: Effort) -> None:
        self._files = files
        self._root = root
        found = (files.get(_in(root, name)) for name in _SETTINGS)
        self._settings = next((one for one in found if one), _EMPTY)
        self._given = dict(self._settings.settings)
        self._effort = effort
        self._known_settings: dict[str, _Pairs] = {}
        self._known_properties: dict[str, dict[str, str]] = {}
        self._known_names: dict[str, str] = {}

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

    @cached_property
    def _catalogs(self) -> dict[str, str]:
        """Libraries, bundles and versions by `KIND:CATALOGUE.ALIAS`."""
        found = {key: value for key, value in self._settings.settings if ":" in key}
        named = dict([_DEFAULT_CATALOG])
        named |= {key: value for key, value in found.items() if key.startswith("catalog:")}
        for key, file in named.items():
            path = joined(self._root, file)
            for wanted, value in self._files.get(path or "", _EMPTY).settings:
                kind, _, alias = wanted.partition(":")
                found.setdefault(f"{kind}:{key.partition(':')[2]}.{alias}", value)
        return found

    def _path(self, directory: str) -> str:
        inner = relative_to(directory, self._root) or ""
        return self._paths.get(directory, inner.replace("/", ":"))

    def _project_name(self, directory: str) -> str:
        if directory == self._root and self._settings.name:
            return self._settings.name
        path = self._path(directory)
        return self._given.get(f"name:{path}") or path.rpartition(":")[2] or _last(directory)

    def _manifest(self, directory: str) -> Manifest:
        found = (self._files.get(_in(directory, name)) for name in _BUILDS)
        return next((one for one in found if one), _EMPTY)

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

    def _properties(self, directory: str) -> dict[str, str]:
        found: dict[str, str] = {
            f"{key[len('version:') :].replace('.', '.versions.', 1)}": value
            for key, value in self._catalogs.items()
            if key.startswith("version:")
        }
        above = list(self._above(directory))
        for one in [*reversed(above), directory]:
            found |= properties_of(self._manifest(one))
        for one in dict.fromkeys([directory, self._root]):
            given = properties_of(self._files.get(_in(one, "gradle.properties"), _EMPTY))
            found = given | found
        return found

    def _own(self, directory: str, wanted: str) -> str:
        """Return `group` or `version` as it is written; a published name precedes."""
        for key, value in self._applied(directory):
            if key == wanted:
                return value
        for one in (directory, self._root):
            given = properties_of(self._files.get(_in(one, "gradle.properties"), _EMPTY))
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
        written = self._own(directory, "group")
        group = replaced(written, properties) if written else self._default_group(directory)
        return f"{group}:{artifact}" if group and artifact else artifact

    def _known_name(self, directory: str) -> str:
        if directory not in self._known_names:
            name = self._name(directory, self._all_properties(directory))
            self._known_names[directory] = name
        return self._known_names[directory]

    def _default_group(self, directory: str) -> str:
        """Return what Gradle does: the root project's name with the path of the parent."""
        path = self._path(directory)
        if not path:
            return ""
        above = path.rpartition(":")[0]
        return ".".join(filter(None, (self._project_name(self._root), above.replace(":", "."))))

    def _all_properties(self, directory: str) -> dict[str, str]:
        if directory not in self._known_properties:
            is_left = self._effort.spend()
            found = self._properties_of_all(directory) if is_left else {}
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

    def without_files(self) -> Iterator[Located]:
        settings = next(
            (path for name in _SETTINGS if (path := _in(self._root, name)) in self._files), ""
        )
        for directory in dict.fromkeys(self._directories.values()):
            if self._effort.left < 0:
                return
            path = _in(directory, _BUILDS[-1])
            if directory != self._root and not _has_build(self._files, path):
                found = self.completed(path, _EMPTY)
                yield path, replace(found, settings=(("declared", settings),))

    def completed(self, path: str, manifest: Manifest) -> Manifest:
        directory = parent(path)
        properties = self._all_properties(directory)
        dependencies = list(self._dependencies(directory, manifest, properties))
        return replace(
            manifest,
            name=self._name(directory, properties),
            version=self._version(directory, properties),
            dependencies=tuple(one for one, _ in dependencies),
            pins=tuple(Pin(one.name, version) for one, version in dependencies if version),
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
        own = (f"{one.name}:{one.required}" for one in manifest.dependencies)
        given = (value for key, value in applied if key == "dependency")
        used = (one for key, value in applied if key == "accessor" for one in self._used(value))
        for written in (*own, *given, *used):
            one = _dependency(written, properties)
            if one:
                version = one.required or constraints.get(one.name, "")
                yield one, version if is_exact(version) else ""
        for key, value in applied:
            other = self._project(value) if key in {"project", "accessor"} else None
            if other is not None and (key == "project" or value.startswith("projects.")):
                yield Dependency(self._known_name(other), ""), ""

    def _project(self, written: str) -> str | None:
        """Return the directory of `:a:b`, or of the accessor `projects.a.b`."""
        if written.startswith("projects."):
            same = self._accessors.get(written.removeprefix("projects.").replace(".", ":"), [])
            return self._directories[same[0]] if len(same) == 1 else None
        return self._directories.get(written.strip(":"))

    def _used(self, accessor: str) -> Iterator[str]:
        """Yield g:a:v of a library, of all in a bundle, or of a property."""
        catalog, _, alias = accessor.partition(".")
        bundle = self._catalogs.get(f"bundle:{catalog}.{alias.removeprefix('bundles.')}")
        if alias.startswith("bundles.") and bundle is not None:
            for one in bundle.split():
                yield self._catalogs.get(f"library:{catalog}.{one}", "")
        else:
            yield self._catalogs.get(f"library:{accessor}", f"${{{accessor}}}")

    def _constraints(
        self, directory: str, applied: _Pairs, properties: Mapping[str, str]
    ) -> dict[str, str]:
        """Return versions by name of its own constraints and those of projects it requires."""
        found: dict[str, set[str]] = {}
        others = (self._project(value) for key, value in applied if key == "project")
        for one in dict.fromkeys([directory, *filter(None, others)]):
            known = properties if one == directory else self._all_properties(one)
            settings = applied if one == directory else self._applied(one)
            if not self._effort.spend(len(settings)):
                return {}
            for key, value in settings:
                wanted = _dependency(value, known) if key == "constraint" else None
                if wanted:
                    found.setdefault(wanted.name, set()).add(wanted.required)
        return {name: next(iter(one)) for name, one in found.items() if len(one) == 1}


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


def _camel(path: str) -> str:
    words = path.replace("_", "-").split("-")
    return "".join([words[0], *(one[:1].upper() + one[1:] for one in words[1:])])


def _last(directory: str) -> str:
    return directory.rpartition("/")[2]
