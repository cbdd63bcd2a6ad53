"""Readers of manifests and lock files, one per format. They run and fetch nothing.

Manifests are untrusted: readers treat values of wrong types as absent and are bounded in time.
"""

from indexer.manifests.registry import is_manifest, read_manifest

__all__ = ["MANIFEST_CHARACTERS", "is_manifest", "read_manifest"]
