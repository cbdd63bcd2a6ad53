"""Packages of Composer."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem, namespace_names
from indexer.ecosystems.composer.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

COMPOSER: Final = PackageEcosystem(
    ecosystem=Ecosystem.COMPOSER,
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
)
