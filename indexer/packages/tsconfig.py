"""tsconfig*.json and jsconfig.json: which names lead to which files.

What `extends` names is a file of its own, and is read there.
"""

import json
import posixpath
import re
from collections.abc import Iterator

from indexer.packages.values import string, strings, table
from indexer.relations import Ecosystem, Manifest

# A string is kept; comments and commas before a closing bracket are dropped. What is not closed
# goes to the end: to try again from its inside would take time by the square of the length.
_STRING = r'("(?:[^"\\]|\\.)*+(?:"|\Z|\\\Z))'
_JSONC = re.compile(_STRING + r"|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[\]}])", re.DOTALL)


def read_tsconfig(text: str) -> Manifest:
    """`aliases` are those of `paths`, then what `baseUrl` makes importable by a bare name.

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
