"""Requirements as PEP 508 writes them, requirements files, and names as PEP 503 compares them."""

import re
from collections.abc import Iterable

from indexer.relations import Dependency, Ecosystem, Manifest, Pin

_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?P<required>[^;#]*)"
)
_EXACT = re.compile(r"\(?={2,3}\s*(?P<version>[^\s,*)]+)\s*\)?")
_OPTIONS = re.compile(r"\s--?[a-z].*")  # --hash and the like, after a requirement
_SEPARATORS = re.compile(r"[-_.]+")


def python_name(name: str) -> str:
    """As PEP 503 compares names: `Acme.Auth_X` → `acme-auth-x`."""
    return _SEPARATORS.sub("-", name).lower()


def requirement(text: str) -> Dependency | None:
    """What one requirement asks for; None for options, paths and addresses without a name."""
    found = _REQUIREMENT.match(text)
    if not found:
        return None
    required = found["required"].strip()
    if required and required[0] not in "=<>!~@(":
        return None
    return Dependency(python_name(found["name"]), required.removeprefix("@").strip())


def requirements(lines: Iterable[str]) -> list[Dependency]:
    """Those of the lines that are requirements."""
    return [found for line in lines if (found := requirement(line))]


def exact_pins(dependencies: Iterable[Dependency]) -> tuple[Pin, ...]:
    """The versions of those that ask for exactly one."""
    return tuple(
        Pin(one.name, found["version"])
        for one in dependencies
        if (found := _EXACT.fullmatch(one.required))
    )


def read_requirements(text: str) -> Manifest:
    """requirements*.txt: a root without a name."""
    lines = text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines()
    found = requirements(_OPTIONS.sub("", line) for line in lines if len(line) < 10_000)
    return Manifest(Ecosystem.PYPI, dependencies=tuple(found), pins=exact_pins(found))
