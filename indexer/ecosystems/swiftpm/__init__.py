"""Packages of Swift."""

from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.base import PackageEcosystem, PackageRoot, parse_semantic_version
from indexer.ecosystems.paths import relative_to
from indexer.ecosystems.swiftpm.manifests import allows
from indexer.languages.base import ModuleName
from indexer.records.manifests import Ecosystem


def swift_names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
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


SWIFTPM: Final = PackageEcosystem(
    ecosystem=Ecosystem.SWIFTPM,
    module_names=lambda *_: swift_names,
    parse_version=parse_semantic_version,
    allows=allows,
)
