"""Lock files of npm, Yarn and pnpm."""

import re
from collections.abc import Iterator

from indexer.ecosystems.parsing import Table, read_json, string, table
from indexer.records.manifests import Ecosystem, Manifest, Pin

_MODULES = "node_modules/"
_YARN_NAME = re.compile(r'"?(?P<name>@?[^@"\s,]+)@(?:npm:)?(?P<real>@?[\w./-]+(?=@))?')
_YARN_VERSION = re.compile(r'  version:? "?(?P<version>[^"\s]+)"?')
# Keys of `packages`: /name/1.0.0 (v5), /name@1.0.0 (v6), name@1.0.0(peer@2.0.0) (v9).
_PNPM_KEY = re.compile(r"  '?/?(?P<name>@?[^@/:\s']+(?:/[^@/:\s']+)?)[@/](?P<version>\d[^:(_'\s]*)")
_PNPM_DIRECT = re.compile(r" +'?(?P<name>[^':\s]+)'?:(?: '?(?P<version>\d[^'(_\s]*))?")


def read_package_lock(text: str, _path: str) -> Manifest:
    """Read versions 1 to 3 and npm-shrinkwrap.json. Raises ValueError and RecursionError."""
    document = read_json(text)
    pins = [*_installed(table(document, "packages")), *_nested(document)]
    return Manifest(Ecosystem.NPM, pins=tuple(pins))


def _installed(packages: Table) -> Iterator[Pin]:
    for path in sorted(packages, key=lambda path: path.count(_MODULES)):
        entry = table(packages[path])
        name = string(entry.get("name")) or path.rpartition(_MODULES)[2]
        if _MODULES in path and not entry.get("link"):
            yield Pin(name, string(entry.get("version")))


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


def read_yarn_lock(text: str, _path: str) -> Manifest:
    """Read version 1 and berry, without packages that a workspace links."""
    return Manifest(Ecosystem.NPM, pins=tuple(_yarn_pins(text)))


def _yarn_pins(text: str) -> Iterator[Pin]:
    name = ""
    for line in text.splitlines():
        if line[:1] not in {" ", "#", ""}:
            found = _YARN_NAME.match(line) if "@workspace:" not in line else None
            name = (found["real"] or found["name"]) if found else ""
        elif name:
            version = _YARN_VERSION.match(line)
            if version:
                yield Pin(name, version["version"])
                name = ""


def read_pnpm_lock(text: str, _path: str) -> Manifest:
    """Read line by line: first the importers' direct dependencies, then all packages."""
    sections: dict[str, list[Pin]] = {"importers": [], "packages": []}
    section = name = ""
    for line in text.splitlines():
        if line[:1] not in {" ", ""}:
            section = line.partition(":")[0]
            section = "importers" if section.endswith("ependencies") else section
        elif section == "packages" and (found := _PNPM_KEY.match(line)):
            sections[section].append(Pin(found["name"], found["version"]))
        elif section == "importers" and (found := _PNPM_DIRECT.match(line)):
            name = found["name"] if found["name"] not in {"specifier", "version"} else name
            if found["version"] and found["name"] != "specifier":
                sections[section].append(Pin(name, found["version"]))
    return Manifest(Ecosystem.NPM, pins=(*sections["importers"], *sections["packages"]))
