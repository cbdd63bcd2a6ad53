"""Settings that name files: pnpm-workspace.yaml, tsconfig.json and jsconfig.json."""

import json
import posixpath
import re
from collections.abc import Iterator

from indexer.ecosystems.parsing import string, strings, table
from indexer.records.manifests import Ecosystem, Manifest

_ITEM = re.compile(r"\s*-\s+(\S.*)")


def read_pnpm_workspace(text: str, _path: str) -> Manifest:
    """Read the items of `packages`, one per line or all in one line, as pnpm documents them."""
    lines = iter(text.splitlines())
    head = next((line for line in lines if line.startswith("packages:")), "")
    listed = head.partition(":")[2].strip().strip("[]").split(",")
    for line in lines:
        found = _ITEM.fullmatch(line)
        if found:
            listed.append(found[1].partition(" #")[0])
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    members = (item.strip().strip("\"'") for item in listed)
    return Manifest(Ecosystem.NPM, members=tuple(member for member in members if member))


# Keeps strings; drops comments and commas before a closing bracket. An unclosed string or comment
# runs to the end: a retry from its inside would take quadratic time.
_STRING = r'("(?:[^"\\]|\\.)*+(?:"|\Z|\\\Z))'
_JSONC = re.compile(_STRING + r"|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[\]}])", re.DOTALL)


def read_tsconfig(text: str, _path: str) -> Manifest:
    """Read tsconfig.json. `aliases` are `paths`, then the bare names that `baseUrl` allows.

    Raises ValueError and RecursionError.
    """
    options = table(_read_jsonc(text), "compilerOptions")
    return Manifest(Ecosystem.NPM, aliases=tuple(_aliases(options)))


def _aliases(options: dict[str, object]) -> Iterator[tuple[str, str]]:
    base = string(options.get("baseUrl"))
    for pattern, targets in table(options, "paths").items():
        for target in strings(targets):
            yield pattern, posixpath.normpath(posixpath.join(base, target))
    if base:
        yield "*", posixpath.normpath(posixpath.join(base, "*"))


def _read_jsonc(text: str) -> object:
    bare = _JSONC.sub(lambda found: found[1] or " ", text)
    return json.loads(_TRAILING_COMMA.sub(lambda found: found[1] or "", bare))
