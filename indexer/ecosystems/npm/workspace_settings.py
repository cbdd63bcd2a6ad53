"""pnpm-workspace.yaml and .yarnrc.yml."""

import re
from collections.abc import Iterator

from indexer.ecosystems.npm.block_yaml import block_lines
from indexer.ecosystems.npm.catalogs import catalog_uses
from indexer.ecosystems.parsing import Table
from indexer.records.manifests import Ecosystem, Manifest

_ITEM = re.compile(r"\s*-\s+(\S.*)")


def read_pnpm_workspace(text: str, _path: str) -> Manifest:
    """Read the members and the catalogues, as pnpm documents them."""
    return Manifest(
        Ecosystem.NPM, members=tuple(_members(text)), uses=tuple(catalog_uses(_catalogs(text)))
    )


def read_yarnrc(text: str, _path: str) -> Manifest:
    """Read the catalogues."""
    return Manifest(Ecosystem.NPM, uses=tuple(catalog_uses(_catalogs(text))))


def _members(text: str) -> Iterator[str]:
    """Yield the items of `packages`, one per line or all in one line."""
    lines = iter(text.splitlines())
    head = next((line for line in lines if line.startswith("packages:")), "")
    listed = head.partition(":")[2].strip().strip("[]").split(",")
    for line in lines:
        found = _ITEM.fullmatch(line)
        if found:
            listed.append(found[1].partition(" #")[0])
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    members = (item.strip().strip("\"'") for item in listed)
    return (member for member in members if member)


def _catalogs(text: str) -> Table:
    catalog: Table = {}
    catalogs: dict[str, Table] = {}
    for keys, value in block_lines(text):
        if keys[0] == "catalog" and len(keys) == 2:
            catalog[keys[1]] = value
        elif keys[0] == "catalogs" and len(keys) == 3:
            catalogs.setdefault(keys[1], {})[keys[2]] = value
    return {"catalog": catalog, "catalogs": catalogs}
