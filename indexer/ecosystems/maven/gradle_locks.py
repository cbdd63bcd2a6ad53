"""Gradle's lock files, and which version in them a project's code is compiled with.

Reference: https://docs.gradle.org/current/userguide/dependency_locking.html
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

from indexer.ecosystems.maven.gradle_versions import allows
from indexer.ecosystems.maven.versions import is_exact
from indexer.records.manifests import ANY_USER, Dependency, Ecosystem, Manifest, Pin, PinUse

_LOCKED: Final = re.compile(r"([\w.-]+:[\w.-]+):([^=\s]+)=(\S*)")
# Configurations that code is compiled with: its own, with Android one for each variant, or else
# that of its tests.
_COMPILED: Final = (
    re.compile(r"compile|compileClasspath|(?!\w*[tT]est)\w+CompileClasspath"),
    re.compile(r"testCompile|\w*[cC]ompileClasspath"),
)
_IS_COMPLETE: Final = ("locks", "compilation")


def read_gradle_lockfile(text: str, _path: str) -> Manifest:
    """Read lines of `group:artifact:version=configurations`; the last is `empty=configurations`."""
    found = [match for line in text.splitlines() if (match := _LOCKED.match(line))]
    used: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
    for match in found:
        used[match[1]].append((match[2], match[3].split(",")))
    locked = (name for line in text.splitlines() for name in line.partition("=")[2].split(","))
    return Manifest(
        Ecosystem.MAVEN,
        pins=tuple(Pin(match[1], match[2]) for match in found),
        uses=tuple(
            PinUse(ANY_USER, name, "", version)
            for name, several in used.items()
            for version in _compiled_with(several)
        ),
        settings=(_IS_COMPLETE,) if any(map(_COMPILED[0].fullmatch, locked)) else (),
    )


def _compiled_with(several: Collection[tuple[str, list[str]]]) -> list[str]:
    for kind in _COMPILED:
        used = [version for version, where in several if any(map(kind.fullmatch, where))]
        if used:
            return used
    return []


def with_ranges(lock: Manifest, needs: Iterable[Dependency]) -> Manifest:
    """Add which versions the ranges of a project allow, where configurations do not decide."""
    decided = {use.name for use in lock.uses}
    versions: dict[str, list[str]] = defaultdict(list)
    for pin in lock.pins:
        versions[pin.name].append(pin.version)
    allowed = (
        PinUse(ANY_USER, need.name, need.required, version)
        for need in needs
        if need.name not in decided and len(versions[need.name]) > 1 and not is_exact(need.required)
        for version in _allowed(need.required, versions[need.name])
    )
    return replace(lock, uses=(*lock.uses, *allowed), settings=())


def _allowed(required: str, versions: Iterable[str]) -> Iterator[str]:
    try:
        yield from [version for version in versions if allows(required, version)]
    except ValueError:
        return


def of_scripts(lock: Manifest, own: Manifest | None) -> Manifest:
    """Return what build scripts alone have: nothing is known unless `own` locks the code's."""
    if own is None or _IS_COMPLETE not in own.settings:
        return Manifest(Ecosystem.MAVEN)
    known = {pin.name for pin in own.pins}
    return Manifest(
        Ecosystem.MAVEN, pins=tuple(locked for locked in lock.pins if locked.name not in known)
    )
