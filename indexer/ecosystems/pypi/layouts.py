"""Which files a package has and under which names, as its build backend decides.

`pyproject.py` and `setuptools.py` read it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from indexer.ecosystems.parsing import Table, strings

FIND: Final = "find"  # setuptools: packages are looked for, nothing is left out by its name
# Only directories with an `__init__.py` are packages: of what is found, or of usual places.
REGULAR: Final = "regular"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageLayout:
    """A layout; directories and patterns are relative to the manifest's directory.

    `mounts` are (dotted module or "", directory or file that is packaged as it). `include` and
    `exclude` are gitignore's patterns of files, no `include` for all that is mounted. `packages`
    and `excluded` are setuptools' patterns of dotted packages, `modules` its single modules; with
    REGULAR in `packages` other directories are none. `usual` are the places where a package is
    looked for, of which the first that has an `__init__.py` counts; patterns as in `include`.
    """

    backend: str = ""
    mounts: tuple[tuple[str, str], ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()

    @property
    def source_roots(self) -> tuple[str, ...]:
        return tuple(directory for name, directory in self.mounts if not name)

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, directory or ".") for name, directory in self.mounts if name)

    @property
    def import_names(self) -> tuple[str, ...]:
        """The top-level modules that it declares."""
        names = [*self.packages, *self.modules, *(name for name, _ in self.mounts)]
        tops = (name.partition(".")[0] for name in names if name not in {FIND, REGULAR, "*"})
        return tuple(dict.fromkeys(filter(None, tops)))

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """As in `Manifest.settings`; `layout_of` reads them."""
        lists = {
            "include": self.include,
            "exclude": self.exclude,
            "package": self.packages,
            "excluded": self.excluded,
            "module": self.modules,
            "usual": self.usual,
        }
        backend = (("backend", self.backend),) if self.backend else ()
        return (*backend, *((key, value) for key, values in lists.items() for value in values))


def layout_of(
    source_roots: Iterable[str],
    entries: Iterable[tuple[str, str]],
    settings: Iterable[tuple[str, str]],
) -> PackageLayout:
    """Read a manifest's fields back."""
    lists: dict[str, list[str]] = {}
    for key, value in settings:
        lists.setdefault(key, []).append(value)
    roots = (("", directory) for directory in source_roots)
    return PackageLayout(
        backend=next(iter(lists.get("backend", ())), ""),
        mounts=(*((name, clean(directory)) for name, directory in entries), *roots),
        include=tuple(lists.get("include", ())),
        exclude=tuple(lists.get("exclude", ())),
        packages=tuple(lists.get("package", ())),
        excluded=tuple(lists.get("excluded", ())),
        modules=tuple(lists.get("module", ())),
        usual=tuple(lists.get("usual", ())),
    )


def clean(directory: str) -> str:
    """Return a directory without "." and empty parts."""
    return "/".join(part for part in directory.split("/") if part not in {"", "."})


def setuptools_layout(
    *,
    directories: Mapping[str, str],
    packages: Iterable[str] | None,
    find: Table | None,
    modules: Iterable[str],
    finds_regular: bool = False,
) -> PackageLayout:
    """Read `package_dir`, `packages`, the arguments of `find` and `py_modules`; None if absent."""
    where = [clean(place) for place in strings((find or {}).get("where"))]
    mounts = [(name, clean(directory)) for name, directory in directories.items()]
    mounts += [("", directory) for directory in where if ("", directory) not in mounts]
    listed = list(packages or ())
    if find is not None:
        listed += [FIND, *([REGULAR] if finds_regular else []), *strings(find.get("include"))]
    return PackageLayout(
        backend="setuptools",
        mounts=tuple(mounts),
        packages=tuple(listed),
        excluded=tuple(strings((find or {}).get("exclude"))),
        modules=tuple(modules),
    )
