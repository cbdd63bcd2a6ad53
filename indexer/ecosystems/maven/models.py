"""Effective models of the POMs of a repository: what their parents and BOMs there add.

https://maven.apache.org/ref/current/maven-model-builder/. What other repositories declare is
unknown, and so is each version that depends on it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.maven.versions import is_exact, properties_of, replaced
from indexer.ecosystems.paths import ancestors, joined, parent
from indexer.records.manifests import MANIFEST_STEPS, Dependency, Manifest, Pin

_MAX_PARENTS: Final = 32  # and BOMs that import one another
_REPLACED_STEPS: Final = 20


def completed_poms(located: Iterable[Located], configurations: Iterable[Located]) -> list[Located]:
    """Return the POMs with their effective names, versions, dependencies and pins of these."""
    poms = _Poms(located, configurations)
    return [(path, poms.models[path].completed()) for path in poms.models]


@dataclass(eq=False)
class _Model:
    """A POM with those that it inherits from, nearest first."""

    poms: "_Poms"
    path: str
    manifest: Manifest
    given: Mapping[str, str] = field(default_factory=dict)  # on the command line
    _resolved: dict[str, str] = field(default_factory=dict)

    @cached_property
    def parent(self) -> "_Model | None":
        return self.poms.parent_of(self)

    @cached_property
    def lineage(self) -> list["_Model"]:
        found = [self]
        while len(found) < _MAX_PARENTS:
            above = found[-1].parent
            if above is None or above in found:
                break
            found.append(above)
        return found

    @property
    def is_whole(self) -> bool:
        """Whether all that it inherits from is in the repository."""
        return not _setting(self.lineage[-1].manifest, "parent")

    @cached_property
    def properties(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for model in reversed(self.lineage):
            found |= properties_of(model.manifest)
        group, _, artifact = self.manifest.name.rpartition(":")
        own = {"groupId": group, "artifactId": artifact, "version": self.manifest.version}
        for tag, value in own.items():
            found |= {f"project.{tag}": value, f"pom.{tag}": value}
            found.setdefault(tag, value)
        above = _setting(self.manifest, "parent").split(":")
        if len(above) == len(own):
            found |= {f"project.parent.{tag}": text for tag, text in zip(own, above, strict=True)}
        return found | dict(self.given)

    def resolved(self, text: str) -> str:
        """Replace properties; "" if one is unknown, or too much would have to be replaced."""
        if "${" not in text:
            return text
        if text not in self._resolved:
            is_left = self.poms.effort.spend(_REPLACED_STEPS)
            self._resolved[text] = replaced(text, self.properties) if is_left else ""
        return self._resolved[text]

    @cached_property
    def coordinates(self) -> tuple[str, str]:
        return self.resolved(self.manifest.name), self.resolved(self.manifest.version)

    @cached_property
    def managed(self) -> dict[str, str]:
        """Versions of managed dependencies by name, "" if unknown; what is nearer precedes."""
        found: dict[str, str] = {}
        for model in self.lineage:
            if not self.poms.effort.spend(len(model.manifest.pins)):
                break
            for pin in model.manifest.pins:
                found.setdefault(self.resolved(pin.name), self.resolved(pin.version))
        for bom in self._settled():
            if not self.poms.effort.spend(len(bom.managed)):
                break
            for name, version in bom.managed.items():
                found.setdefault(name, version)
        return found

    def _settled(self) -> Iterator["_Model"]:
        """Yield the BOMs before which nothing of another repository is asked."""
        if not self.is_whole or self in self.poms.importing:
            return
        if len(self.poms.importing) == _MAX_PARENTS:
            return
        self.poms.importing.append(self)
        for bom in self.imported:
            if bom is None:
                break
            yield bom
            if not bom.is_settled:
                break
        self.poms.importing.pop()

    @cached_property
    def is_settled(self) -> bool:
        """Whether all that it manages is in the repository, as far as it says itself."""
        return self.is_whole and None not in self.imported

    @cached_property
    def imported(self) -> list["_Model | None"]:
        wanted = (
            self.resolved(value)
            for model in self.lineage
            for key, value in model.manifest.settings
            if key == "import"
        )
        return [
            self.poms.by_coordinates(*coordinates.rpartition(":")[::2]) for coordinates in wanted
        ]

    def _dependencies(self) -> Iterator[tuple[Dependency, str]]:
        """Yield the dependencies with the version in use, or ""."""
        managed = self.managed
        names: set[str] = set()
        for model in self.lineage:
            for wanted in model.manifest.dependencies:
                name, required = self.resolved(wanted.name), self.resolved(wanted.required)
                if name and name not in names:
                    names.add(name)
                    version = required if wanted.required else managed.get(name, "")
                    yield Dependency(name, required), version if is_exact(version) else ""

    def completed(self) -> Manifest:
        found = list(self._dependencies())
        name, version = self.coordinates
        return replace(
            self.manifest,
            name=name,
            version=version,
            dependencies=tuple(dependency for dependency, _ in found),
            pins=tuple(Pin(dependency.name, version) for dependency, version in found if version),
            settings=(),
        )


class _Poms:
    """The POMs of a repository by path."""

    def __init__(self, located: Iterable[Located], configurations: Iterable[Located]) -> None:
        given = {parent(parent(path)): properties_of(manifest) for path, manifest in configurations}
        self.effort = Effort(MANIFEST_STEPS)
        self.models = {
            path: _Model(self, path, manifest, _nearest(given, path)) for path, manifest in located
        }
        self.importing: list[_Model] = []  # of which BOMs are being read
        self._named: dict[str, list[_Model]] = defaultdict(list)
        for model in self.models.values():
            self._named[model.manifest.name].append(model)

    def parent_of(self, model: _Model) -> _Model | None:
        """Return the parent by its path if that is the one meant, else by its coordinates."""
        wanted = _setting(model.manifest, "parent")
        relative = _setting(model.manifest, "relativePath")
        name, _, version = wanted.rpartition(":")
        path = joined(parent(model.path), relative) if relative else None
        for candidate in (path, f"{path}/pom.xml".lstrip("/")) if path is not None else ():
            found = self.models.get(candidate or "")
            if found and found is not model:
                is_meant = (found.manifest.name, found.manifest.version) == (name, version)
                return found if is_meant else None
        same = [model for model in self._named[name] if model.manifest.version == version]
        return same[0] if len(same) == 1 and same[0] is not model else None

    @cached_property
    def _by_coordinates(self) -> dict[tuple[str, str], list[_Model]]:
        found = defaultdict(list)
        for model in self.models.values():
            found[model.coordinates].append(model)
        return found

    def by_coordinates(self, name: str, version: str) -> _Model | None:
        same = self._by_coordinates.get((name, version), [])
        return same[0] if len(same) == 1 else None


def _nearest(given: Mapping[str, Mapping[str, str]], path: str) -> Mapping[str, str]:
    found = (given[above] for above in ancestors(parent(path)) if above in given)
    return next(found, {})


def _setting(manifest: Manifest, wanted: str) -> str:
    return next((value for key, value in manifest.settings if key == wanted), "")
