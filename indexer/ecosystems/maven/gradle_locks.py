"""Gradle's lock files, and which version in them a project's code is compiled with.

https://docs.gradle.org/current/userguide/dependency_locking.html. Gradle's order of versions is not
Maven's: https://docs.gradle.org/current/userguide/dependency_versions.html#sec:version-ordering
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cmp_to_key
from typing import Any, Final

from indexer.ecosystems.maven.versions import is_exact
from indexer.records.manifests import ANY_USER, Dependency, Ecosystem, Manifest, Pin, PinUse

_MAX_CHARACTERS: Final = 400
_WORDS: Final = {"dev": -1, "rc": 1, "snapshot": 2, "final": 3, "ga": 4, "release": 5, "sp": 6}
_PART: Final = re.compile(r"[0-9]+|[^0-9._+-]+|(?<=[._+-])(?=[._+-])")
_RANGE: Final = re.compile(r"([\[\](])\s*([^,\s]*)\s*(,?)\s*([^,\s]*)\s*([\[\])])")


def parse_version(version: str) -> Any:
    """Return the version as a value with Gradle's order. Raises ValueError."""
    if not version or len(version) > _MAX_CHARACTERS:
        raise ValueError("not a version")
    return cmp_to_key(_compared)(_PART.findall(version))


def allows(required: str, version: str) -> bool:
    """Whether Gradle's selector accepts a version.

    One that only recommends, `1.0`, may be replaced by a newer one all the same. `[1,2)` accepts
    nothing that begins with `2`. Raises ValueError, also for `latest.release`, which depends on a
    repository of artifacts.
    """
    required = required.strip().partition("!!")[0]
    if required.startswith("latest."):
        raise ValueError("only a repository of artifacts tells which version this is")
    if required.endswith("+"):
        return version.startswith(required[:-1])
    found = _RANGE.fullmatch(required)
    if not found:
        return required == version
    opening, low, comma, high, closing = found.groups()
    if not comma:
        return version == low
    return _is_above(version, low, opening) and _is_below(version, high, closing)


def _is_above(version: str, low: str, opening: str) -> bool:
    if not low:
        return True
    asked, other = parse_version(version), parse_version(low)
    return bool(asked > other or (opening == "[" and asked == other))


def _is_below(version: str, high: str, closing: str) -> bool:
    if not high:
        return True
    asked, other = parse_version(version), parse_version(high)
    if closing == "]":
        return bool(asked <= other)
    return bool(asked < other) and not version.startswith(high)


def _compared(left: list[str], other: list[str]) -> int:
    for part, second in zip(left, other, strict=False):
        if part != second and (found := _compared_parts(part, second)) is not None:
            return found
    longer = left[len(other) :] or other[len(left) :]
    if not longer:
        return 0
    sign = 1 if len(left) > len(other) else -1
    return sign if longer[0].isdigit() else -sign


def _compared_parts(left: str, other: str) -> int | None:
    """Compare different parts; None if these are one number."""
    if left.isdigit() or other.isdigit():
        if not (left.isdigit() and other.isdigit()):
            return 1 if left.isdigit() else -1
        return (int(left) > int(other)) - (int(left) < int(other)) or None
    ranks = _WORDS.get(left.lower()), _WORDS.get(other.lower())
    if ranks != (None, None):
        return (ranks[0] or 0) - (ranks[1] or 0)
    return 1 if left > other else -1


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
