"""Modules of Go."""

from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.golang.go_mod import read_go_mod, read_go_work
from indexer.ecosystems.golang.names import go_names
from indexer.ecosystems.golang.versions import allows, parse_version
from indexer.ecosystems.golang.workspaces import with_workspaces
from indexer.records.manifests import Ecosystem

GO: Final = PackageEcosystem(
    ecosystem=Ecosystem.GO,
    formats=(
        ManifestFormat(read_go_mod, names=("go.mod",)),
        ManifestFormat(read_go_work, names=("go.work",)),
    ),
    module_names=lambda *_: go_names,
    parse_version=parse_version,
    allows=allows,
    complete=with_workspaces,
    inherits_dependencies=False,
)
