"""How the tests here read manifests."""

import json

from indexer.ecosystems import read_manifest
from indexer.records.manifests import Manifest


def read(path: str, content: object) -> Manifest:
    """The manifest of a text, or of JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    manifest = read_manifest(path, text)
    assert manifest is not None
    return manifest


def asked(manifest: Manifest) -> dict[str, str]:
    """What it asks for, by name."""
    return {one.name: one.required for one in manifest.dependencies}
