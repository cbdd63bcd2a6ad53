"""pom.xml and .mvn/maven.config, as they are written: `${…}` is replaced by `models`.

Settings are `parent` (g:a:v), `relativePath`, `property:NAME`, `empty` (a property), and `import`
(g:a:v) in order. Pins are the dependencies that are managed.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from indexer.ecosystems.parsing import read_xml
from indexer.records.manifests import Dependency, Ecosystem, Manifest, ManifestProblem, Pin

_DEFINED = re.compile(r"(?:^|\s)-D([\w.-]{1,200})=(\S{1,500})")
# Conditions that files of the repository do not decide.
_OUTSIDE: Final = ("jdk", "os", "file")
_RELEVANT: Final = ("dependencies", "dependencyManagement", "properties")


def read_pom(text: str, _path: str) -> Manifest:
    """Read pom.xml with its profiles that are active by default. Raises ValueError, SyntaxError."""
    project = read_xml(text)
    # What a profile declares precedes.
    parts = [*reversed(list(_active_profiles(project))), project]
    managements = [node for part in parts for node in part.findall("dependencyManagement")]
    managed = [node for management in managements for node in _listed(management, "dependencies")]
    group, artifact, version = _coordinates(project)
    parent = _coordinates(project.find("parent"))
    return Manifest(
        Ecosystem.MAVEN,
        name=_name(group or parent[0], artifact),
        version=version or parent[2],
        members=tuple(_text(node) for part in parts for node in _listed(part, "modules")),
        dependencies=tuple(
            Dependency(_name(group, artifact), version)
            for part in parts
            for group, artifact, version in map(_coordinates, _listed(part, "dependencies"))
        ),
        pins=tuple(
            Pin(_name(group, artifact), version)
            for group, artifact, version in (_coordinates(o) for o in managed if not _is_import(o))
        ),
        settings=(
            *_parent_settings(project, parent),
            *(("import", ":".join(_coordinates(node))) for node in managed if _is_import(node)),
            *_properties(parts),
        ),
        problem=ManifestProblem.PARTIAL if any(map(_is_undecided, _profiles(project))) else None,
    )


def read_maven_config(text: str, _path: str) -> Manifest:
    """Read the properties that .mvn/maven.config gives to every build."""
    return Manifest(
        Ecosystem.MAVEN,
        settings=tuple((f"property:{found[1]}", found[2]) for found in _DEFINED.finditer(text)),
    )


def _parent_settings(project: Element, parent: tuple[str, str, str]) -> Iterator[tuple[str, str]]:
    element = project.find("parent")
    if element is not None:
        yield "parent", ":".join(parent)
        path = element.find("relativePath")
        yield "relativePath", "../pom.xml" if path is None else _text(path)


def _properties(parts: list[Element]) -> Iterator[tuple[str, str]]:
    found: dict[str, str] = {}
    for part in reversed(parts):
        found |= {node.tag: _text(node) for node in _listed(part, "properties")}
    return (
        (f"property:{name}", value) if value else ("empty", name) for name, value in found.items()
    )


def _is_import(dependency: Element) -> bool:
    return _text(dependency.find("scope")) == "import" and _text(dependency.find("type")) == "pom"


def _profiles(project: Element) -> Iterable[Element]:
    return _listed(project, "profiles")


def _active_profiles(project: Element) -> Iterator[Element]:
    """Yield the profiles that are active without arguments; `activeByDefault` counts last."""
    active = [profile for profile in _profiles(project) if _is_active(profile)]
    defaults = (
        profile
        for profile in _profiles(project)
        if _text(profile.find("activation/activeByDefault")) == "true"
    )
    yield from active or defaults


def _is_active(profile: Element) -> bool:
    """Whether the absence of a property activates it."""
    return not _is_undecided(profile) and _text(
        profile.find("activation/property/name")
    ).startswith("!")


def _is_undecided(profile: Element) -> bool:
    """Whether it is active on some machines only, and says something about dependencies."""
    return any(profile.find(f"activation/{tag}") is not None for tag in _OUTSIDE) and any(
        profile.find(tag) is not None for tag in _RELEVANT
    )


def _coordinates(element: Element | None) -> tuple[str, str, str]:
    if element is None:
        return "", "", ""
    group, artifact, version = (
        _text(element.find(tag)) for tag in ("groupId", "artifactId", "version")
    )
    return group, artifact, version


def _listed(element: Element, tag: str) -> Iterator[Element]:
    for listing in element.findall(tag):
        yield from listing


def _text(element: Element | None) -> str:
    return (element.text or "").strip() if element is not None else ""


def _name(group: str, artifact: str) -> str:
    return f"{group}:{artifact}" if group and artifact else artifact
