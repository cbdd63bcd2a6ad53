"""build.gradle(.kts), settings.gradle(.kts), version catalogues and gradle.lockfile.

Build files are programs: only literal values are read.
"""

import re
from pathlib import PurePosixPath

from indexer.ecosystems.parsing import Table, read_toml, string, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_ASSIGNED = r"^[ \t]*{name}[ \t]*(?:=[ \t]*)?[\"']([^\"'$\n]{{1,300}})[\"']"
_GROUP = re.compile(_ASSIGNED.format(name="group"), re.MULTILINE)
_VERSION = re.compile(_ASSIGNED.format(name="version"), re.MULTILINE)
_ROOT_NAME = re.compile(_ASSIGNED.format(name=r"rootProject\.name"), re.MULTILINE)
_DEPENDENCY = re.compile(
    r"^[ \t]*(?:\w{0,40}(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly)|kapt|ksp|compile"
    r"|testCompile|annotationProcessor)[ \t]*\(?[ \t]*(?:(?:enforcedP|p)latform[ \t]*\([ \t]*)?"
    r"[\"'](?P<group>[\w.-]{1,200}):(?P<artifact>[\w.-]{1,200})(?::(?P<version>[^\"':@$\n]{1,100}))?",
    re.MULTILINE,
)
_INCLUDE = re.compile(r"^[ \t]*include\b(?P<projects>[^\n]{1,5000})", re.MULTILINE)
_PROJECT = re.compile(r"[\"']([^\"'\n]+)[\"']")
_LOCKED = re.compile(r"([\w.-]+:[\w.-]+):([^=\s]+)=")


def read_build_gradle(text: str, path: str) -> Manifest:
    """Read build.gradle. The artifact is named after its directory, "" at the top.

    The group is the file's own; without one it is inherited from a build above.
    """
    group, version = _GROUP.search(text), _VERSION.search(text)
    artifact = PurePosixPath(path).parent.name
    dependencies = [
        Dependency(f"{found['group']}:{found['artifact']}", found["version"] or "")
        for found in _DEPENDENCY.finditer(text)
    ]
    return Manifest(
        Ecosystem.MAVEN,
        name=f"{group[1]}:{artifact}" if group else artifact,
        version=version[1] if version else "",
        dependencies=tuple(dependencies),
        pins=_pins(dependencies),
    )


def read_version_catalog(text: str, _path: str) -> Manifest:
    """Read `gradle/*.versions.toml`. Every build may use every library of it.

    Raises ValueError and RecursionError.
    """
    document = read_toml(text)
    versions = table(document, "versions")
    listed = [_library(wanted, versions) for wanted in table(document, "libraries").values()]
    dependencies = [one for one in listed if ":" in one.name]
    return Manifest(Ecosystem.MAVEN, dependencies=tuple(dependencies), pins=_pins(dependencies))


def _library(wanted: object, versions: Table) -> Dependency:
    """Read `"g:a:1"`, `{module = "g:a", version = "1"}` or `{group, name, version.ref}`."""
    settings = table(wanted)
    named = string(wanted) or string(settings.get("module"))
    group, _, rest = named.partition(":")
    artifact, _, version = rest.partition(":")
    group, artifact = (
        group or string(settings.get("group")),
        artifact or string(settings.get("name")),
    )
    declared = settings.get("version", version)
    declared = versions.get(string(table(declared).get("ref")), declared)
    required = (
        string(declared)
        or string(table(declared).get("require"))
        or string(table(declared).get("strictly"))
    )
    return Dependency(f"{group}:{artifact}" if group and artifact else "", required)


def _pins(dependencies: list[Dependency]) -> tuple[Pin, ...]:
    return tuple(Pin(one.name, one.required) for one in dependencies if _is_exact(one.required))


def _is_exact(version: str) -> bool:
    return not {"[", "(", ",", "+"} & set(version) and not version.startswith("latest")


def read_settings_gradle(text: str, _path: str) -> Manifest:
    """Read the root project's artifact and the build's projects."""
    name = _ROOT_NAME.search(text)
    projects = (
        project
        for found in _INCLUDE.finditer(text)
        for project in _PROJECT.findall(found["projects"])
    )
    return Manifest(
        Ecosystem.MAVEN,
        name=name[1] if name else "",
        members=tuple(project.strip(":").replace(":", "/") for project in projects),
    )


def read_gradle_lockfile(text: str, _path: str) -> Manifest:
    """Read lines of `group:artifact:version=configurations`."""
    found = (_LOCKED.match(line) for line in text.splitlines())
    return Manifest(Ecosystem.MAVEN, pins=tuple(Pin(one[1], one[2]) for one in found if one))
