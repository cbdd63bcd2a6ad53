"""Projects with what Directory.Build.props, Directory.Packages.props and imports say of them.

https://learn.microsoft.com/visualstudio/msbuild/customize-by-directory and
https://learn.microsoft.com/nuget/consume-packages/central-package-management
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.nuget.manifests import ABOVE
from indexer.ecosystems.paths import ancestors, joined, parent
from indexer.records.manifests import MANIFEST_STEPS, Dependency, Manifest, Pin

_EXACT: Final = re.compile(r"\[?\s*(\d[\w.+-]*)\s*\]?")
_PROPERTY: Final = re.compile(r"\$\(([\w.-]{1,200})\)")
_PROJECT: Final = re.compile(r".*\.(?:cs|fs|vb)proj")
_BEFORE: Final = ("Directory.Build.props", "Directory.Packages.props")
_AFTER: Final = "Directory.Build.targets"
_MAX_IMPORTS: Final = 64
_REPLACED_STEPS: Final = 10
_MAX_CHARACTERS: Final = 1_000
_UNKNOWN: Final = "$(?)"


def completed_projects(located: Iterable[Located]) -> Iterator[Located]:
    """Yield projects with names, versions and pins, property files without, others as they are."""
    files = dict(located)
    effort = Effort(MANIFEST_STEPS)
    projects = {path: _Project(files, path, effort) for path in files if _PROJECT.fullmatch(path)}
    for path, manifest in files.items():
        if path in projects:
            yield path, projects[path].completed(projects)
        elif path.endswith((".props", ".targets")):
            yield path, Manifest(manifest.ecosystem, problem=manifest.problem)
        else:
            yield path, manifest


class _Project:
    """A project, evaluated."""

    def __init__(self, files: Mapping[str, Manifest], path: str, effort: Effort) -> None:
        self._files = files
        self._path = path
        self._effort = effort
        self._parts: dict[str, Manifest] = {}
        for name in _BEFORE:
            self._include(self._nearest(name, parent(path)))
        self._include(path)
        self._include(self._nearest(_AFTER, parent(path)))
        self._properties = {"msbuildprojectname": PurePosixPath(path).stem}
        for part in self._parts.values():
            for key, value in part.settings:
                self._set(*key.partition(":")[::2], value)
        self.name = self._name()

    def _nearest(self, name: str, directory: str) -> str:
        found = (f"{text}/{name}".lstrip("/") for text in ancestors(directory))
        return next((path for path in found if path in self._files), "")

    def _include(self, path: str) -> None:
        """Add a file, after those that it imports."""
        manifest = self._files.get(path)
        if manifest is None or path in self._parts or len(self._parts) > _MAX_IMPORTS:
            return
        self._parts[path] = Manifest(manifest.ecosystem)  # until its turn, if it imports itself
        for key, value in manifest.settings:
            if key == "import":
                self._include(self._imported(path, value))
        del self._parts[path]
        self._parts[path] = manifest

    def _imported(self, path: str, value: str) -> str:
        if value == ABOVE:
            directory = parent(path)
            name = path.rpartition("/")[2]
            return self._nearest(name, parent(directory)) if directory else ""
        return joined(parent(path), value) or ""

    def _set(self, kind: str, name: str, value: str) -> None:
        if kind == "property":
            self._properties[name] = self._resolved(value)
        elif kind == "default":
            self._properties.setdefault(name, self._resolved(value))
        elif kind == "maybe" and self._properties.get(name) != value:
            self._properties[name] = _UNKNOWN

    def _resolved(self, text: str) -> str:
        """Replace properties; the result has `$(` if one is unknown."""
        steps = _REPLACED_STEPS if "$(" in text else 1
        if not self._effort.spend(steps):
            return _UNKNOWN
        if steps == 1:
            return text
        replaced = _PROPERTY.sub(
            lambda found: self._properties.get(found[1].lower(), _UNKNOWN), text
        )
        return replaced if len(replaced) <= _MAX_CHARACTERS else _UNKNOWN

    def _value(self, *names: str) -> str:
        """Return the first property with a value; "" if none has one or it is unknown."""
        found = next((text for name in names if (text := self._properties.get(name))), "")
        return "" if "$(" in found else found

    def _name(self) -> str:
        return (self._value("packageid", "assemblyname") or PurePosixPath(self._path).stem).lower()

    def _version(self) -> str:
        if self._properties.get("packageversion") or self._properties.get("version"):
            return self._value("packageversion", "version")
        suffix = self._properties.get("versionsuffix")
        version = self._value("versionprefix")
        return version if not suffix or not version else self._resolved(f"{version}-{suffix}")

    def _central(self) -> dict[str, str]:
        """Return versions of packages that are managed centrally, "" if they are unknown."""
        if self._value("managepackageversionscentrally").lower() != "true":
            return {}
        found: dict[str, str] = {}
        for part in self._parts.values():
            versions: dict[str, set[str]] = defaultdict(set)
            for pin in part.pins:
                versions[pin.name].add(self._resolved(pin.version))
            found |= {
                name: next(iter(values)) if len(values) == 1 else ""
                for name, values in versions.items()
            }
        return found

    def _references(self) -> dict[str, str]:
        """Return what is written as version by package; later files change what earlier add."""
        found: dict[str, str] = {}
        for part in self._parts.values():
            found |= {need.name: self._resolved(need.required) for need in part.dependencies}
            for key, value in part.settings:
                name = key.removeprefix("update:")
                if name != key and name in found:
                    found[name] = self._resolved(value)
        return found

    def _projects(self, projects: Mapping[str, "_Project"]) -> Iterator[str]:
        """Yield names of projects that it refers to, those of their files if they are not read."""
        for part in self._parts.values():
            for key, value in part.settings:
                if key == "project":
                    path = joined(parent(self._path), value) or ""
                    stem = PurePosixPath(value).stem.lower()
                    yield projects[path].name if path in projects else stem

    def completed(self, projects: Mapping[str, "_Project"]) -> Manifest:
        central, references = self._central(), self._references()
        several = {
            value
            for part in self._parts.values()
            for key, value in part.settings
            if key == "several"
        }
        written = {
            name: "" if "$(" in version else version
            for name, version in references.items()
            if "$(" not in name
        }
        versions = {
            name: version if references[name] else central.get(name, "")
            for name, version in written.items()
            if name not in several
        }
        version = self._version()
        return replace(
            self._files[self._path],
            name=self.name,
            version="" if "$(" in version else version,
            dependencies=(
                *(Dependency(*dependency) for dependency in written.items()),
                *(Dependency(name, "") for name in self._projects(projects)),
            ),
            pins=tuple(
                Pin(name, found[1])
                for name, version in versions.items()
                if (found := _EXACT.fullmatch(version))
            ),
            settings=(),
        )
