"""bun.lock, which is JSON with comments and trailing commas.

Reference: https://bun.com/docs/install/lockfile
"""

from collections.abc import Iterator
from itertools import islice

from indexer.ecosystems.npm.package_json import SECTIONS
from indexer.ecosystems.npm.specifiers import uses_of, wanted
from indexer.ecosystems.parsing import Table, array, read_jsonc, string, table
from indexer.records.manifests import ANY_USER, MANIFEST_PINS, Ecosystem, Manifest, Pin, PinUse


def read_bun_lock(text: str, _path: str) -> Manifest:
    """Read the lock file. Raises ValueError and RecursionError."""
    document = read_jsonc(text)
    packages = table(document, "packages")
    pins = [pin for key in sorted(packages, key=_depth) if (pin := _pin(packages, key))]
    uses = list(islice(_uses(table(document, "workspaces"), packages), MANIFEST_PINS))
    catalogs = {"": table(document, "catalog"), **table(document, "catalogs")}
    for catalog, ranges in catalogs.items():
        for local in table(ranges):
            pin = _pin(packages, local)
            if pin:
                uses.append(PinUse(ANY_USER, pin.name, f"catalog:{catalog}", pin.version))
    return Manifest(Ecosystem.NPM, pins=tuple(dict.fromkeys(pins)), uses=tuple(uses))


def _depth(key: str) -> int:
    return key.count("/") - key.count("@")


def _pin(packages: Table, key: str) -> Pin | None:
    """Return the package of an entry, unless it is of the repository, of git or of a file."""
    resolved = "".join(string(resolved_name) for resolved_name in array(packages.get(key))[:1])
    name, _, version = resolved.rpartition("@")
    return Pin(name, version) if name and version[:1].isdigit() else None


def _uses(workspaces: Table, packages: Table) -> Iterator[PinUse]:
    """Yield what each workspace uses: its own entry `NAME/DEPENDENCY`, or else the common one."""
    for user, workspace in workspaces.items():
        own = string(table(workspace).get("name"))
        found = []
        for section in SECTIONS:
            for local, value in table(workspace, section).items():
                key = f"{own}/{local}" if f"{own}/{local}" in packages else local
                pin = _pin(packages, key)
                version = pin.version if pin else _of_workspace(workspaces, packages, key)
                if version:
                    found.append((wanted(local, string(value)), version))
        yield from uses_of(user, found)


def _of_workspace(workspaces: Table, packages: Table, key: str) -> str:
    """Return the version of a workspace that another one depends on."""
    resolved = "".join(string(resolved_name) for resolved_name in array(packages.get(key))[:1])
    _, found, directory = resolved.partition("@workspace:")
    return string(table(workspaces, directory).get("version")) if found else ""
