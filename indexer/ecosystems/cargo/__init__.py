"""Crates of Rust."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.cargo.manifests import with_workspaces
from indexer.ecosystems.cargo.names import rust_names
from indexer.ecosystems.cargo.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

CARGO: Final = PackageEcosystem(
    ecosystem=Ecosystem.CARGO,
    module_names=lambda located, _: rust_names(located),
    parse_version=parse_version,
    allows=allows,
    complete=with_workspaces,
    inherits_dependencies=False,
)
