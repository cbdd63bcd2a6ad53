"""Packages of Composer."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.composer.constraints import allows
from indexer.ecosystems.composer.versions import parse_version
from indexer.ecosystems.namespaces import namespace_names
from indexer.records.manifests import Ecosystem

COMPOSER: Final = PackageEcosystem(
    ecosystem=Ecosystem.COMPOSER,
    module_names=lambda *_: namespace_names,
    parse_version=parse_version,
    allows=allows,
)
