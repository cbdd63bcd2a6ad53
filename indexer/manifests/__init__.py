"""What manifests and lock files say: one small reader per format. Pure; nothing is run or fetched.

Manifests are written by anybody, so a reader takes wrong types for absent and is bounded in time.
"""

from indexer.manifests.registry import is_manifest, read_manifest

__all__ = ["MANIFEST_CHARACTERS", "is_manifest", "read_manifest"]
