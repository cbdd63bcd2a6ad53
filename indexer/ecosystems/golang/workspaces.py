"""Modules of a go.work, which share one list of versions."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.golang.go_mod import higher, pins_of, replaced_modules
from indexer.ecosystems.paths import joined, parent
from indexer.records.manifests import MANIFEST_STEPS, Manifest, Pin

_STEPS: Final = 8  # of a dependency, whose versions are compared


def with_workspaces(manifests: Sequence[Located]) -> list[Located]:
    """Return the manifests, the pins of members as their workspace decides them.

    That is the highest that a member requires. Replacements of the go.work go before those of its
    members; a member's own module has no version.
    """
    found = dict(manifests)
    effort = Effort(MANIFEST_STEPS)
    for path, work in manifests:
        if path.rpartition("/")[2] == "go.work":
            members = _members(parent(path), work, found)
            if not effort.spend(
                _STEPS * sum(len(manifest.dependencies) for manifest in members.values())
            ):
                break
            pins = {pin.name: pin for pin in _pins(work, members.values())}
            for member, mod in members.items():
                kept = (pins.get(dependency.name) for dependency in mod.dependencies)
                found[member] = replace(mod, pins=tuple(filter(None, kept)))
    return list(found.items())


def _members(directory: str, work: Manifest, found: dict[str, Manifest]) -> dict[str, Manifest]:
    places = (joined(directory, member) for member in work.members)
    paths = (f"{place}/go.mod".lstrip("/") for place in places if place is not None)
    return {path: found[path] for path in paths if path in found}


def _pins(work: Manifest, members: Iterable[Manifest]) -> tuple[Pin, ...]:
    members = list(members)
    required: dict[str, str] = {}
    for dependency in (need for mod in members for need in mod.dependencies):
        required[dependency.name] = higher(required.get(dependency.name, ""), dependency.required)
    for mod in members:
        required.pop(mod.name, None)
    decided = replaced_modules(work.settings)
    of_members = [
        (key, value)
        for mod in members
        for key, value in mod.settings
        if not (key == "replace" and value.partition(" ")[0] in decided)
    ]
    return pins_of(required, [*work.settings, *of_members])
