"""Requirements files and lock files of Python."""

import re
from collections.abc import Iterable

from indexer.ecosystems.parsing import locked_packages, read_json, string, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?P<required>[^;#]*)"
)
_EXACT = re.compile(r"\(?={2,3}\s*(?P<version>[^\s,*)]+)\s*\)?")
_OPTIONS = re.compile(r"\s--?[a-z].*")  # --hash and the like, after a requirement
_SEPARATORS = re.compile(r"[-_.]+")


def python_name(name: str) -> str:
    """Normalise a name by PEP 503: `Acme.Auth_X` → `acme-auth-x`."""
    return _SEPARATORS.sub("-", name).lower()


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
    """Return the lines that are requirements, parsed."""
    return [found for line in lines if (found := requirement(line))]


def exact_pins(dependencies: Iterable[Dependency]) -> tuple[Pin, ...]:
    """Return the pins of dependencies that require an exact version."""
    return tuple(
        Pin(one.name, found["version"])
        for one in dependencies
        if (found := _EXACT.fullmatch(one.required))
    )


def read_requirements(text: str, _path: str) -> Manifest:
    """Read requirements*.txt: a root without a name."""
    lines = text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines()
    found = requirements(_OPTIONS.sub("", line) for line in lines if len(line) < 10_000)
    return Manifest(Ecosystem.PYPI, dependencies=tuple(found), pins=exact_pins(found))


def read_toml_lock(text: str, _path: str) -> Manifest:
    """Read poetry.lock, uv.lock or pdm.lock."""
    pins = (Pin(python_name(name), version) for name, version in locked_packages(text))
    return Manifest(Ecosystem.PYPI, pins=tuple(pins))


def read_pipfile_lock(text: str, _path: str) -> Manifest:
    """Read Pipfile.lock. Raises ValueError and RecursionError."""
    document = read_json(text)
    pins = [
        Pin(python_name(name), string(table(entry).get("version")).removeprefix("=="))
        for section in ("default", "develop")
        for name, entry in table(document, section).items()
    ]
    return Manifest(Ecosystem.PYPI, pins=tuple(pins))
