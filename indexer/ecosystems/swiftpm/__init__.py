"""Packages of Swift."""

from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.swiftpm.manifests import read_package_resolved, read_package_swift
from indexer.ecosystems.swiftpm.names import swift_names
from indexer.ecosystems.swiftpm.requirements import allows
from indexer.ecosystems.versions import parse_semantic_version
from indexer.records.manifests import Ecosystem

SWIFTPM: Final = PackageEcosystem(
    ecosystem=Ecosystem.SWIFTPM,
    formats=(
        ManifestFormat(read_package_swift, names=("Package.swift",)),
        ManifestFormat(read_package_resolved, names=("Package.resolved",), is_lock=True),
    ),
    module_names=lambda *_: swift_names,
    parse_version=parse_semantic_version,
    allows=allows,
)
