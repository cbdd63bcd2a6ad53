"""Modules of Go."""

from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.golang.go_mod import read_go_mod
from indexer.ecosystems.golang.names import go_names
from indexer.ecosystems.versions import parse_semantic_version
from indexer.records.manifests import Ecosystem

GO: Final = PackageEcosystem(
    ecosystem=Ecosystem.GO,
    formats=(ManifestFormat(read_go_mod, names=("go.mod",)),),
    module_names=lambda *_: go_names,
    parse_version=parse_semantic_version,
)
