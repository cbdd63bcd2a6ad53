"""Lock files of uv, poetry, pdm, pipenv, and pylock.toml (PEP 751)."""

import re
from collections.abc import Iterator

from indexer.ecosystems.parsing import (
    Table,
    array,
    locked_packages,
    read_json,
    read_toml,
    string,
    table,
)
from indexer.records.manifests import Ecosystem, Manifest, Pin, PinUse, python_name

_HEAD = "\n[[package]]"
_LOCAL = re.compile(
    r"^source = \{ (?:editable|virtual|directory) = \"([^\"\n]*)\" \}", re.MULTILINE
)


def read_toml_lock(text: str, _path: str) -> Manifest:
    """Read poetry.lock or pdm.lock, which do not say who uses which version."""
    pins = (Pin(python_name(name), version) for name, version in locked_packages(text))
    return Manifest(Ecosystem.PYPI, pins=tuple(pins))


def read_uv_lock(text: str, _path: str) -> Manifest:
    """Read uv.lock; `uses` are those of the repository's own packages. Raises ValueError."""
    pins = [Pin(python_name(name), version) for name, version in locked_packages(text)]
    only = _only_versions(pins)
    uses = (
        PinUse("" if directory == "." else directory, name, "", version)
        for directory, block in _own_packages(text)
        for name, version in _uv_uses(read_toml(block), only)
    )
    return Manifest(Ecosystem.PYPI, pins=tuple(pins), uses=tuple(dict.fromkeys(uses)))


def _own_packages(text: str) -> Iterator[tuple[str, str]]:
    """Yield directory and block of each package that is no download."""
    for local in _LOCAL.finditer(text):
        begin = text.rfind(_HEAD, 0, local.start()) + len(_HEAD)
        end = text.find(_HEAD, local.end())
        yield local[1], text[begin:] if end < 0 else text[begin:end]


def _only_versions(pins: list[Pin]) -> dict[str, str]:
    """Return the versions of the packages that have one only."""
    versions: dict[str, set[str]] = {}
    for pin in pins:
        versions.setdefault(pin.name, set()).add(pin.version)
    return {name: min(found) for name, found in versions.items() if len(found) == 1}


def _uv_uses(package: Table, only: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield name and version of what a package uses; a version is written where there are more."""
    groups = [*_groups(package, "optional-dependencies"), *_groups(package, "dev-dependencies")]
    for listed in [array(package.get("dependencies")), *groups]:
        for dependency in listed:
            name = python_name(string(table(dependency).get("name")))
            version = string(table(dependency).get("version")) or only.get(name, "")
            if version:
                yield name, version


def _groups(package: Table, key: str) -> Iterator[list[object]]:
    written = table(package, key) or table(package, "package", key)
    return (array(listed) for listed in written.values())


def read_pylock(text: str, _path: str) -> Manifest:
    """Read pylock.toml. Raises ValueError and RecursionError."""
    packages = (table(package) for package in array(read_toml(text).get("packages")))
    pins = (
        Pin(python_name(string(package.get("name"))), string(package.get("version")))
        for package in packages
    )
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
