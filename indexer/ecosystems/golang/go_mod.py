"""go.mod. The versions that it requires are the versions in use, so they are pins."""

import re
from collections.abc import Iterator

from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_BLOCK = re.compile(r"(\w+)\s*\(")


def read_go_mod(text: str, _path: str) -> Manifest:
    """Read go.mod. A replaced module has its replacement's pin, none if that is a directory."""
    name = ""
    required: dict[str, str] = {}
    replaced: dict[str, str] = {}
    for verb, words in _directives(text):
        if verb == "module":
            name = words[0]
        elif verb == "require" and len(words) > 1:
            required[words[0]] = words[1]
        elif verb == "replace" and "=>" in words[1:-1]:
            target = words[words.index("=>") + 1 :]
            replaced[words[0]] = target[1] if len(target) > 1 else ""
    pins = {**required, **{name: new for name, new in replaced.items() if name in required}}
    return Manifest(
        Ecosystem.GO,
        name=name,
        dependencies=tuple(Dependency(*item) for item in required.items()),
        pins=tuple(Pin(*item) for item in pins.items()),
    )


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    block = ""
    for line in text.splitlines():
        code = line.partition("//")[0].strip()
        opened = _BLOCK.fullmatch(code)
        if opened:
            block = opened[1]
        elif code == ")":
            block = ""
        elif code:
            words = [word.strip('"`') for word in code.split()]
            verb = block or words.pop(0)
            if words:
                yield verb, words
