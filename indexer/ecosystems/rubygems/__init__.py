"""Gems of Ruby."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.rubygems.names import ruby_names
from indexer.ecosystems.rubygems.versions import allows, parse_version
from indexer.records.manifests import Ecosystem

RUBYGEMS: Final = PackageEcosystem(
    ecosystem=Ecosystem.RUBYGEMS,
    module_names=lambda *_: ruby_names,
    parse_version=parse_version,
    allows=allows,
    shares_directories=True,
)
