"""Packages and module names, from paths and manifests (docs/reference/trace.md). Pure functions.

Each ecosystem is a folder, listed in `registry`. Central uses this too: it depends on neither git
nor any grammar. What needs all ecosystems is imported when it is first named: who only asks which
files are manifests imports `formats`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from indexer.ecosystems.formats import (
    MANIFEST_NAMES,
    MANIFEST_PATHS,
    is_lock_file,
    is_manifest,
    read_manifest,
)

if TYPE_CHECKING:
    from indexer.ecosystems.base import PackageRoot, RootDependency
    from indexer.ecosystems.npm import local_names
    from indexer.ecosystems.registry import ECOSYSTEMS
    from indexer.ecosystems.workspace import Workspace, ecosystem_by_line, ecosystem_of

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

_MODULES: Final = {
    "ECOSYSTEMS": "registry",
    "PackageRoot": "base",
    "RootDependency": "base",
    "Workspace": "workspace",
    "ecosystem_by_line": "workspace",
    "ecosystem_of": "workspace",
}


def __getattr__(name: str) -> Any:
    if name == "local_names":
        return import_module("indexer.ecosystems.npm.local_names")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
