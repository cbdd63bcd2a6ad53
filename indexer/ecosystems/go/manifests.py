"""go.mod and go.work. What a go.mod requires is what is in use, if nothing replaces it.

A replacement is a setting ("replace", "OLD => NEW") as written, without quotes: those of a go.work
apply to its members, and the other way round.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.paths import joined, parent
from indexer.records.manifests import MANIFEST_STEPS, Dependency, Ecosystem, Manifest, Pin

_BLOCK = re.compile(r"(\w+)\s*\(")
_Replacement = tuple[str, str, str, str]  # module, version or "", target, its version or ""
_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_VERSION: Final = re.compile(
    rf"v(?P<major>{_NUMBER})(?:\.(?P<minor>{_NUMBER})(?:\.(?P<patch>{_NUMBER})"
    r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
    r")?)?"
)


def read_go_mod(text: str, _path: str) -> Manifest:
    """Read go.mod. A module required twice has the higher version."""
    name = ""
    required: dict[str, str] = {}
    settings: list[tuple[str, str]] = []
    for verb, words in _directives(text):
        if verb == "module":
            name = words[0]
        elif verb == "require" and len(words) > 1:
            required[words[0]] = higher(required.get(words[0], ""), words[1])
        elif verb in {"replace", "exclude"}:
            settings.append((verb, " ".join(words)))
    dependencies = tuple(Dependency(*item) for item in required.items())
    return Manifest(
        Ecosystem.GO,
        name=name,
        dependencies=dependencies,
        pins=pins_of(required, settings),
        settings=tuple(settings),
    )


def read_go_work(text: str, _path: str) -> Manifest:
    """Read go.work. `members` are the directories of its modules."""
    found = list(_directives(text))
    return Manifest(
        Ecosystem.GO,
        members=tuple(words[0] for verb, words in found if verb == "use"),
        settings=tuple((verb, " ".join(words)) for verb, words in found if verb == "replace"),
    )


def pins_of(required: dict[str, str], settings: list[tuple[str, str]]) -> tuple[Pin, ...]:
    """Return the versions in use; none of what a directory replaces or what is excluded.

    A replacement of one version goes before one of all.
    """
    replaced = {
        (module, version): new for module, version, _, new in map(_replacement, _of(settings))
    }
    excluded = {value for key, value in settings if key == "exclude"}
    pins = []
    for name, version in required.items():
        used = replaced.get((name, version), replaced.get((name, ""), version))
        if used and f"{name} {version}" not in excluded:
            pins.append(Pin(name, used))
    return tuple(pins)


def replaced_modules(settings: tuple[tuple[str, str], ...]) -> set[str]:
    """Return the modules of which some version is replaced."""
    return {_replacement(value)[0] for value in _of(settings)}


def higher(left: str, other: str) -> str:
    """Return the higher of two versions; what is none is the lowest."""
    return max(left, other, key=_rank)


def _rank(version: str) -> tuple[bool, object]:
    try:
        return True, parse_version(version)
    except ValueError:
        return False, version


def _of(settings: tuple[tuple[str, str], ...] | list[tuple[str, str]]) -> Iterator[str]:
    return (value for key, value in settings if key == "replace" and "=>" in value)


def _replacement(written: str) -> _Replacement:
    old, _, new = written.partition("=>")
    module, _, version = old.strip().partition(" ")
    target, _, used = new.strip().partition(" ")
    return module, version.strip(), target, used.strip()


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    block = ""
    for line in text.split("\n"):
        code = line.partition("//")[0].strip()
        opened = _BLOCK.fullmatch(code)
        if opened:
            block = opened[1]
        elif code == ")":
            block = ""
        elif code:
            words = [word.strip('"`') for word in code.split()]
            verb = block or words.pop(0)
            if words:
                yield verb, words


def parse_version(version: str) -> Any:
    """Return the version as a value with its order; without minor and patch they are 0.

    What follows a "+" does not count. Raises ValueError.
    """
    found = _VERSION.fullmatch(version)
    parts = found["pre"].split(".") if found and found["pre"] else []
    if not found or any(part.isdigit() and part[0] == "0" and part != "0" for part in parts):
        raise ValueError(f"{version!r} is no version of Go")
    numbers = tuple(int(found[part] or 0) for part in ("major", "minor", "patch"))
    return *numbers, not parts, tuple(_identifier(part) for part in parts)


def allows(required: str, version: str) -> bool:
    """Whether a version satisfies a requirement, which is the lowest. Raises ValueError."""
    return bool(parse_version(version) >= parse_version(required))


def _identifier(written: str) -> tuple[bool, int, str]:
    return (False, int(written), "") if written.isdigit() else (True, 0, written)


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
