"""Requirements as PEP 508 writes them, and files of requirements and constraints."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.bounds import Effort
from indexer.ecosystems.parsing import Table, string, table
from indexer.ecosystems.paths import joined, parent
from indexer.records.manifests import (
    MANIFEST_STEPS,
    Dependency,
    Ecosystem,
    Manifest,
    Pin,
    python_name,
)

_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*"
    r"(?P<required>@\s*[^\s;]+|[^;]*)"
)
_EXACT = re.compile(r"\(?\s*={2,3}\s*(?P<version>[^\s,*)]+)\s*\)?")
_OPTIONS = re.compile(r"\s--?[a-z].*")  # --hash and the like, after a requirement
_COMMENT = re.compile(r"(?:^|\s)#.*")
_CHAIN = re.compile(r"(-r|--requirement|-c|--constraint)(?:\s*=\s*|\s*)(\S+)")
_EDITABLE = re.compile(r"(?:-e|--editable)(?:\s*=\s*|\s+)")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_WHEEL = re.compile(
    r"(?:.*/)?(?P<name>[A-Za-z0-9][\w.]*)-(?P<version>[^-/]+)(?:-[^-/]+){3,4}\.whl(?:#.*)?"
)
_MAX_LINE: Final = 10_000
ALTERNATIVE: Final = " || "  # between ranges of one dependency that markers choose from


def requirement(text: str) -> Dependency | None:
    """Parse one requirement; None for options, and for paths and URLs without a name."""
    found = _REQUIREMENT.match(text)
    if not found:
        return None
    required = found["required"].strip()
    if required and required[0] not in "=<>!~@(":
        return None
    return Dependency(python_name(found["name"]), required.removeprefix("@").strip())


def requirements(lines: Iterable[str]) -> list[Dependency]:
    """Return the lines that are requirements, parsed; alternatives of one list are one."""
    found: dict[str, dict[str, None]] = {}
    for line in lines:
        if len(line) < _MAX_LINE and (dependency := requirement(line)):
            found.setdefault(dependency.name, {})[dependency.required] = None
    return [
        Dependency(name, ALTERNATIVE.join(filter(None, ranges))) for name, ranges in found.items()
    ]


def pins_of(dependencies: Iterable[Dependency]) -> tuple[Pin, ...]:
    """Return the pins of dependencies that require an exact version, or one of several."""
    return tuple(
        Pin(dependency.name, found["version"])
        for dependency in dependencies
        for part in dependency.required.split(ALTERNATIVE)
        if (found := _EXACT.fullmatch(part) or _WHEEL.fullmatch(part))
    )


def read_requirements(text: str, _path: str) -> Manifest:
    """Read requirements*.txt: a root without a name. `settings` are the files that it reads."""
    lines = list(_lines(text))
    found = tuple(requirements(filter(None, map(_named, lines))))
    return Manifest(
        Ecosystem.PYPI,
        dependencies=found,
        pins=pins_of(found),
        settings=tuple(_chains(lines)),
    )


def read_constraints(text: str, _path: str) -> Manifest:
    """Read constraints*.txt, which require nothing."""
    return Manifest(Ecosystem.PYPI, pins=read_requirements(text, _path).pins)


def _lines(text: str) -> Iterator[str]:
    """Yield lines as pip does: continued ones joined, without comments."""
    joined = text.replace("\r\n", "\n").replace("\\\n", " ")
    lines = (_COMMENT.sub("", line).strip() for line in joined.split("\n") if len(line) < _MAX_LINE)
    return filter(None, lines)


def _chains(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        found = _CHAIN.fullmatch(line)
        if found and "://" not in found[2]:
            yield "constraints" if "c" in found[1][:3] else "requirements", found[2]


def _named(line: str) -> str:
    """Return the requirement of a line; "" for options, and for what has no name."""
    editable = _EDITABLE.match(line)
    line = line[editable.end() :].strip("'\"") if editable else line
    if line.startswith("-"):
        return ""
    egg, wheel = _EGG.search(line), _WHEEL.match(line)
    if egg and not requirement(line):
        return f"{egg[1]} @ {line}"
    if wheel and " @ " not in line:
        return f"{wheel['name']} @ {line}"
    return _OPTIONS.sub("", line)


def with_sources(dependencies: Iterable[Dependency], sources: Table) -> tuple[Dependency, ...]:
    """Return them with the addresses of `tool.uv.sources` as PEP 508 writes them.

    Those that also require a version keep it.
    """
    addresses = {python_name(name): _address(table(source)) for name, source in sources.items()}
    return tuple(
        needed if needed.required else Dependency(needed.name, addresses.get(needed.name, ""))
        for needed in dependencies
    )


def _address(source: Table) -> str:
    repository = string(source.get("git"))
    if not repository:
        return string(source.get("url"))
    named = (string(source.get(key)) for key in ("tag", "rev", "branch"))
    version = next(filter(None, named), "")
    return f"git+{repository}@{version}" if version else f"git+{repository}"


_READ_STEPS: Final = 3
_MAX_FILES: Final = 50  # that one file reads, also through others


def with_chains(located: Sequence[Located]) -> Iterable[Located]:
    """Yield the manifests with the requirements and pins of the files that they read."""
    by_path = dict(located)
    effort = Effort(MANIFEST_STEPS)
    for path, manifest in located:
        read = list(_read(path, by_path))
        if not read:
            yield path, manifest
            continue
        dependencies: list[Dependency] = [*manifest.dependencies]
        pins: list[Pin] = [*manifest.pins]
        for other, is_required in read:
            if not effort.spend(_READ_STEPS * (len(other.dependencies) + len(other.pins))):
                break
            dependencies += other.dependencies if is_required else ()
            pins += other.pins
        yield path, replace(manifest, dependencies=tuple(dependencies), pins=tuple(pins))


def _read(path: str, by_path: Mapping[str, Manifest]) -> Iterator[tuple[Manifest, bool]]:
    """Yield the files that a file reads, and whether they are required, not constraints alone."""
    waiting = [(path, True)]
    seen = {path}
    while waiting and len(seen) <= _MAX_FILES:
        current, is_required = waiting.pop()
        for key, value in by_path[current].settings:
            other = joined(parent(current), value)
            is_read = key in {"requirements", "constraints"}
            if not is_read or other is None or other in seen or other not in by_path:
                continue
            seen.add(other)
            follows = is_required and key == "requirements"
            yield by_path[other], follows
            waiting.append((other, follows))
