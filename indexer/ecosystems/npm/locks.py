"""Lock files of npm (versions 1 to 3), yarn (1 and berry), bun and pnpm (versions 5 to 9).

https://docs.npmjs.com/cli/configuring-npm/package-lock-json, https://classic.yarnpkg.com/docs/yarn-lock,
https://bun.com/docs/install/lockfile, https://github.com/pnpm/spec/blob/master/lockfile/9.0.md
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from indexer.ecosystems.npm.package_json import SECTIONS
from indexer.ecosystems.npm.specifiers import Requested, uses_of, wanted
from indexer.ecosystems.npm.workspace_settings import block_lines
from indexer.ecosystems.parsing import Table, array, read_json, read_jsonc, string, table
from indexer.ecosystems.paths import ancestors
from indexer.records.files import NAME_CHARACTERS
from indexer.records.manifests import (
    ANY_USER,
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
    """Read package-lock.json or npm-shrinkwrap.json. Raises ValueError and RecursionError."""
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


_YARN_KEY: Final = re.compile(r"(@?[^@\s]+)@(.*)")
_YARN_VERSION: Final = re.compile(r'  version:? "?(?P<version>[^"\s]+)"?')


def read_yarn_lock(text: str, _path: str) -> Manifest:
    """Read yarn.lock, whose entries have all ranges of one version; not what a workspace links."""
    pins, uses = dict[Pin, None](), list[PinUse]()
    for keys, version in _yarn_entries(text):
        for key in keys:
            found = _YARN_KEY.fullmatch(key)
            if found:
                name, required, _ = wanted(found[1], found[2].partition("::")[0])
                pins[Pin(name, version)] = None
                uses.append(PinUse(ANY_USER, name, required or "*", version))
    return Manifest(Ecosystem.NPM, pins=tuple(pins), uses=tuple(uses))


def _yarn_entries(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the keys and the version of every entry."""
    keys: list[str] = []
    for line in text.splitlines():
        if line[:1] not in {" ", "#", ""}:
            is_own = "@workspace:" in line
            listed = [] if is_own else line.rstrip(": ").replace('"', "").split(",")
            keys = [key.strip() for key in listed]
        elif keys and (version := _YARN_VERSION.match(line)):
            yield keys, version["version"]
            keys = []


def read_bun_lock(text: str, _path: str) -> Manifest:
    """Read bun.lock, which is JSON with comments. Raises ValueError and RecursionError."""
    document = read_jsonc(text)
    packages = table(document, "packages")
    pins = [pin for key in sorted(packages, key=_depth) if (pin := _pin(packages, key))]
    uses = list(islice(_uses(table(document, "workspaces"), packages), MANIFEST_PINS))
    catalogs = {"": table(document, "catalog"), **table(document, "catalogs")}
    for catalog, ranges in catalogs.items():
        for local in table(ranges):
            pin = _pin(packages, local)
            if pin:
                uses.append(PinUse(ANY_USER, pin.name, f"catalog:{catalog}", pin.version))
    return Manifest(Ecosystem.NPM, pins=tuple(dict.fromkeys(pins)), uses=tuple(uses))


def _depth(key: str) -> int:
    return key.count("/") - key.count("@")


def _pin(packages: Table, key: str) -> Pin | None:
    """Return the package of an entry, unless it is of the repository, of git or of a file."""
    resolved = "".join(string(resolved_name) for resolved_name in array(packages.get(key))[:1])
    name, _, version = resolved.rpartition("@")
    return Pin(name, version) if name and version[:1].isdigit() else None


def _uses(workspaces: Table, packages: Table) -> Iterator[PinUse]:
    """Yield what each workspace uses: its own entry `NAME/DEPENDENCY`, or else the common one."""
    for user, workspace in workspaces.items():
        own = string(table(workspace).get("name"))
        found = []
        for section in SECTIONS:
            for local, value in table(workspace, section).items():
                key = f"{own}/{local}" if f"{own}/{local}" in packages else local
                pin = _pin(packages, key)
                version = pin.version if pin else _of_workspace(workspaces, packages, key)
                if version:
                    found.append((wanted(local, string(value)), version))
        yield from uses_of(user, found)


def _of_workspace(workspaces: Table, packages: Table, key: str) -> str:
    """Return the version of a workspace that another one depends on."""
    resolved = "".join(string(resolved_name) for resolved_name in array(packages.get(key))[:1])
    _, found, directory = resolved.partition("@workspace:")
    return string(table(workspaces, directory).get("version")) if found else ""


# Keys of `packages`, and versions of aliased dependencies: /name/1.0.0 (v5), /name@1.0.0 (v6),
# name@1.0.0 (v9), each with the peers after "_" or in brackets.
_PNPM_KEY: Final = re.compile(
    r"/?(?P<name>@?[^@/:\s()]+(?:/[^@/:\s()]+)?)[@/](?P<version>\d[^:(_\s]*).*"
)
_PNPM_VERSION: Final = re.compile(r"(\d[^(_\s]*).*")


_SPECIFIERS: Final = "specifiers"  # version 5 has them apart
_DIRECT: Final = {(section,) for section in (*SECTIONS, _SPECIFIERS)}
_Direct = dict[tuple[str, str], dict[str, str]]  # by importer and local name


def read_pnpm_lock(text: str, _path: str) -> Manifest:
    """Read pnpm-lock.yaml: the importers' direct dependencies, then all packages."""
    direct: _Direct = {}
    packages = dict[Pin, None]()
    for keys, value in block_lines(text):
        if keys[0] == "packages":
            found = _PNPM_KEY.fullmatch(keys[1]) if len(keys) == 2 else None
            if found:
                packages[Pin(found["name"], found["version"])] = None
        elif keys[0] == "importers":
            _note(direct, "" if keys[1:2] == (".",) else "".join(keys[1:2]), keys[2:], value)
        else:
            _note(direct, "", keys, value)
    used: dict[str, list[tuple[Requested, str]]] = {}
    for (user, local), reference in direct.items():
        used.setdefault(user, []).extend(_pnpm_found(local, reference))
    uses = tuple(use for user, listed in used.items() for use in uses_of(user, listed))
    pins = dict.fromkeys(Pin(use.name, use.version) for use in uses) | packages
    return Manifest(Ecosystem.NPM, pins=tuple(pins), uses=uses)


def _note(direct: _Direct, user: str, keys: tuple[str, ...], value: str) -> None:
    """Note the specifier or the version of a direct dependency."""
    if not value or keys[:1] not in _DIRECT:
        return
    known = direct.setdefault((user, keys[1]), {}) if len(keys) in {2, 3} else {}
    if len(keys) == 2:
        known["specifier" if keys[0] == _SPECIFIERS else "version"] = value
    elif len(keys) == 3:
        known[keys[2]] = value


def _pnpm_found(local: str, reference: dict[str, str]) -> Iterator[tuple[Requested, str]]:
    asked = wanted(local, reference.get("specifier", ""))
    written = reference.get("version", "")
    found = _PNPM_KEY.fullmatch(written)
    name = found["name"] if found else asked.name
    version = found["version"] if found else written
    if plain := _PNPM_VERSION.fullmatch(version):
        yield asked._replace(name=name), plain[1]
