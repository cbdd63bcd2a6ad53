"""package.json."""

import re
from collections.abc import Iterator

from indexer.ecosystems.parsing import Table, array, read_json, string, strings, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_EXACT = re.compile(r"[=v]?(\d+\.\d+\.\d+[\w.+-]*)")
_SECTIONS = ("dependencies", "peerDependencies", "optionalDependencies", "devDependencies")
# Conditions of `exports` that are variants of a general one.
_SPECIAL = frozenset({
    "development", "browser", "react-server", "react-native", "worker", "workerd", "edge",
    "edge-light", "deno", "bun", "electron", "netlify", "convex",
})  # fmt: skip


def read_package_json(text: str, _path: str) -> Manifest:
    """Read package.json. Without `exports`, `entries` has ("*", "*"): every file is importable.

    A null target in `exports` hides nothing. Raises ValueError and RecursionError.
    """
    document = read_json(text)
    workspaces = document.get("workspaces")
    dependencies = tuple(_dependencies(document))
    return Manifest(
        Ecosystem.NPM,
        name=string(document.get("name")),
        version=string(document.get("version")),
        entries=tuple(_entries(document)),
        aliases=tuple(_exported(document.get("imports"), prefix="#")),
        members=tuple(strings(workspaces) or strings(table(workspaces).get("packages"))),
        dependencies=dependencies,
        renamed=tuple(_renamed(document)),
        pins=tuple(
            Pin(one.name, found[1])
            for one in dependencies
            if (found := _EXACT.fullmatch(one.required))
        ),
    )


def _dependencies(document: Table) -> Iterator[Dependency]:
    for section in _SECTIONS:
        for name, wanted in table(document, section).items():
            required = string(wanted)
            if required.startswith("npm:"):  # an alias of another package
                real, at, version = required[4:].rpartition("@")
                yield Dependency(real or version, version if real and at else "")
            else:
                yield Dependency(name, "" if required == "*" else required)


def _renamed(document: Table) -> Iterator[tuple[str, str]]:
    for section in _SECTIONS:
        for local, wanted in table(document, section).items():
            required = string(wanted)
            if required.startswith("npm:"):
                real, _, version = required[4:].rpartition("@")
                yield local, real or version


def _entries(document: Table) -> Iterator[tuple[str, str]]:
    exports = document.get("exports")
    if exports is not None:
        yield from _exported(exports, prefix=".")
        return
    files = [string(document.get(key)) for key in ("main", "module", "types", "typings", "browser")]
    yield from (("", file) for file in dict.fromkeys(files) if file)
    if not any(files):
        yield from (("", "index.js"), ("", "src/index.js"))
    yield "*", "*"
    first = files[0].removeprefix("./").partition("/")[0]
    if "/" in files[0].removeprefix("./"):
        yield f"{first}/*", f"{first}/*"


def _exported(value: object, *, prefix: str) -> Iterator[tuple[str, str]]:
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
