"""Packages and module names, from paths and manifests (docs/reference/trace.md). Pure functions.

Each ecosystem is a folder, listed in `registry`. Central uses this too: it depends on neither git
nor any grammar.
"""

from indexer.ecosystems.base import PackageRoot, RootDependency
from indexer.ecosystems.lines import ecosystem_by_line
from indexer.ecosystems.npm import local_names
from indexer.ecosystems.registry import (
    ECOSYSTEMS,
    MANIFEST_NAMES,
    MANIFEST_PATHS,
    is_lock_file,
    is_manifest,
    read_manifest,
)
from indexer.ecosystems.workspace import Workspace, ecosystem_of

__all__ = [
    "ECOSYSTEMS",
    "MANIFEST_NAMES",
    "MANIFEST_PATHS",
    "PackageRoot",
    "RootDependency",
    "Workspace",
    "ecosystem_by_line",
    "ecosystem_of",
    "is_lock_file",
    "is_manifest",
    "local_names",
    "read_manifest",
]
