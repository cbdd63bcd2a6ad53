"""Packages of Swift."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.swiftpm.names import swift_names
from indexer.ecosystems.swiftpm.requirements import allows
from indexer.ecosystems.versions import parse_semantic_version
from indexer.records.manifests import Ecosystem

SWIFTPM: Final = PackageEcosystem(
    ecosystem=Ecosystem.SWIFTPM,
    module_names=lambda *_: swift_names,
    parse_version=parse_semantic_version,
    allows=allows,
)
