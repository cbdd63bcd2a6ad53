"""Projects of a build of Gradle: their directories, names, versions and properties."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.paths import ancestors, joined, relative_to
from indexer.ecosystems.properties import properties_of, replaced
from indexer.records.manifests import Ecosystem, Manifest

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
        return self._given.get(f"name:{path}") or path.rpartition(":")[2] or _last(directory)

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


def _last(directory: str) -> str:
    return directory.rpartition("/")[2]
