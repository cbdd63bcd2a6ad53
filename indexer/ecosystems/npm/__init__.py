"""Packages of npm, by the rules of Node.js, TypeScript and the package managers."""

from typing import Final

from indexer.ecosystems.base import PackageEcosystem, parse_semantic_version
from indexer.ecosystems.npm.names import npm_names
from indexer.records.manifests import Ecosystem

_LINKS: Final = frozenset({"workspace", "link", "portal", "file"})


def allows_npm(required: str, version: str) -> bool:
    """Whether a version is in a range, by the rules of node-semver. False for what is no range."""
    from nodesemver import satisfies

    return bool(satisfies(version, required, loose=False))


def links_npm(required: str, version: str, is_member: bool) -> bool:
    """Whether a dependency is the package of the repository: by its protocol or by a workspace."""
    protocol, colon, path = required.partition(":")
    if colon:
        is_archive = path.endswith((".tgz", ".tar.gz"))
        return protocol in _LINKS and not is_archive
    return is_member and allows_npm(required or "*", version)


NPM: Final = PackageEcosystem(
    ecosystem=Ecosystem.NPM,
    module_names=npm_names,
    parse_version=parse_semantic_version,
    allows=allows_npm,
    links=links_npm,
)
