"""pom.xml. Names are `group:artifact`; a missing group is that of the manifest above."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from indexer.ecosystems.parsing import read_xml
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_PROPERTY = re.compile(r"\$\{([^${}]{1,200})\}")
_RANGE = re.compile(r"[\[(,]")
_MAX_CHARACTERS = 1_000


def read_pom(text: str, _path: str) -> Manifest:
    """Read pom.xml. Versions of `dependencyManagement` are pins, also for the modules below.

    Raises ValueError and SyntaxError.
    """
    project = read_xml(text)
    properties = _properties(project)
    group, artifact, version = _coordinates(project, properties)
    dependencies = [_coordinates(one, properties) for one in _listed(project, "dependencies")]
    managed = [
        _coordinates(one, properties)
        for management in project.findall("dependencyManagement")
        for one in _listed(management, "dependencies")
    ]
    return Manifest(
        Ecosystem.MAVEN,
        name=_name(group or _inherited(project, "groupId"), artifact),
        version=version or _inherited(project, "version"),
        members=tuple(_text(one) for one in _listed(project, "modules")),
        dependencies=tuple(Dependency(_name(*one[:2]), one[2]) for one in dependencies),
        pins=tuple(
            Pin(_name(*one[:2]), one[2])
            for one in [*dependencies, *managed]
            if one[2] and not _RANGE.search(one[2])
        ),
    )


def _coordinates(element: Element, properties: dict[str, str]) -> tuple[str, str, str]:
    group, artifact, version = (
        _resolved(_text(element.find(tag)), properties)
        for tag in ("groupId", "artifactId", "version")
    )
    return group, artifact, version


def _listed(element: Element, tag: str) -> Iterator[Element]:
    for listing in element.findall(tag):
        yield from listing


def _inherited(project: Element, tag: str) -> str:
    return _text(project.find(f"parent/{tag}"))


def _properties(project: Element) -> dict[str, str]:
    found = {one.tag: _text(one)[:_MAX_CHARACTERS] for one in _listed(project, "properties")}
    for tag in ("groupId", "version"):
        own = _text(project.find(tag)) or _inherited(project, tag)
        found |= {f"project.{tag}": own, f"pom.{tag}": own, tag: own}
        found[f"project.parent.{tag}"] = _inherited(project, tag)
    return found


def _resolved(text: str, properties: dict[str, str]) -> str:
    """Expand properties, to a depth of five; "" if one is unknown here."""
    for _ in range(5):
        if "${" not in text or len(text) > _MAX_CHARACTERS:
            break
        text = _PROPERTY.sub(lambda found: properties.get(found[1], ""), text)
    return "" if "${" in text else text[:_MAX_CHARACTERS]


def _text(element: Element | None) -> str:
    return (element.text or "").strip() if element is not None else ""


def _name(group: str, artifact: str) -> str:
    return f"{group}:{artifact}" if group and artifact else artifact
