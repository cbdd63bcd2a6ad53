"""yarn.lock, version 1 and berry: an entry has all ranges that lead to one version.

Reference: https://classic.yarnpkg.com/docs/yarn-lock
"""

import re
from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.npm.specifiers import wanted
from indexer.records.manifests import ANY_USER, Ecosystem, Manifest, Pin, PinUse

_KEY: Final = re.compile(r"(@?[^@\s]+)@(.*)")
_VERSION: Final = re.compile(r'  version:? "?(?P<version>[^"\s]+)"?')


def read_yarn_lock(text: str, _path: str) -> Manifest:
    """Read the lock file, without packages that a workspace links."""
    pins, uses = dict[Pin, None](), list[PinUse]()
    for keys, version in _entries(text):
        for key in keys:
            found = _KEY.fullmatch(key)
            if found:
                name, required, _ = wanted(found[1], found[2].partition("::")[0])
                pins[Pin(name, version)] = None
                uses.append(PinUse(ANY_USER, name, required or "*", version))
    return Manifest(Ecosystem.NPM, pins=tuple(pins), uses=tuple(uses))


def _entries(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the keys and the version of every entry."""
    keys: list[str] = []
    for line in text.splitlines():
        if line[:1] not in {" ", "#", ""}:
            is_own = "@workspace:" in line
            listed = [] if is_own else line.rstrip(": ").replace('"', "").split(",")
            keys = [key.strip() for key in listed]
        elif keys and (version := _VERSION.match(line)):
            yield keys, version["version"]
            keys = []
