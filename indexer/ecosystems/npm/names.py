"""Names of a JavaScript or TypeScript file: its path, path aliases and package exports.

Manifests name built files. `dist`, `lib`, `build` and similar are read as `src`, so that
`./dist/session.js` names `src/session.ts`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from indexer.ecosystems.base import Located, ModuleNames, PackageRoot
from indexer.ecosystems.npm.package_json import HIDDEN
from indexer.ecosystems.npm.tsconfig import Configuration, configurations, is_configuration
from indexer.ecosystems.paths import ancestors, joined, parent, relative_to
from indexer.languages.base import ModuleName
from indexer.languages.ecmascript import javascript_module, javascript_modules
from indexer.records.manifests import Ecosystem

_BUILT: Final = frozenset({"dist", "lib", "build", "out", "output"})
_FORMATS: Final = frozenset({
    "esm", "cjs", "es", "es6", "commonjs", "module", "modern", "umd", "legacy", "types",
    "typings", "dts",
})  # fmt: skip
_ASIDE: Final = frozenset({
    "test", "tests", "spec", "e2e", "example", "examples", "demo", "bench", "benchmark",
    "benchmarks", "script", "scripts", "docs", "fixtures",
})  # fmt: skip
_ASIDE_ANYWHERE: Final = frozenset({"__tests__", "__mocks__", "__fixtures__"})
_JAVASCRIPT: Final = re.compile(r"\.[cm]?jsx?$")  # runs as it is: imported with its ending
_MAX_VIRTUAL: Final = 100  # configurations with such options
_ASIDE_NAME: Final = re.compile(r"\.(?:test|spec|stories|bench)\.\w+$")


class Aliases:
    """Names of files by path configurations."""

    def __init__(self, aliases: Iterable[tuple[str, str]]) -> None:
        """`aliases` are patterns and targets from the top."""
        self._by_directory: dict[str, dict[tuple[str, str], None]] = {}
        for pattern, path in aliases:
            stem = javascript_module(path)[1:]
            folder = parent(stem.partition("*")[0])
            self._by_directory.setdefault(folder, {})[pattern, stem] = None

    def names(self, path: str) -> Iterator[ModuleName]:
        """Yield the names of a file, for patterns (`@/*`) and exact aliases."""
        stems = [module[1:] for module in javascript_modules(path)]
        for directory in ancestors(parent(path)):
            for pattern, target in self._by_directory.get(directory, ()):
                for stem in stems:
                    name = _matched(stem, target, pattern)
                    if name and not name.startswith("/"):
                        yield ModuleName(name, public=False, scope=False)


def npm_names(located: Sequence[Located], packages: Iterable[PackageRoot]) -> ModuleNames:
    """Return the names: the path from the top, then by aliases and by the package's exports."""
    packages = list(packages)
    configured = list(configurations(located, packages))
    aliases = Aliases(
        chain(
            _own_aliases(located),
            (pair for configuration in configured for pair in configuration.aliases),
        )
    )
    virtual = VirtualNames(configured)
    hidden = {
        parent(path): [name for key, name in manifest.settings if key == HIDDEN]
        for path, manifest in located
        if path.rpartition("/")[2] == "package.json"
    }
    exports = {
        package.root: Exports(package, hidden.get(package.root, ()))
        for package in packages
        if package.ecosystem is Ecosystem.NPM and package.name
    }

    def names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
        for module in javascript_modules(path):
            yield ModuleName(module, public=False, scope=False)
        exported = exports.get(root.root) if root else None
        if root and exported:
            for name in exported.names(relative_to(path, root.root) or path):
                yield ModuleName(name, public=True, scope=False)
        yield from aliases.names(path)
        for other in virtual.paths(path):
            for module in javascript_modules(other):
                yield ModuleName(module, public=False, scope=False)
            yield from aliases.names(other)

    return names


def _own_aliases(located: Iterable[Located]) -> Iterator[tuple[str, str]]:
    """Yield the aliases of manifests that extend no other."""
    for path, manifest in located:
        if not is_configuration(path):
            for pattern, target in manifest.aliases:
                found = joined(parent(path), target)
                if found is not None:
                    yield pattern, found


