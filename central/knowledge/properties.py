"""What people may put into the properties of a node or an edge: any JSON within bounds. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from central.errors import InvalidError
from indexer.limits import NODE_PROPERTIES_BYTES, NODE_PROPERTIES_DEPTH

_NUL = "\\u0000"  # as JSON writes it; PostgreSQL stores none


def require_properties(properties: Mapping[str, Any]) -> None:
    """Raise InvalidError (`properties_too_large`, `invalid`) unless they can be stored."""
    if _depth(properties) > NODE_PROPERTIES_DEPTH:
        raise InvalidError(f"Properties are at most {NODE_PROPERTIES_DEPTH} levels deep.")
    text = json.dumps(properties)
    if len(text.encode()) > NODE_PROPERTIES_BYTES:
        raise InvalidError(
            f"Properties have at most {NODE_PROPERTIES_BYTES:,} bytes as JSON.",
            code="properties_too_large",
        )
    if _NUL in text:
        raise InvalidError("Properties hold a NUL character, which cannot be stored. Remove it.")


def _depth(value: object) -> int:
    """Levels of objects and lists; read without recursion, since the depth is what is in doubt."""
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        if depth > NODE_PROPERTIES_DEPTH:
            break
        level = [
            inner for one in level for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return depth
