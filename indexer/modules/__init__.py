"""From paths and manifests to packages and the names of modules (docs/trace.md). Pure.

Central uses it too: it knows neither git nor any grammar.
"""

from indexer.languages.base import ModuleName
from indexer.modules.roots import PackageRoot, RootDependency
from indexer.modules.workspace import Workspace, ecosystem_of

__all__ = ["ModuleName", "PackageRoot", "RootDependency", "Workspace", "ecosystem_of"]
