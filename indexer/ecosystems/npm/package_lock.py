"""package-lock.json and npm-shrinkwrap.json, versions 1 to 3.

Reference: https://docs.npmjs.com/cli/configuring-npm/package-lock-json
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from indexer.ecosystems.npm.package_json import SECTIONS
from indexer.ecosystems.npm.specifiers import Requested, uses_of, wanted
from indexer.ecosystems.parsing import Table, read_json, string, table
from indexer.ecosystems.paths import ancestors
from indexer.records.files import NAME_CHARACTERS
from indexer.records.manifests import (
    MANIFEST_DEPENDENCIES,
    MANIFEST_PINS,
    Ecosystem,
    Manifest,
    Pin,
    PinUse,
)

_MODULES: Final = "node_modules/"
_MAX_PLACES: Final = 16  # directories above a package that have `node_modules`


def read_package_lock(text: str, _path: str) -> Manifest:
    """Read the lock file. Raises ValueError and RecursionError."""
    document = read_json(text)
    packages = table(document, "packages")
    pins = [*_installed(packages), *_nested(document)]
    uses = _used(packages) if packages else _used_from_the_top(document)
    return Manifest(Ecosystem.NPM, pins=tuple(pins), uses=tuple(islice(uses, MANIFEST_PINS)))


def _installed(packages: Table) -> Iterator[Pin]:
    for path in sorted(packages, key=lambda path: path.count(_MODULES)):
        entry = table(packages[path])
        if _MODULES in path and not entry.get("link"):
            yield Pin(_name(path, entry), string(entry.get("version")))


def _name(path: str, entry: Table) -> str:
    return string(entry.get("name")) or path.rpartition(_MODULES)[2]


def _used(packages: Table) -> Iterator[PinUse]:
    """Yield what each package of the repository finds in `node_modules`, from its directory up."""
    with_modules = {path.partition(_MODULES)[0].rstrip("/") for path in packages}
    for user, entry in packages.items():
        if _MODULES in f"{user}/" or len(user) > NAME_CHARACTERS:
            continue
        above = (directory for directory in ancestors(user) if directory in with_modules)
        places = list(islice(above, _MAX_PLACES))
        wanted_here = (use for section in SECTIONS for use in table(entry, section).items())
        found = (
            use
            for local, value in islice(wanted_here, MANIFEST_DEPENDENCIES)
            for use in _found(packages, places, local, string(value))
        )
        yield from uses_of(user, found)


def _found(
    packages: Table, places: Sequence[str], local: str, value: str
) -> Iterator[tuple[Requested, str]]:
    for directory in places:
        path = f"{directory}/{_MODULES}{local}".lstrip("/")
        if path in packages:
            found = table(packages[path])
            if found.get("link"):
                found = table(packages.get(string(found.get("resolved"))))
            if string(found.get("version")):
                yield wanted(local, value), string(found.get("version"))
            return


def _used_from_the_top(document: Table) -> Iterator[PinUse]:
    """Yield what version 1 has for the package beside it, whose dependencies it does not name."""
    found = (
        (Requested(pin.name, "" if pin.name == name else pin.version), pin.version)
        for name, entry in table(document, "dependencies").items()
        for pin in _nested_pin(name, string(table(entry).get("version")))
    )
    yield from uses_of("", found)


def _nested(document: Table) -> Iterator[Pin]:
    """Yield the pins of nested `dependencies`, the outer ones first."""
    level = [table(document, "dependencies")]
    while level:
        for entries in level:
            for name, entry in entries.items():
                yield from _nested_pin(name, string(table(entry).get("version")))
        level = [
            inner
            for entries in level
            for entry in entries.values()
            if (inner := table(entry, "dependencies"))
        ]


def _nested_pin(name: str, version: str) -> Iterator[Pin]:
    if version.startswith("npm:"):
        name, _, version = version[4:].rpartition("@")
    if version[:1].isdigit():
        yield Pin(name, version)
