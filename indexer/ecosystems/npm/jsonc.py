"""JSON with comments and trailing commas, as tsc, Deno and Bun read it."""

import json
import re

from indexer.ecosystems.parsing import Table, table

# Keeps strings; drops comments and commas before a closing bracket. An unclosed string or comment
# runs to the end: a retry from its inside would take quadratic time.
_STRING = r'("(?:[^"\\]|\\.)*+(?:"|\Z|\\\Z))'
_JSONC = re.compile(_STRING + r"|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[\]}])", re.DOTALL)


def read_jsonc(text: str) -> Table:
    """Parse an object. Raises ValueError and RecursionError."""
    bare = _JSONC.sub(lambda found: found[1] or " ", text)
    return table(json.loads(_TRAILING_COMMA.sub(lambda found: found[1] or "", bare)))
