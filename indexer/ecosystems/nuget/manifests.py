"""Projects of MSBuild, their property files, packages.config and packages.lock.json.

Names become lower case. What MSBuild evaluates is as it is written; `completed_projects` evaluates
it by Directory.Build.props, Directory.Packages.props and imports:
https://learn.microsoft.com/visualstudio/msbuild/customize-by-directory and
https://learn.microsoft.com/nuget/consume-packages/central-package-management.
Settings, in order: `property:NAME`, `default:NAME` (if it has no value yet), `maybe:NAME` (on a
condition), `import` (a path, or `above`), `update:PACKAGE`, `project` (a path), `several` (a
package with a version for each of several conditions).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final
from xml.etree.ElementTree import Element

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.parsing import read_json, read_xml, string, table
from indexer.ecosystems.paths import ancestors, joined, parent
from indexer.records.manifests import (
    MANIFEST_DEPENDENCIES,
    MANIFEST_STEPS,
    Dependency,
    Ecosystem,
    Manifest,
    Pin,
)

_DEFAULT: Final = re.compile(r"\s*'\$\((\w+)\)'\s*==\s*''\s*")
_REFERENCES: Final = ("PackageReference", "GlobalPackageReference")
_VERSIONS: Final = ("VersionOverride", "Version")
ABOVE: Final = "above"


def read_project(text: str, _path: str) -> Manifest:
    """Read a project or a file of properties. Raises ValueError and SyntaxError."""
    root = read_xml(text)
    references = [
        node for tag in _REFERENCES for node in root.iter(tag) if node.get("Include") is not None
    ]
    return Manifest(
        Ecosystem.NUGET,
        dependencies=tuple(
            Dependency(name, _version(reference))
            for reference in references
            for name in _names(reference, "Include")
        ),
        pins=tuple(
            Pin(name, _version(node))
            for node in root.iter("PackageVersion")
            for attribute in ("Include", "Update")
            for name in _names(node, attribute)
        ),
        settings=(
            *_settings(root),
            *(
                (f"update:{name}", _version(node))
                for node in root.iter("PackageReference")
                for name in _names(node, "Update")
            ),
            *_several(references),
            *(
                ("project", path.replace("\\", "/"))
                for node in root.iter("ProjectReference")
                if (path := node.get("Include", ""))
            ),
        ),
    )


def _settings(root: Element) -> Iterator[tuple[str, str]]:
    for node in root:
        if node.tag == "Import":
            yield "import", _imported(node.get("Project", ""))
        elif node.tag == "PropertyGroup":
            for value in node:
                conditions = [two.get("Condition", "") for two in (node, value)]
                yield f"{_kind(conditions, value.tag)}:{value.tag.lower()}", _text(value)


def _kind(conditions: list[str], tag: str) -> str:
    given = [condition for condition in conditions if condition.strip()]
    if not given:
        return "property"
    found = _DEFAULT.fullmatch(given[0])
    is_default = len(given) == 1 and found and found[1].lower() == tag.lower()
    return "default" if is_default else "maybe"


def _imported(path: str) -> str:
    if "GetPathOfFileAbove" in path or "GetDirectoryNameOfFileAbove" in path:
        return ABOVE
    return path.replace("\\", "/").replace("$(MSBuildThisFileDirectory)", "./")


def _several(references: list[Element]) -> Iterator[tuple[str, str]]:
    versions: dict[str, set[str]] = defaultdict(set)
    for reference in references:
        for name in _names(reference, "Include"):
            versions[name].add(_version(reference))
    return (("several", name) for name, found in versions.items() if len(found) > 1)


def _names(element: Element, attribute: str) -> list[str]:
    listed = (element.get(attribute) or "").split(";")[:MANIFEST_DEPENDENCIES]
    return [name.strip().lower() for name in listed if name.strip()]


def _version(element: Element) -> str:
    found = (element.get(tag) or element.findtext(tag) or "" for tag in _VERSIONS)
    return next(filter(None, found), "").strip()


def _text(element: Element) -> str:
    return (element.text or "").strip()


def read_packages_config(text: str, _path: str) -> Manifest:
    """Read packages.config, which has all packages. Raises ValueError and SyntaxError."""
    found = [
        (node.get("id", "").strip().lower(), node.get("version", "").strip())
        for node in read_xml(text).iter("package")
    ]
    return Manifest(
        Ecosystem.NUGET,
        dependencies=tuple(Dependency(*package) for package in found),
        pins=tuple(Pin(*package) for package in found),
    )


def read_nuget_lock(text: str, _path: str) -> Manifest:
    """Read packages.lock.json, all target frameworks. Raises ValueError and RecursionError."""
    frameworks = table(read_json(text), "dependencies").values()
    return Manifest(
        Ecosystem.NUGET,
        pins=tuple(
            Pin(name.lower(), string(table(entry).get("resolved")))
            for framework in frameworks
            for name, entry in table(framework).items()
        ),
    )


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
