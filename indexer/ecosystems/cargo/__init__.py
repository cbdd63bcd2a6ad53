"""Crates of Rust."""

from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.cargo.manifests import read_cargo_lock, read_cargo_toml
from indexer.ecosystems.cargo.names import rust_names
from indexer.ecosystems.cargo.versions import allows
from indexer.ecosystems.versions import parse_semantic_version
from indexer.records.manifests import Ecosystem

CARGO: Final = PackageEcosystem(
    ecosystem=Ecosystem.CARGO,
    formats=(
        ManifestFormat(read_cargo_toml, names=("Cargo.toml",)),
        ManifestFormat(read_cargo_lock, names=("Cargo.lock",), is_lock=True),
    ),
    module_names=lambda *_: rust_names,
    parse_version=parse_semantic_version,
    allows=allows,
    inherits_version=True,
)
