"""Manifests of npm: `package.json`, its lock files, and `tsconfig.json`."""

import json
import posixpath
import re
from collections.abc import Iterator

from indexer.manifests.parsing import Table, array, read_json, string, strings, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_EXACT = re.compile(r"[=v]?(\d+\.\d+\.\d+[\w.+-]*)")
_SECTIONS = ("dependencies", "peerDependencies", "optionalDependencies", "devDependencies")
# Conditions of `exports` that are variants of a general one.
_SPECIAL = frozenset({
    "development", "browser", "react-server", "react-native", "worker", "workerd", "edge",
    "edge-light", "deno", "bun", "electron", "netlify", "convex",
})  # fmt: skip
_ITEM = re.compile(r"\s*-\s+(\S.*)")


def read_package_json(text: str) -> Manifest:
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


def read_pnpm_workspace(text: str) -> Manifest:
    """Read the items of `packages`, one per line or all in one line, as pnpm documents them."""
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
    return Manifest(Ecosystem.NPM, members=tuple(member for member in members if member))


_MODULES = "node_modules/"
_YARN_NAME = re.compile(r'"?(?P<name>@?[^@"\s,]+)@(?:npm:)?(?P<real>@?[\w./-]+(?=@))?')
_YARN_VERSION = re.compile(r'  version:? "?(?P<version>[^"\s]+)"?')
# Keys of `packages`: /name/1.0.0 (v5), /name@1.0.0 (v6), name@1.0.0(peer@2.0.0) (v9).
_PNPM_KEY = re.compile(r"  '?/?(?P<name>@?[^@/:\s']+(?:/[^@/:\s']+)?)[@/](?P<version>\d[^:(_'\s]*)")
_PNPM_DIRECT = re.compile(r" +'?(?P<name>[^':\s]+)'?:(?: '?(?P<version>\d[^'(_\s]*))?")


def read_package_lock(text: str) -> Manifest:
    """Read versions 1 to 3 and npm-shrinkwrap.json. Raises ValueError and RecursionError."""
    document = read_json(text)
    pins = [*_installed(table(document, "packages")), *_nested(document)]
    return Manifest(Ecosystem.NPM, pins=tuple(pins))


def _installed(packages: Table) -> Iterator[Pin]:
    for path in sorted(packages, key=lambda path: path.count(_MODULES)):
        entry = table(packages[path])
        name = string(entry.get("name")) or path.rpartition(_MODULES)[2]
        if _MODULES in path and not entry.get("link"):
            yield Pin(name, string(entry.get("version")))


def _nested(document: Table) -> Iterator[Pin]:
    """Yield the pins of nested `dependencies`, the outer ones first."""
    level = [table(document, "dependencies")]
    while level:
        for entries in level:
            for name, entry in entries.items():
                yield from _nested_pin(name, string(table(entry).get("version")))
        level = [
            inner
            for entries in level
            for entry in entries.values()
            if (inner := table(entry, "dependencies"))
        ]


def _nested_pin(name: str, version: str) -> Iterator[Pin]:
    if version.startswith("npm:"):
        name, _, version = version[4:].rpartition("@")
    if version[:1].isdigit():
        yield Pin(name, version)


def read_yarn_lock(text: str) -> Manifest:
    """Read version 1 and berry, without packages that a workspace links."""
    return Manifest(Ecosystem.NPM, pins=tuple(_yarn_pins(text)))


def _yarn_pins(text: str) -> Iterator[Pin]:
    name = ""
    for line in text.splitlines():
        if line[:1] not in {" ", "#", ""}:
            found = _YARN_NAME.match(line) if "@workspace:" not in line else None
            name = (found["real"] or found["name"]) if found else ""
        elif name:
            version = _YARN_VERSION.match(line)
            if version:
                yield Pin(name, version["version"])
                name = ""


def read_pnpm_lock(text: str) -> Manifest:
    """Read line by line: first the importers' direct dependencies, then all packages."""
    sections: dict[str, list[Pin]] = {"importers": [], "packages": []}
    section = name = ""
    for line in text.splitlines():
        if line[:1] not in {" ", ""}:
            section = line.partition(":")[0]
            section = "importers" if section.endswith("ependencies") else section
        elif section == "packages" and (found := _PNPM_KEY.match(line)):
            sections[section].append(Pin(found["name"], found["version"]))
        elif section == "importers" and (found := _PNPM_DIRECT.match(line)):
            name = found["name"] if found["name"] not in {"specifier", "version"} else name
            if found["version"] and found["name"] != "specifier":
                sections[section].append(Pin(name, found["version"]))
    return Manifest(Ecosystem.NPM, pins=(*sections["importers"], *sections["packages"]))


# Keeps strings; drops comments and commas before a closing bracket. An unclosed string or comment
# runs to the end: a retry from its inside would take quadratic time.
_STRING = r'("(?:[^"\\]|\\.)*+(?:"|\Z|\\\Z))'
_JSONC = re.compile(_STRING + r"|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TRAILING_COMMA = re.compile(_STRING + r"|,(?=\s*+[\]}])", re.DOTALL)


def read_tsconfig(text: str) -> Manifest:
    """Read tsconfig.json. `aliases` are `paths`, then the bare names that `baseUrl` allows.

    Raises ValueError and RecursionError.
    """
    options = table(_read_jsonc(text), "compilerOptions")
    return Manifest(Ecosystem.NPM, aliases=tuple(_aliases(options)))


def _aliases(options: dict[str, object]) -> Iterator[tuple[str, str]]:
    base = string(options.get("baseUrl"))
    for pattern, targets in table(options, "paths").items():
        for target in strings(targets):
            yield pattern, posixpath.normpath(posixpath.join(base, target))
    if base:
        yield "*", posixpath.normpath(posixpath.join(base, "*"))


def _read_jsonc(text: str) -> object:
    bare = _JSONC.sub(lambda found: found[1] or " ", text)
    return json.loads(_TRAILING_COMMA.sub(lambda found: found[1] or "", bare))
