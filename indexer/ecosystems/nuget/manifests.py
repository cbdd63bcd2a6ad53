"""Projects of MSBuild, their property files, packages.config and packages.lock.json.

Names become lower case. What MSBuild evaluates is as it is written; `projects` evaluates it.
Settings, in order: `property:NAME`, `default:NAME` (if it has no value yet), `maybe:NAME` (on a
condition), `import` (a path, or `above`), `update:PACKAGE`, `project` (a path), `several` (a
package with a version for each of several conditions).
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from indexer.ecosystems.parsing import read_json, read_xml, string, table
from indexer.records.manifests import MANIFEST_DEPENDENCIES, Dependency, Ecosystem, Manifest, Pin

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
