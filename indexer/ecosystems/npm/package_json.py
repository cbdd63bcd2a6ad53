"""package.json."""

from collections.abc import Iterator

from indexer.ecosystems.npm.specifiers import Requested, needs_of, wanted
from indexer.ecosystems.npm.workspace_settings import catalog_uses
from indexer.ecosystems.parsing import Table, array, read_json, string, strings, table
from indexer.records.manifests import Ecosystem, Manifest

SECTIONS = ("dependencies", "peerDependencies", "optionalDependencies", "devDependencies")
HIDDEN = "hidden"
# Conditions of `exports` that are variants of a general one.
_SPECIAL = frozenset({
    "development", "browser", "react-server", "react-native", "worker", "workerd", "edge",
    "edge-light", "deno", "bun", "electron", "netlify", "convex",
})  # fmt: skip


def read_package_json(text: str, _path: str) -> Manifest:
    """Read package.json. Without `exports`, `entries` has ("*", "*"): every file is importable.

    `settings` have the subpaths that a null target hides. Raises ValueError and RecursionError.
    """
    document = read_json(text)
    workspaces = document.get("workspaces")
    packages = list(_packages(document))
    imports = list(_renamed(dict(_imported_packages(document)), dict(packages)))
    needs = needs_of(packages, imports)
    return Manifest(
        Ecosystem.NPM,
        name=string(document.get("name")),
        version=string(document.get("version")),
        entries=tuple(_entries(document)),
        aliases=tuple(exported(document.get("imports"), prefix="#")),
        members=tuple(strings(workspaces) or strings(table(workspaces).get("packages"))),
        dependencies=needs.dependencies,
        renamed=(
            *((local, requested.name) for local, requested in packages if local != requested.name),
            *(
                (local, f"{requested.name}/{requested.part}".rstrip("/"))
                for local, requested in imports
            ),
        ),
        pins=needs.pins,
        settings=(*((HIDDEN, name) for name in _hidden(document.get("exports"))), *needs.settings),
        uses=(*catalog_uses(document), *catalog_uses(table(workspaces)), *needs.uses),
    )


def _packages(document: Table) -> Iterator[tuple[str, Requested]]:
    for section in SECTIONS:
        for local, value in table(document, section).items():
            yield local, wanted(local, string(value))


def _imported_packages(document: Table) -> Iterator[tuple[str, str]]:
    """Yield the subpath imports that are packages, the first of each key's targets."""
    for key, target in table(document, "imports").items():
        for file in _files(target):
            if key.startswith("#") and not file.startswith((".", "/")):
                yield key, file
                break


def _renamed(
    imports: dict[str, str], packages: dict[str, Requested]
) -> Iterator[tuple[str, Requested]]:
    """Yield local names and packages with what is meant of them: `#db/`, `@acme/db/lib`."""
    for key, target in imports.items():
        local, star, after = key.partition("*")
        path, _, _ = target.partition("*")
        name = "/".join(path.split("/")[: 2 if path.startswith("@") else 1])
        if not after or after.startswith("."):
            meant = packages.get(name, Requested(name, ""))
            yield local if star else key, meant._replace(part=path[len(name) :].strip("/"))


def _entries(document: Table) -> Iterator[tuple[str, str]]:
    exports = document.get("exports")
    if exports is not None:
        yield from exported(exports, prefix=".")
        return
    files = [string(document.get(key)) for key in ("main", "module", "types", "typings", "browser")]
    yield from (("", file) for file in dict.fromkeys(files) if file)
    if not any(files):
        yield from (("", "index.js"), ("", "src/index.js"))
    yield "*", "*"
    first = files[0].removeprefix("./").partition("/")[0]
    if "/" in files[0].removeprefix("./"):
        yield f"{first}/*", f"{first}/*"


def _hidden(exports: object) -> Iterator[str]:
    for key, target in exports.items() if isinstance(exports, dict) else ():
        if target is None and key.startswith("./"):
            yield key.removeprefix("./")


def exported(value: object, *, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield (subpath, file) of `exports` and `imports`, of all usual conditions and fallbacks."""
    keyed = value if isinstance(value, dict) and _is_keyed(value, prefix) else {prefix: value}
    for key, target in keyed.items():
        subpath = key.removeprefix("./") if prefix == "." else key
        for file in _files(target):
            if file.startswith("./"):
                yield "" if subpath == "." else subpath, file.removeprefix("./")


def _is_keyed(value: Table, prefix: str) -> bool:
    return any(key.startswith(prefix) for key in value)


def _files(target: object) -> Iterator[str]:
    waiting = [target]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        else:
            conditions = table(value)
            usual = [inner for key, inner in conditions.items() if key not in _SPECIAL]
            waiting += reversed([*(usual or conditions.values()), *array(value)])