class VirtualNames:
    """Paths by which relative imports name a file: `rootDirs` and `moduleSuffixes`."""

    def __init__(self, configured: Iterable[Configuration]) -> None:
        chosen = [
            configuration
            for configuration in configured
            if configuration.root_directories or configuration.suffixes
        ]
        self._configured = chosen[:_MAX_VIRTUAL]

    def paths(self, path: str) -> Iterator[str]:
        """Yield the other paths of a file."""
        for configuration in self._configured:
            inner = [
                found
                for root in configuration.root_directories
                if (found := relative_to(path, root))
            ]
            for root in configuration.root_directories if inner else ():
                yield f"{root}/{inner[0]}".lstrip("/")
            if relative_to(path, configuration.directory) is not None:
                stem, dot, ending = path.rpartition(".")
                for suffix in configuration.suffixes:
                    if dot and stem.endswith(suffix):
                        yield f"{stem.removesuffix(suffix)}.{ending}"


class Exports:
    """The files that a package exports, with their names."""

    def __init__(self, root: PackageRoot, hidden: Iterable[str] = ()) -> None:
        """`hidden` are subpaths, or patterns of them, that it does not export."""
        self._package = root.name
        self._hidden = tuple(hidden)
        self._exact: dict[str, dict[str, None]] = {}
        self._patterns: dict[tuple[str, str], None] = {}
        for subpath, file in root.entries:
            for stem in _sources(file, subpath):
                if "*" in file:
                    self._patterns[subpath, stem] = None
                else:
                    self._exact.setdefault(stem, {})[subpath] = None

    def names(self, seen: str) -> Iterator[str]:
        """Yield the names of the file at `seen`, relative to the package's root."""
        stems = [module[1:] for module in javascript_modules(seen)]
        subpaths = [subpath for stem in stems for subpath in self._exact.get(stem, ())]
        if not _is_aside(seen):
            stems = list(filter(None, stems))
            whole = [*stems, seen] if _JAVASCRIPT.search(seen) else stems
            subpaths += [
                name
                for subpath, target in self._patterns
                for stem in (whole if target == "*" else stems)
                if (name := _matched(stem, target, subpath))
                and not self._is_hidden(name, len(subpath))
            ]
        for subpath in subpaths:
            for export in {subpath: None, javascript_module(subpath)[1:]: None}:
                yield f"{self._package}/{export}" if export else self._package

    def _is_hidden(self, name: str, characters: int) -> bool:
        """Whether a longer pattern than the one that matches hides the name."""
        return any(
            _matched(name, pattern, pattern) and len(pattern) >= characters
            for pattern in self._hidden
        )


def _sources(file: str, subpath: str) -> Iterator[str]:
    """Yield possible sources of a built file: `dist/esm/a.js` → `dist/esm/a`, `esm/a`, …

    A folder that the subpath names too is no format: `./types` is `dist/types`, so `src/types`.
    """
    stem = javascript_module(file.removeprefix("./").strip("/"))[1:]
    yield "" if stem == "." else stem
    first, slash, rest = stem.partition("/")
    removable = _BUILT | _FORMATS
    while slash and first in removable:
        if not rest.startswith("*"):  # else it would match any file
            yield rest
        yield f"src/{rest}"
        first, slash, rest = rest.partition("/")
        removable = _FORMATS.difference(subpath.split("/"))


def _is_aside(seen: str) -> bool:
    """Whether a file is a test, an example or a script."""
    folders = seen.split("/")[:-1]
    if folders and (folders[0] in _ASIDE or not _ASIDE_ANYWHERE.isdisjoint(folders)):
        return True
    return _ASIDE_NAME.search(seen) is not None


def _matched(stem: str, target: str, pattern: str) -> str:
    """Fill `pattern` with the part of the stem at `*` in `target`; "" if it does not match."""
    if "*" not in target:
        return pattern if stem == target and "*" not in pattern else ""
    head, _, tail = target.partition("*")
    if len(stem) <= len(head) + len(tail) or not (stem.startswith(head) and stem.endswith(tail)):
        return ""
    return pattern.replace("*", stem[len(head) : len(stem) - len(tail)], 1)
