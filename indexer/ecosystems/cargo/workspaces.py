"""What members of a Cargo workspace inherit from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.cargo.manifests import exact_pins, merged, renamed, renamed_ranges
from indexer.ecosystems.local_ranges import local_ranges
from indexer.ecosystems.paths import ancestors, joined, parent
from indexer.records.manifests import Dependency, Manifest

_DEPENDENCY: Final = "dependency "
_GIVES: Final = "member "


def with_workspaces(manifests: Sequence[Located]) -> list[Located]:
    """Return the manifests, members with the versions and dependencies that they inherit."""
    roots = {
        parent(path): {key.removeprefix(_GIVES): value for key, value in manifest.settings}
        for path, manifest in manifests
        if manifest.members or any(key.startswith(_GIVES) for key, _ in manifest.settings)
    }
    inheriting = [
        (path, _inheriting(parent(path), manifest, roots)) for path, manifest in manifests
    ]
    return [*_locks(manifests), *inheriting]


def _locks(manifests: Sequence[Located]) -> Iterator[Located]:
    """Yield the lock file of a workspace that is no directory above, for a member that names it."""
    known = dict(manifests)
    for path, manifest in manifests:
        directory = parent(path)
        for value in (value for key, value in manifest.settings if key == "workspace"):
            place = joined(directory, value)
            lock = None if place is None else known.get(f"{place}/Cargo.lock".lstrip("/"))
            if lock and place not in tuple(ancestors(directory)):
                yield f"{directory}/Cargo.lock".lstrip("/"), lock


def _inheriting(
    directory: str, manifest: Manifest, roots: Mapping[str, Mapping[str, str]]
) -> Manifest:
    inherited = [value for key, value in manifest.settings if key == "inherits"]
    if not inherited:
        return manifest
    given = _workspace_of(directory, manifest, roots)
    keys = [key.removeprefix(_DEPENDENCY) for key in inherited if key.startswith(_DEPENDENCY)]
    found = list(_dependencies(keys, given))
    placeholders = {key.replace("_", "-") for key, _ in found}
    own = [
        needed
        for needed in manifest.dependencies
        if needed.name not in placeholders or needed.required
    ]
    dependencies = tuple(merged([*own, *(dependency for _, dependency in found)]))
    named = [pair for dependency in own for pair in _named(dependency, manifest)]
    return replace(
        manifest,
        version=given.get("version", "") if "version" in inherited else manifest.version,
        dependencies=dependencies,
        pins=exact_pins(dependencies),
        renamed=(
            *manifest.renamed,
            *(pair for key, needed in found for pair in renamed(key, {"package": needed.name})),
        ),
        settings=(*manifest.settings, *renamed_ranges([*named, *found])),
    )


def _named(dependency: Dependency, manifest: Manifest) -> Iterator[tuple[str, Dependency]]:
    """Yield the names in code of a member's own dependency, each with its range."""
    ranges = local_ranges([manifest])
    names = [local for local, name in manifest.renamed if name == dependency.name]
    for local in [*names, *({dependency.name} & ranges.keys() if names else [dependency.name])]:
        yield local, Dependency(dependency.name, ranges.get(local, dependency.required))


def _workspace_of(
    directory: str, manifest: Manifest, roots: Mapping[str, Mapping[str, str]]
) -> Mapping[str, str]:
    pointed = next((value for key, value in manifest.settings if key == "workspace"), None)
    places = ancestors(directory) if pointed is None else [joined(directory, pointed)]
    return next((roots[place] for place in places if place is not None and place in roots), {})


def _dependencies(
    keys: Sequence[str], given: Mapping[str, str]
) -> Iterator[tuple[str, Dependency]]:
    for key in dict.fromkeys(keys):
        name, _, required = given.get(_DEPENDENCY + key, "").partition(" ")
        if name:
            yield key, Dependency(name, required)
