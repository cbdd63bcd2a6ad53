"""Names of the module of a file that declares its namespace."""

from collections.abc import Iterator
from itertools import pairwise

from indexer.ecosystems.base import PackageRoot
from indexer.ecosystems.paths import parent, relative_to
from indexer.languages.base import ModuleName


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
