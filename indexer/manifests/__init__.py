"""What manifests and lock files say: one small reader per format. Pure; nothing is run or fetched.

Manifests are untrusted: a reader treats values of wrong types as absent and is bounded in time.
"""

from indexer.manifests.registry import is_manifest, read_manifest

__all__ = ["MANIFEST_CHARACTERS", "is_manifest", "read_manifest"]
