"""sbt's builds: the projects that a build.sbt declares, each in its directory."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.maven.versions import is_exact
from indexer.ecosystems.paths import joined, parent
from indexer.ecosystems.properties import properties_of, replaced
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_SCALA: Final = re.compile(r"(?:_(?:sjs|native)[\d.]+)?_(?:2\.1[0-3]|3)$")
_EMPTY: Final = Manifest(Ecosystem.MAVEN)


def without_scala(name: str) -> str:
    """Return the artifact's name without the version of Scala, which each of several has."""
    return _SCALA.sub("", name)


def completed_sbt(located: Iterable[Located]) -> Iterator[Located]:
    """Yield a manifest for each project, in the project's directory."""
    files = dict(located)
    for path, manifest in files.items():
        if path.rpartition("/")[2] == "build.sbt":
            beside = f"{parent(path)}/project/Dependencies.scala".lstrip("/")
            yield from _projects(path, manifest, files.get(beside, _EMPTY))


def _projects(path: str, manifest: Manifest, beside: Manifest) -> Iterator[Located]:
    given: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    libraries: dict[str, list[str]] = defaultdict(list)
    for key, value in (*beside.settings, *manifest.settings):
        scope, _, setting = key.rpartition(":")
        if key.startswith("library:"):
            libraries[setting].append(value)
        elif not key.startswith("property:"):
            given[scope][setting].append(value)
    properties = properties_of(beside) | properties_of(manifest)
    directories = {
        scope.removeprefix("project:"): joined(parent(path), settings["directory"][0])
        for scope, settings in given.items()
        if settings["directory"]
    }
    names = {
        project: _name(given, f"project:{project}", project, properties) for project in directories
    }
    for project, directory in {"": parent(path), **directories}.items():
        scope = f"project:{project}" if project else ""
        is_root = directory == parent(path)
        if directory is None or (not project and directory in directories.values()):
            continue
        scopes = [scope, "all", *([""] if is_root and scope else [])]
        needs = list(_dependencies(given, scopes, libraries, properties))
        others = (names.get(one, "") for one in given[scope]["project"])
        yield (
            f"{directory}/build.sbt".lstrip("/"),
            replace(
                manifest,
                name=_named(given, scopes, project or parent(path).rpartition("/")[2], properties),
                version=_value(given, scopes, "version", properties),
                dependencies=(*needs, *(Dependency(one, "") for one in others if one)),
                pins=tuple(Pin(one.name, one.required) for one in needs if is_exact(one.required)),
                settings=(("declared", path),),
            ),
        )


_Given = Mapping[str, Mapping[str, list[str]]]


def _value(given: _Given, scopes: list[str], key: str, properties: Mapping[str, str]) -> str:
    found = (value for scope in scopes for value in reversed(given[scope][key]))
    return replaced(next(found, ""), properties)


def _name(given: _Given, scope: str, project: str, properties: Mapping[str, str]) -> str:
    return _named(given, [scope, "all"], project, properties)


def _named(given: _Given, scopes: list[str], project: str, properties: Mapping[str, str]) -> str:
    group = _value(given, scopes, "organization", properties)
    artifact = _value(given, scopes, "name", properties) or project
    artifact = re.sub(r"\W+", "-", artifact.lower())
    return f"{group}:{artifact}" if group and artifact else artifact


def _dependencies(
    given: _Given,
    scopes: list[str],
    libraries: Mapping[str, list[str]],
    properties: Mapping[str, str],
) -> Iterator[Dependency]:
    for scope in scopes:
        named = (one for word in given[scope]["accessor"] for one in libraries.get(word, ()))
        for written in (*given[scope]["dependency"], *named):
            group, artifact, *version = written.split(":", 2)
            name = f"{replaced(group, properties)}:{replaced(artifact, properties)}"
            if not name.startswith(":") and not name.endswith(":"):
                required = replaced(version[0], properties) if version else ""
                yield Dependency(without_scala(name), required)
