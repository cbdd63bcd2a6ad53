"""Packages of npm, by the rules of Node.js, TypeScript and the package managers."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.npm.locks import read_package_lock, read_pnpm_lock, read_yarn_lock
from indexer.ecosystems.npm.names import npm_names
from indexer.ecosystems.npm.package_json import read_package_json
from indexer.ecosystems.npm.settings import read_pnpm_workspace, read_tsconfig
from indexer.ecosystems.versions import allows_semantic, parse_semantic_version
from indexer.records.manifests import Ecosystem

NPM: Final = PackageEcosystem(
    ecosystem=Ecosystem.NPM,
    formats=(
        ManifestFormat(read_package_json, names=("package.json",)),
        ManifestFormat(read_pnpm_workspace, names=("pnpm-workspace.yaml",)),
        ManifestFormat(
            read_tsconfig,
            names=("jsconfig.json",),
            paths=re.compile(r"(?:.*/)?tsconfig[\w.-]*\.json"),
        ),
        ManifestFormat(
            read_package_lock, names=("package-lock.json", "npm-shrinkwrap.json"), is_lock=True
        ),
        ManifestFormat(read_yarn_lock, names=("yarn.lock",), is_lock=True),
        ManifestFormat(read_pnpm_lock, names=("pnpm-lock.yaml",), is_lock=True),
    ),
    module_names=npm_names,
    parse_version=parse_semantic_version,
    allows=allows_semantic,
)
