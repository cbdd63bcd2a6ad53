"""Import paths of Go packages."""

from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.base import PackageRoot
from indexer.ecosystems.paths import parent, relative_to
from indexer.languages.base import ModuleName

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
