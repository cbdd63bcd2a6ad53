"""Paths of Rust's modules, from the source directory and from the crate."""

from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.base import PackageRoot
from indexer.ecosystems.paths import joined, parent, relative_to
from indexer.languages.base import ModuleName
from indexer.languages.rust import rust_module

_RUST_ASIDE: Final = ("tests/", "examples/", "benches/", "bin/")


def rust_names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
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
