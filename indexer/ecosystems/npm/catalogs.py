"""Catalogues: ranges that the packages of a workspace share, of pnpm, Yarn and Bun.

References: https://pnpm.io/catalogs, https://yarnpkg.com/features/catalogs,
https://bun.com/docs/install/catalogs
"""

from collections.abc import Iterator

from indexer.ecosystems.npm.specifiers import pinned, wanted
from indexer.ecosystems.parsing import Table, string, table
from indexer.records.manifests import ANY_USER, PinUse


def catalog_uses(document: Table) -> Iterator[PinUse]:
    """Yield the exact versions of `catalog` and `catalogs`, which `catalog:NAME` means."""
    named = table(document, "catalogs")
    default = {**table(named, "default"), **table(document, "catalog")}
    for catalog, ranges in [("", default), ("default", default), *named.items()]:
        for local, value in table(ranges).items():
            name, required, _ = wanted(local, string(value))
            if version := pinned(required):
                yield PinUse(ANY_USER, name, f"catalog:{catalog}", version)
