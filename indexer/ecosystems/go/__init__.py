"""Modules of Go."""

from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.base import PackageEcosystem, PackageRoot
from indexer.ecosystems.go.manifests import allows, parse_version, with_workspaces
from indexer.ecosystems.paths import parent, relative_to
from indexer.languages.base import ModuleName
from indexer.records.manifests import Ecosystem

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


GO: Final = PackageEcosystem(
    ecosystem=Ecosystem.GO,
    module_names=lambda *_: go_names,
    parse_version=parse_version,
    allows=allows,
    complete=with_workspaces,
    inherits_dependencies=False,
)
