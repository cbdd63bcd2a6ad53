"""pnpm-lock.yaml, versions 5 to 9.

Reference: https://github.com/pnpm/spec/blob/master/lockfile/9.0.md
"""

import re
from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.npm.package_json import SECTIONS
from indexer.ecosystems.npm.specifiers import Requested, uses_of, wanted
from indexer.ecosystems.npm.workspace_settings import block_lines
from indexer.records.manifests import Ecosystem, Manifest, Pin

# Keys of `packages`, and versions of aliased dependencies: /name/1.0.0 (v5), /name@1.0.0 (v6),
# name@1.0.0 (v9), each with the peers after "_" or in brackets.
_KEY: Final = re.compile(
    r"/?(?P<name>@?[^@/:\s()]+(?:/[^@/:\s()]+)?)[@/](?P<version>\d[^:(_\s]*).*"
)
_VERSION: Final = re.compile(r"(\d[^(_\s]*).*")


_SPECIFIERS: Final = "specifiers"  # version 5 has them apart
_DIRECT: Final = {(section,) for section in (*SECTIONS, _SPECIFIERS)}
_Direct = dict[tuple[str, str], dict[str, str]]  # by importer and local name


def read_pnpm_lock(text: str, _path: str) -> Manifest:
    """Read the importers' direct dependencies, then all packages."""
    direct: _Direct = {}
    packages = dict[Pin, None]()
    for keys, value in block_lines(text):
        if keys[0] == "packages":
            found = _KEY.fullmatch(keys[1]) if len(keys) == 2 else None
            if found:
                packages[Pin(found["name"], found["version"])] = None
        elif keys[0] == "importers":
            _note(direct, "" if keys[1:2] == (".",) else "".join(keys[1:2]), keys[2:], value)
        else:
            _note(direct, "", keys, value)
    used: dict[str, list[tuple[Requested, str]]] = {}
    for (user, local), reference in direct.items():
        used.setdefault(user, []).extend(_found(local, reference))
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


def _found(local: str, reference: dict[str, str]) -> Iterator[tuple[Requested, str]]:
    asked = wanted(local, reference.get("specifier", ""))
    written = reference.get("version", "")
    found = _KEY.fullmatch(written)
    name = found["name"] if found else asked.name
    version = found["version"] if found else written
    if plain := _VERSION.fullmatch(version):
        yield asked._replace(name=name), plain[1]
