"""Crates of Rust."""

from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.cargo.manifests import read_cargo_lock, read_cargo_toml
from indexer.ecosystems.cargo.names import rust_names
from indexer.ecosystems.cargo.versions import allows, parse_version
from indexer.ecosystems.cargo.workspaces import with_workspaces
from indexer.records.manifests import Ecosystem

CARGO: Final = PackageEcosystem(
    ecosystem=Ecosystem.CARGO,
    formats=(
        ManifestFormat(read_cargo_toml, names=("Cargo.toml",)),
        ManifestFormat(read_cargo_lock, names=("Cargo.lock",), is_lock=True),
    ),
    module_names=lambda located, _: rust_names(located),
    parse_version=parse_version,
    allows=allows,
    complete=with_workspaces,
    inherits_dependencies=False,
)
