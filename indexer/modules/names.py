"""Names of a file's module, from its path, its namespace and its package's root."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from indexer.languages.base import ModuleName
from indexer.languages.ruby import ruby_module
from indexer.languages.rust import rust_module
from indexer.modules.paths import joined, parent, relative_to
from indexer.modules.roots import PackageRoot

_RUST_ASIDE: Final = ("tests/", "examples/", "benches/", "bin/")
_GO_HIDDEN: Final = frozenset({"internal", "testdata"})


def go_names(path: str, namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Return the package's import path. Test packages (`x_test`) have their own name."""
    directory = parent(path)
    seen = relative_to(path, root.root) if root and root.name else None
    if root is None or seen is None:
        yield ModuleName("/" + directory, public=False, scope=True)
        return
    inside = parent(seen)
    name = f"{root.name}/{inside}" if inside else root.name
    is_test = path.endswith("_test.go")
    is_hidden = namespace == "main" or not _GO_HIDDEN.isdisjoint(inside.split("/"))
    suffix = "_test" if is_test and namespace.endswith("_test") else ""
    yield ModuleName(name + suffix, public=not (is_test or is_hidden), scope=True)


def namespace_names(path: str, namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Return the declared namespace; without one, a scope private to the package."""
    directory = root.root if root else ""
    if not namespace:
        yield ModuleName("/" + directory, public=False, scope=True)
        return
    seen = parent(relative_to(path, directory) or path).removesuffix(namespace.replace(".", "/"))
    yield ModuleName(namespace, public=not _is_test(seen.split("/")), scope=True)


def _is_test(folders: list[str]) -> bool:
    """Detect `src/test/java`, `src/androidTest/kotlin`, `tests/Unit`, `Acme.Auth.Tests/`."""
    if any(folder.endswith("Tests") or folder == "tests" for folder in folders):
        return True
    around = ["src", *folders]
    return any(
        outer == "src" and (folder.lower() == "test" or folder.endswith("Test"))
        for outer, folder in pairwise(around)
    )


def rust_names(path: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Return the path from the crate's source directory, after the crate's name if public."""
    yield ModuleName(rust_module(path), public=False, scope=False)
    if root is None or not root.name:
        return
    crate = next(iter(root.import_names), root.name).replace("-", "_")
    library = next((file for _, file in root.entries), "src/lib.rs")
    seen = relative_to(path, joined(root.root, parent(library)) or "")
    if seen is None or seen in {"main.rs", "build.rs"} or seen.startswith(_RUST_ASIDE):
        return
    if joined(root.root, library) == path:
        yield ModuleName(crate, public=True, scope=False)
        return
    parts = seen.removesuffix(".rs").split("/")
    inner = parts[:-1] if parts[-1] in {"mod", "lib"} else parts
    yield ModuleName(".".join([crate, *inner]), public=True, scope=False)


def ruby_names(path: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Return the path for `require`. Constants are global, so the package is one scope."""
    yield ModuleName(ruby_module(path), public=False, scope=False)
    seen = relative_to(path, root.root) if root else path
    inside = relative_to(seen or "", "lib")
    if inside and inside.endswith(".rb"):
        is_public = bool(root and root.name)
        yield ModuleName(inside.removesuffix(".rb"), public=is_public, scope=False)
    package = (root.name or "/" + root.root) if root else "/"
    yield ModuleName(f"gem:{package}", public=False, scope=True)


def swift_names(path: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Return the target, by its declared directory or `Sources/<target>`, `Tests/<target>`."""
    directory = root.root if root else ""
    seen = relative_to(path, directory) or path
    targets = sorted(root.entries, key=lambda entry: -len(entry[1])) if root else ()
    for target, folder in targets:
        if relative_to(seen, folder) is not None:
            is_test = seen.startswith("Tests/") or target.endswith("Tests")
            yield ModuleName(target, public=not is_test, scope=True)
            return
    first, _, rest = seen.partition("/")
    target, slash, _ = rest.partition("/")
    if first in {"Sources", "Tests"} and slash:
        yield ModuleName(target, public=bool(root) and first == "Sources", scope=True)
        return
    yield ModuleName("/" + directory, public=False, scope=True)
