"""Names of a Python file: from the repository's root, and as dotted import paths."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from indexer.ecosystems.base import Located, ModuleNames, PackageRoot
from indexer.ecosystems.paths import ancestors, joined, parent, relative_to
from indexer.ecosystems.pypi.layouts import FIND, PackageLayout, layout_of
from indexer.ecosystems.pypi.patterns import fits, matches_any
from indexer.languages.base import ModuleName
from indexer.languages.python import python_module

# Folders and modules that setuptools leaves out of an undeclared flat layout
# (FlatLayoutPackageFinder, FlatLayoutModuleFinder).
_NO_PACKAGES: Final = frozenset({
    "ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments",
    "changelog", "test", "tests", "unit_test", "unit_tests", "example", "examples", "scripts",
    "tools", "util", "utils", "python", "build", "benchmark", "benchmarks", "exercise",
    "exercises", "htmlcov", "tasks", "fabfile", "site_scons",
})  # fmt: skip
_NO_MODULES: Final = frozenset({
    "setup", "conftest", "test", "tests", "example", "examples", "build", "toxfile", "noxfile",
    "pavement", "dodo", "tasks", "fabfile", "SConstruct", "sconstruct", "Sconstruct",
    "conanfile", "manage", "benchmark", "benchmarks", "exercise", "exercises",
})  # fmt: skip
_FILES: Final = ("pyproject.toml", "setup.cfg", "setup.py")


def python_names(located: Sequence[Located], _packages: Iterable[PackageRoot]) -> ModuleNames:
    """Return the names of modules by the layouts and search paths of the manifests."""
    layouts = dict(_layouts(located))
    searched = frozenset(
        directory
        for path, manifest in located
        for key, value in manifest.settings
        if key == "path" and (directory := joined(parent(path), value))
    )

    def names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
        yield ModuleName(python_module(path), public=False, scope=False)
        yield from _packaged(path, root, layouts)
        yield from _internal(path, root, searched)

    return names


def _layouts(located: Iterable[Located]) -> Iterator[tuple[str, PackageLayout]]:
    """Yield directory and layout, from the first file there that declares more than a backend."""
    found: dict[str, list[tuple[int, PackageLayout]]] = {}
    for path, manifest in located:
        directory, _, name = path.rpartition("/")
        if name in _FILES and manifest.is_read:
            layout = layout_of(manifest.source_roots, manifest.entries, manifest.settings)
            found.setdefault(directory, []).append((_FILES.index(name), layout))
    for directory, layouts in found.items():
        layouts.sort(key=lambda item: item[0])
        declaring = (one for _, one in layouts if one != PackageLayout(backend="setuptools"))
        yield directory, next(declaring, layouts[0][1])


def _packaged(
    path: str, root: PackageRoot | None, layouts: Mapping[str, PackageLayout]
) -> Iterator[ModuleName]:
    """Yield the name under which the package has the file, public if the package has a name."""
    seen = relative_to(path, root.root) if root else None
    if root is None or seen is None:
        return
    layout = layouts.get(root.root, PackageLayout())
    if layout.backend == "setuptools":
        name = _set_up(seen, layout)
    elif layout.backend:
        name = _built(seen, layout)
    else:
        name = _usual(seen, root)
    name = _without_stubs(name) if name and path.endswith(".pyi") else name
    if name and all(part.isidentifier() for part in name.split(".")):
        yield ModuleName(name, public=bool(root.name), scope=False)


def _without_stubs(name: str) -> str:
    """Return the package that a distribution of stubs (PEP 561) describes."""
    top, dot, rest = name.partition(".")
    return top.removesuffix("-stubs") + dot + rest


def _internal(
    path: str, root: PackageRoot | None, searched: frozenset[str]
) -> Iterator[ModuleName]:
    """Yield the names by which the repository's own code may import the file.

    They begin where Python is started: at the root, at the manifest's directory, in `src` of
    either, in a directory that begins a package, or in one that a file names for it.
    """
    starts = [root.root, ""] if root else [""]
    sources = [f"{one}/src" if one else "src" for one in starts]
    declared = [joined(root.root, one) or "" for one in root.source_roots] if root else []
    named = [one for one in ancestors(parent(path)) if one in searched]
    for directory in [*starts, *sources, *declared, *named]:
        seen = relative_to(path, directory)
        if seen and (name := _dotted(seen)):
            yield ModuleName(name, public=False, scope=False)


def _dotted(path: str) -> str:
    """Return the dotted name; "" if Python cannot import it."""
    name = python_module(path).removeprefix("/")
    return name if all(part.isidentifier() for part in name.split(".")) else ""


def _mounted(seen: str, mounts: Iterable[tuple[str, str]]) -> str | None:
    """Return the dotted name below the innermost mount around the file; None without one."""
    found = [(len(place), name, place) for name, place in mounts if _is_in(seen, place)]
    if not found:
        return None
    _, name, place = max(found)
    rest = python_module((relative_to(seen, place) or "") if seen != place else "").strip("/")
    return f"{name}.{rest}" if name and rest else name or rest


def _is_in(seen: str, place: str) -> bool:
    return seen == place or relative_to(seen, place) is not None


def _built(seen: str, layout: PackageLayout) -> str | None:
    """Return the name by a backend that lists what it packs."""
    if layout.include and not matches_any(layout.include, seen):
        return None
    if matches_any(layout.exclude, seen):
        return None
    return _mounted(seen, layout.mounts)


def _set_up(seen: str, layout: PackageLayout) -> str | None:
    """Return the name by setuptools: what is listed, found, or discovered without either."""
    is_declared = bool(layout.packages or layout.modules)
    declared = list(layout.mounts)
    if not declared and not is_declared and relative_to(seen, "src") is not None:
        declared = [("", "src")]
    if is_declared or not declared:
        declared += [] if any(not name for name, _ in declared) else [("", "")]
    name = _mounted(seen, declared)
    if not name or _is_elsewhere(name, seen, declared):
        return None
    package = name if seen.rpartition("/")[2].startswith("__init__.py") else name.rpartition(".")[0]
    if is_declared:
        return name if _is_listed(package, name, layout) else None
    is_flat = not any(place and _is_in(seen, place) for _, place in declared)
    return name if not is_flat or _is_discovered(package, name) else None


def _is_elsewhere(name: str, seen: str, mounts: Iterable[tuple[str, str]]) -> bool:
    """Whether the package of that name is in another directory."""
    return any(
        one and f"{name}.".startswith(f"{one}.") and not _is_in(seen, place)
        for one, place in mounts
    )


def _is_listed(package: str, name: str, layout: PackageLayout) -> bool:
    if name in layout.modules:
        return True
    if not package or any(fits(package, one) for one in layout.excluded):
        return False
    if FIND in layout.packages:
        wanted = [one for one in layout.packages if one != FIND] or ["*"]
        return any(fits(package, one) for one in wanted)
    return package in layout.packages


def _is_discovered(package: str, name: str) -> bool:
    """Whether a flat layout packs it; modules beside packages are not told from single ones."""
    top = name.partition(".")[0]
    if top.startswith(("_", ".")):
        return False
    return top not in (_NO_PACKAGES if package else _NO_MODULES)


def _usual(seen: str, root: PackageRoot) -> str | None:
    """Return the name by what is usual, for an unknown backend."""
    sources = root.source_roots or ("src",)
    around = [source for source in sources if source and relative_to(seen, source) is not None]
    source = max(around, key=len, default="")
    if root.source_roots and not around and "" not in root.source_roots:
        return None
    name = _mounted(seen, [*root.entries, ("", source)])
    top = (name or "").partition(".")[0]
    if root.import_names:
        return name if any(fits(top, one) for one in root.import_names) else None
    return name if source or _is_discovered(seen.rpartition("/")[0], name or "") else None
