"""Packages of npm, by the rules of Node.js, TypeScript and the package managers."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.npm.names import npm_names
from indexer.ecosystems.npm.versions import allows_npm, links_npm
from indexer.ecosystems.versions import parse_semantic_version
from indexer.records.manifests import Ecosystem

NPM: Final = PackageEcosystem(
    ecosystem=Ecosystem.NPM,
    module_names=npm_names,
    parse_version=parse_semantic_version,
    allows=allows_npm,
    links=links_npm,
)
