"""Paths for `require` of Ruby's files."""

from collections.abc import Iterator

from indexer.ecosystems.base import PackageRoot
from indexer.ecosystems.paths import relative_to
from indexer.languages.base import ModuleName
from indexer.languages.ruby import ruby_module


def ruby_names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Return the path for `require`. Constants are global, so the package is one scope."""
    yield ModuleName(ruby_module(path), public=False, scope=False)
    seen = relative_to(path, root.root) if root else path
    inside = relative_to(seen or "", "lib")
    if inside and inside.endswith(".rb"):
        is_public = bool(root and root.name)
        yield ModuleName(inside.removesuffix(".rb"), public=is_public, scope=False)
    package = (root.name or "/" + root.root) if root else "/"
    yield ModuleName(f"gem:{package}", public=False, scope=True)
