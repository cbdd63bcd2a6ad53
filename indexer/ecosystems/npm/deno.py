"""deno.json, deno.jsonc, jsr.json, import maps and deno.lock.

References: https://docs.deno.com/runtime/fundamentals/configuration,
https://docs.deno.com/runtime/fundamentals/workspaces, https://jsr.io/docs/package-configuration
"""

from collections.abc import Iterator

from indexer.ecosystems.npm.package_json import exported
from indexer.ecosystems.npm.specifiers import imported, needs_of
from indexer.ecosystems.parsing import Table, read_json, read_jsonc, string, strings, table
from indexer.records.manifests import (
    ANY_USER,
    Ecosystem,
    Manifest,
    ManifestProblem,
    Pin,
    PinUse,
)


def read_deno_json(text: str, _path: str) -> Manifest:
    """Read the configuration. What `scopes` say is left out. Raises ValueError, RecursionError."""
    document = read_jsonc(text)
    workspace = document.get("workspace")
    imports = table(document, "imports")
    packages = {
        local: found
        for local, target in imports.items()
        if (found := imported(string(target))) is not None
    }
    needs = needs_of(list(packages.items()))
    return Manifest(
        Ecosystem.NPM,
        name=string(document.get("name")),
        version=string(document.get("version")),
        entries=tuple(exported(document.get("exports"), prefix=".")),
        aliases=tuple(_local_aliases(imports)),
        members=tuple(strings(workspace) or strings(table(workspace).get("members"))),
        dependencies=needs.dependencies,
        renamed=tuple(
            (local, f"{requested.name}/{requested.part}" if requested.part else requested.name)
            for local, requested in packages.items()
            if local.rstrip("/") != requested.name or requested.part
        ),
        pins=needs.pins,
        uses=needs.uses,
        settings=needs.settings,
        problem=ManifestProblem.PARTIAL if document.get("scopes") else None,
    )


def _local_aliases(imports: Table) -> Iterator[tuple[str, str]]:
    """Yield what names files of the repository; a key that ends in "/" begins paths."""
    for local, target in imports.items():
        path = string(target)
        if path.startswith(("./", "../")):
            star = "*" if local.endswith("/") else ""
            yield local + star, path.removeprefix("./") + star


def read_deno_lock(text: str, _path: str) -> Manifest:
    """Read versions 3 to 5: `specifiers` tell the version of each range. Raises ValueError."""
    document = read_json(text)
    specifiers = table(document, "specifiers") or table(document, "packages", "specifiers")
    uses = [use for key, value in specifiers.items() for use in _uses(key, string(value))]
    pins = [*(Pin(pin_use.name, pin_use.version) for pin_use in uses), *_locked(document)]
    return Manifest(Ecosystem.NPM, pins=tuple(dict.fromkeys(pins)), uses=tuple(uses))


def _uses(key: str, value: str) -> Iterator[PinUse]:
    wanted = imported(key)
    version = value.partition("_")[0].rpartition("@")[2]
    if wanted and version:
        yield PinUse(ANY_USER, wanted.name, wanted.required or "*", version)


def _locked(document: Table) -> Iterator[Pin]:
    for kind in ("jsr", "npm"):
        for key in table(document, kind) or table(document, "packages", kind):
            name, _, version = key.partition("_")[0].rpartition("@")
            if name:
                yield Pin(name, version)
