"""sbt's builds: the projects that a build.sbt declares, each in its directory."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.maven.versions import is_exact, properties_of, replaced
from indexer.ecosystems.paths import joined, parent
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin, without_scala

_NAMES: Final = ("organization", "moduleName", "name", "version")
_EMPTY: Final = Manifest(Ecosystem.MAVEN)


def completed_sbt(located: Iterable[Located]) -> Iterator[Located]:
    """Yield a manifest for each project, in the project's directory.

    All `*.sbt` of a directory are one script. One in a project's directory is this project's.
    """
    files = dict(located)
    scripts: dict[str, Manifest] = {}
    for path, manifest in files.items():
        if path.endswith(".sbt"):
            directory = parent(path)
            known = scripts.get(directory, _EMPTY)
            problem = known.problem or manifest.problem
            settings = (*known.settings, *manifest.settings)
            scripts[directory] = replace(manifest, settings=settings, problem=problem)
    builds = {script: _Build(script, scripts, files) for script in scripts}
    for root, build in builds.items():
        if not any(root in other.inner for other in builds.values()):
            yield from build.projects()


class _Build:
    """The build of the scripts in one directory."""

    def __init__(
        self, root: str, scripts: Mapping[str, Manifest], files: Mapping[str, Manifest]
    ) -> None:
        self._root = root
        self._path = f"{root}/build.sbt".lstrip("/")
        self._manifest = scripts[root]
        beside = files.get(f"{root}/project/Dependencies.scala".lstrip("/"), _EMPTY)
        self._libraries: dict[str, list[str]] = defaultdict(list)
        self._given: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._add((*beside.settings, *self._manifest.settings))
        self._properties = properties_of(beside) | properties_of(self._manifest)
        self.directories = {
            scope.removeprefix("project:"): joined(root, settings["directory"][0])
            for scope, settings in list(self._given.items())
            if settings["directory"]
        }
        self.inner = {used for used in self.directories.values() if used not in {None, root}}
        for project, directory in self.directories.items():
            if directory in self.inner and directory in scripts:
                own = scripts[str(directory)]
                self._add(own.settings, f"project:{project}")
                self._properties = properties_of(own) | self._properties

    def _add(self, settings: Iterable[tuple[str, str]], within: str = "") -> None:
        for key, value in settings:
            scope, _, setting = key.rpartition(":")
            if key.startswith("library:"):
                self._libraries[setting].append(value)
            elif not key.startswith("property:"):
                self._given[scope or within][setting].append(value)

    def projects(self) -> Iterator[Located]:
        given, root = self._given, self._root
        named = {used: self._package(used) for used in self.directories}
        for project, directory in {"": root, **self.directories}.items():
            if directory is None or (not project and root in self.directories.values()):
                continue
            name, version = named.get(project) or self._package("")
            needs = [
                (dependency, dependency.required if is_exact(dependency.required) else "")
                for dependency in _dependencies(
                    given, self._scopes(project), self._libraries, self._properties
                )
            ]
            others = (named.get(used, ("", "")) for used in given[f"project:{project}"]["project"])
            needs += [(Dependency(used, ""), own) for used, own in others if used]
            yield (
                f"{directory}/build.sbt".lstrip("/"),
                replace(
                    self._manifest,
                    name=name,
                    version=version,
                    dependencies=tuple(dependency for dependency, _ in needs),
                    pins=tuple(Pin(needed.name, pinned) for needed, pinned in needs if pinned),
                    settings=(("declared", self._path),),
                ),
            )

    def _scopes(self, project: str) -> list[str]:
        """Return the scopes whose settings a project has, "" for the root without a definition."""
        is_root = not project or self.directories[project] == self._root
        own = [f"project:{project}"] if project else []
        return [*own, *([""] if is_root else []), "all"]

    def _package(self, project: str) -> tuple[str, str]:
        """Return name and version; an organisation that is not given is the artifact's name."""
        scopes = self._scopes(project)
        values = [_value(self._given, scopes, key, self._properties) for key in _NAMES]
        group, module, name, version = values
        name = name or project or self._root.rpartition("/")[2]
        artifact = module or re.sub(r"\W+", "-", name.lower())
        group = group or (artifact if project else "")
        return f"{group}:{artifact}" if group and artifact else artifact, version


_Given = Mapping[str, Mapping[str, list[str]]]


def _value(given: _Given, scopes: list[str], key: str, properties: Mapping[str, str]) -> str:
    found = (value for scope in scopes for value in reversed(given[scope][key]))
    return replaced(next(found, ""), properties)


def _named(libraries: Mapping[str, list[str]], word: str) -> list[str]:
    """Return the libraries of a value, by its name with its object's or without."""
    return libraries.get(word) or libraries.get(word.rpartition(".")[2]) or []


def _dependencies(
    given: _Given,
    scopes: list[str],
    libraries: Mapping[str, list[str]],
    properties: Mapping[str, str],
) -> Iterator[Dependency]:
    for scope in scopes:
        named = (
            library for word in given[scope]["accessor"] for library in _named(libraries, word)
        )
        for written in (*given[scope]["dependency"], *named):
            group, artifact, *version = written.split(":", 2)
            name = f"{replaced(group, properties)}:{replaced(artifact, properties)}"
            if not name.startswith(":") and not name.endswith(":"):
                required = replaced(version[0], properties) if version else ""
                yield Dependency(without_scala(name), required)
