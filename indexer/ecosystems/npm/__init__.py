"""Packages of npm, by the rules of Node.js, TypeScript and the package managers."""

import re
from typing import Final

from indexer.ecosystems.base import ManifestFormat, PackageEcosystem
from indexer.ecosystems.npm.bun_lock import read_bun_lock
from indexer.ecosystems.npm.deno import read_deno_json, read_deno_lock
from indexer.ecosystems.npm.names import npm_names
from indexer.ecosystems.npm.package_json import read_package_json
from indexer.ecosystems.npm.package_lock import read_package_lock
from indexer.ecosystems.npm.pnpm_lock import read_pnpm_lock
from indexer.ecosystems.npm.tsconfig import read_tsconfig
from indexer.ecosystems.npm.versions import allows_npm, links_npm
from indexer.ecosystems.npm.workspace_settings import read_pnpm_workspace, read_yarnrc
from indexer.ecosystems.npm.yarn_lock import read_yarn_lock
from indexer.ecosystems.versions import parse_semantic_version
from indexer.records.manifests import Ecosystem

NPM: Final = PackageEcosystem(
    ecosystem=Ecosystem.NPM,
    formats=(
        ManifestFormat(read_package_json, names=("package.json",)),
        ManifestFormat(
            read_deno_json,
            names=("deno.json", "deno.jsonc", "jsr.json", "jsr.jsonc", "import_map.json"),
        ),
        ManifestFormat(read_pnpm_workspace, names=("pnpm-workspace.yaml",)),
        ManifestFormat(read_yarnrc, names=(".yarnrc.yml",)),
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
        ManifestFormat(read_bun_lock, names=("bun.lock",), is_lock=True),
        ManifestFormat(read_deno_lock, names=("deno.lock",), is_lock=True),
    ),
    module_names=npm_names,
    parse_version=parse_semantic_version,
    allows=allows_npm,
    links=links_npm,
)
