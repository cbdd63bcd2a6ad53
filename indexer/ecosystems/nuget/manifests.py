"""*.csproj, Directory.Packages.props and packages.lock.json. Names become lower case."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element

from indexer.ecosystems.parsing import read_json, read_xml, string, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_EXACT = re.compile(r"\[?\s*(\d[\w.+-]*)\s*\]?")


def read_csproj(text: str, path: str) -> Manifest:
    """Read *.csproj, named by `PackageId`, else `AssemblyName`, else the file.

    A referenced project counts as named after its file. Raises ValueError and SyntaxError.
    """
    project = read_xml(text)
    names = [_property(project, "PackageId"), _property(project, "AssemblyName")]
    name = next((name for name in names if name and "$(" not in name), PurePosixPath(path).stem)
    dependencies = list(_references(project, "PackageReference"))
    projects = [
        Dependency(PurePosixPath(path.replace("\\", "/")).stem.lower(), "")
        for one in project.iter("ProjectReference")
        if (path := one.get("Include", ""))
    ]
    version = _property(project, "Version") or _property(project, "VersionPrefix")
    return Manifest(
        Ecosystem.NUGET,
        name=name.lower(),
        version="" if "$(" in version else version,
        dependencies=(*dependencies, *projects),
        pins=_pins(dependencies),
    )


def read_central_versions(text: str, _path: str) -> Manifest:
    """Read Directory.Packages.props: versions for the projects below. Raises like `read_csproj`."""
    return Manifest(Ecosystem.NUGET, pins=_pins(_references(read_xml(text), "PackageVersion")))


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


def _references(project: Element, tag: str) -> Iterator[Dependency]:
    for one in project.iter(tag):
        name = one.get("Include") or one.get("Update") or ""
        version = one.get("Version") or one.findtext("Version") or ""
        yield Dependency(name.strip().lower(), "" if "$(" in version else version.strip())


def _pins(references: Iterator[Dependency] | list[Dependency]) -> tuple[Pin, ...]:
    """Return bare versions: NuGet uses the lowest version that matches, so these are in use."""
    return tuple(
        Pin(one.name, found[1]) for one in references if (found := _EXACT.fullmatch(one.required))
    )


def _property(project: Element, tag: str) -> str:
    return (project.findtext(f"PropertyGroup/{tag}") or "").strip()
