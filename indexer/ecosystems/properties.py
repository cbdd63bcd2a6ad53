"""Properties of build files, and texts in which they are replaced."""

import re
from collections.abc import Mapping
from typing import Final

from indexer.records.manifests import Manifest

_MAX_DEPTH: Final = 20
_MAX_CHARACTERS: Final = 1_000
_PLACEHOLDER: Final = re.compile(r"\$\{([^${}]{1,200})\}")
_PREFIX: Final = "property:"


def properties_of(manifest: Manifest) -> dict[str, str]:
    """Return its settings `property:NAME` and `empty` by name, as they are written."""
    empty = {value: "" for key, value in manifest.settings if key == "empty"}
    return empty | {
        key[len(_PREFIX) :]: value for key, value in manifest.settings if key.startswith(_PREFIX)
    }


def replaced(text: str, properties: Mapping[str, str]) -> str:
    """Replace `${name}`, also in the values; "" if one is unknown or the result is too long."""
    for _ in range(_MAX_DEPTH):
        if "${" not in text or len(text) > _MAX_CHARACTERS:
            break
        if any(name not in properties for name in _PLACEHOLDER.findall(text)):
            return ""
        text = _PLACEHOLDER.sub(lambda found: properties[found[1]], text)
    return "" if "${" in text or len(text) > _MAX_CHARACTERS else text
