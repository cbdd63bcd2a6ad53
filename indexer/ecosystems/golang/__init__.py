"""Modules of Go."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.golang.names import go_names
from indexer.ecosystems.golang.versions import allows, parse_version
from indexer.ecosystems.golang.workspaces import with_workspaces
from indexer.records.manifests import Ecosystem

GO: Final = PackageEcosystem(
    ecosystem=Ecosystem.GO,
    module_names=lambda *_: go_names,
    parse_version=parse_version,
    allows=allows,
    complete=with_workspaces,
    inherits_dependencies=False,
)
