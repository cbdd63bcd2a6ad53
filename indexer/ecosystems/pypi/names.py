"""Names of a Python file: from the repository's root, and as dotted import paths."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from indexer.ecosystems.base import PackageRoot
from indexer.ecosystems.paths import joined, relative_to
from indexer.languages.base import ModuleName
from indexer.languages.python import python_module

# Folders that setuptools excludes from an undeclared flat layout (FlatLayoutPackageFinder).
_NOT_PACKAGED: Final = frozenset({
    "ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments",
    "changelog", "test", "tests", "unit_test", "unit_tests", "example", "examples", "scripts",
    "tools", "util", "utils", "python", "build", "benchmark", "benchmarks", "exercise",
    "exercises", "htmlcov", "tasks", "fabfile", "site_scons",
})  # fmt: skip


def python_names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Yield `/auth.middleware` by path, and `auth.middleware` from the source root."""
    yield ModuleName(python_module(path), public=False, scope=False)
    if root is None:
        yield from _named(relative_to(path, "src") or path, public=False)
        return
    renamed = _renamed(path, root)
    if renamed:
        yield from _named(renamed, public=bool(root.name))
        return
    seen = relative_to(path, root.root) or path
    source = _source_root(seen, root)
    inside = relative_to(seen, source) or seen
    yield from _named(inside, public=bool(root.name) and _is_public(inside, source, root))


def _named(inside: str, *, public: bool) -> Iterator[ModuleName]:
    dotted = python_module(inside).removeprefix("/")
    if dotted:
        yield ModuleName(dotted, public, scope=False)


def _renamed(path: str, root: PackageRoot) -> str | None:
    """Return the path below a directory that is packaged as another: `lib/x.py` → `acme/x.py`."""
    for name, directory in root.entries:
        seen = relative_to(path, joined(root.root, directory) or "")
        if seen is not None:
            return f"{name.replace('.', '/')}/{seen}"
    return None


def _source_root(seen: str, root: PackageRoot) -> str:
    """Return the innermost declared directory around the file; `src` if none is declared."""
    declared = root.source_roots or ("src",)
    around = [source for source in declared if source and relative_to(seen, source) is not None]
    return max(around, key=len, default="")


def _is_public(inside: str, source: str, root: PackageRoot) -> bool:
    first, slash, rest = inside.partition("/")
    if "tests" in rest.split("/")[:-1]:
        return False
    top = first if slash else first.partition(".")[0]
    is_packaged = bool(source) or not root.source_roots or "" in root.source_roots
    if root.import_names:
        return is_packaged and any(fnmatchcase(top, name) for name in root.import_names)
    return is_packaged if source else is_packaged and _is_found(top, slash, root)


def _is_found(top: str, slash: str, root: PackageRoot) -> bool:
    """Whether a flat layout without declared modules packages the module."""
    if not slash:  # a module beside the manifest, if it has the package's name
        return top.lower() == root.name.replace("-", "_")
    return top not in _NOT_PACKAGED and not top.startswith(("_", "."))
