"""Packages and module names, from paths and manifests (docs/reference/trace.md). Pure functions.

Central uses it too: it depends on neither git nor any grammar.
"""

from indexer.languages.base import ModuleName
from indexer.modules.lines import ecosystem_by_line
from indexer.modules.roots import PackageRoot, RootDependency
from indexer.modules.workspace import Workspace, ecosystem_of

__all__ = [
    "ModuleName",
    "PackageRoot",
    "RootDependency",
    "Workspace",
    "ecosystem_by_line",
    "ecosystem_of",
]
