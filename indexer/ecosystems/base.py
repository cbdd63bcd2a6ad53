"""What an ecosystem is to us: its manifests, and how its tools read names and versions in them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from indexer.ecosystems.paths import parent, relative_to
from indexer.languages.base import ModuleName
from indexer.records.manifests import Ecosystem, Manifest


class RootDependency(NamedTuple):
    """A package's dependency: `required` as written, `pinned` the version in use, or "".

    `is_locked`: only a lock file names it, so that it comes with another dependency. `alias`: the
    name by which the package's code imports it, if it is renamed; of npm, one that ends in "/"
    begins paths, and a part of the package may follow after a space.
    """

    name: str
    required: str
    pinned: str
    is_locked: bool = False
    alias: str = ""


@dataclass(frozen=True, slots=True)
class PackageRoot:
    """A package, or with `name` "" a directory that only has dependencies.

    `manifest` is the path of the manifest that declares it. `dependencies` include those
    of the manifests above it, then what the lock files of its own directory pin beside. Other
    fields are as in `indexer.records.manifests.Manifest`.
    """

    ecosystem: Ecosystem
    name: str
    version: str
    root: str
    manifest: str
    dependencies: tuple[RootDependency, ...] = ()
    import_names: tuple[str, ...] = ()
    source_roots: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def is_file(self) -> bool:
        """Whether it is one file, which declares its dependencies itself: `root` is its path."""
        return self.root == self.manifest


Located: TypeAlias = tuple[str, Manifest]
# The directories of a repository that have an `__init__.py`; None if that is not known.
RegularPackages: TypeAlias = Callable[[], Collection[str]] | None
# The names of a file's module by its path, its namespace and its package.
ModuleNames: TypeAlias = Callable[[str, str, PackageRoot | None], Iterator[ModuleName]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageEcosystem:
    """The rules of one ecosystem's tools."""

    ecosystem: Ecosystem
    # Of the manifests and packages of a repository.
    module_names: Callable[[Sequence[Located], Iterable[PackageRoot]], ModuleNames]
    # The same, where they also depend on which directories have an `__init__.py`.
    module_names_by_files: (
        Callable[[Sequence[Located], Iterable[PackageRoot], RegularPackages], ModuleNames] | None
    ) = None
    # A version as a value that is compared by the ecosystem's order. Raises ValueError.
    parse_version: Callable[[str], Any]
    # Whether a version is in a range as it is written in a manifest. Raises ValueError.
    allows: Callable[[str, str], bool] | None = None
    # The manifests of a repository, each with what the others decide of it.
    complete: Callable[[Sequence[Located]], Iterable[Located]] | None = None
    # Whether a range as written means the package of the repository that has the name and this
    # version, given whether both are members of one workspace.
    links: Callable[[str, str, bool], bool] | None = None
    # Manifests with such an ending, in a directory of such a name, apply to the parent directory.
    inner_directories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Names of manifests by precedence, of those of one directory with the same declaration.
    decisive: tuple[str, ...] = ()
    inherits_version: bool = False  # from the manifest above
    # Whether dependencies and exact versions hold for the directories below, and so lock files.
    inherits_dependencies: bool = True
    locks_below: bool = True
    shares_directories: bool = False  # one directory may declare several packages


def parse_semantic_version(version: str) -> Any:
    """Return the version as a value with its order; minor and patch may lack. Raises ValueError."""
    from semver import Version

    return Version.parse(version.removeprefix("v"), optional_minor_and_patch=True)


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
