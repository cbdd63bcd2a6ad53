"""pnpm-workspace.yaml and .yarnrc.yml: catalogues, in block YAML as pnpm and yarn write it."""

import re
from collections.abc import Iterator

from indexer.ecosystems.npm.specifiers import pinned, wanted
from indexer.ecosystems.parsing import Table, string, table
from indexer.records.manifests import ANY_USER, Ecosystem, Manifest, PinUse

_ITEM = re.compile(r"\s*-\s+(\S.*)")
# The key in quotes or plain, up to a colon that ends the line or stands before a blank.
_LINE = re.compile(
    r"""(?P<indent>\ *+)
    (?:'(?P<single>(?:[^']|'')*+)'|"(?P<double>[^"]*+)"|(?P<plain>[^\s#'"-].*?))"""
    r""":(?:\s++(?P<value>\S.*+))?""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"\s#.*")
_MAX_DEPTH = 16


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


def block_lines(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the keys from the top and the scalar, "" for a mapping, of every line with a key."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line[:2_000].rstrip())
        if found is None:
            continue
        indent = len(found["indent"])
        while above and above[-1][0] >= indent:
            above.pop()
        key = found["plain"] or found["double"] or (found["single"] or "").replace("''", "'")
        above.append((indent, key))
        if len(above) <= _MAX_DEPTH:
            yield tuple(key for _, key in above), scalar(found["value"] or "")


def scalar(value: str) -> str:
    """Return a scalar without quotes and comment."""
    if value[:1] in {"'", '"'}:
        return value[1:].partition(value[0])[0]
    return "" if value.startswith("#") else _COMMENT.sub("", value).rstrip()


def catalog_uses(document: Table) -> Iterator[PinUse]:
    """Yield the exact versions of `catalog` and `catalogs`, which `catalog:NAME` means."""
    named = table(document, "catalogs")
    default = {**table(named, "default"), **table(document, "catalog")}
    for catalog, ranges in [("", default), ("default", default), *named.items()]:
        for local, value in table(ranges).items():
            name, required, _ = wanted(local, string(value))
            if version := pinned(required):
                yield PinUse(ANY_USER, name, f"catalog:{catalog}", version)
