"""Import styles of languages: paths of modules, and names that a statement binds."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from indexer.records.references import ANY_DIRECTORY

PATH_END_NAMES: Final = 8  # at the end of a path, by which a file may include it
SEPARATOR: Final = re.compile(r"\s*(?:::|\.|\\)\s*")


@lru_cache(maxsize=10_000)
def dotted(text: str) -> str:
    """Convert separators to dots: `Acme\\Auth`, `a::b` → `Acme.Auth`, `a.b`."""
    return ".".join(part for part in SEPARATOR.split(text.strip()) if part)


def last_name(module: str, _is_used: Callable[[str], bool]) -> str:
    """Return the last name of a module's path."""
    return SEPARATOR.split(module)[-1]


def beside(path: str, relative: str) -> str:
    """Resolve `relative` against the file `path`; "" if it leaves the repository."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
    return "" if joined.startswith("..") else joined.removeprefix("/")


def relative_module(file: str, module: str, name: Callable[[str], str]) -> str:
    """Resolve `module` against `file` and convert it by `name`; outside paths stay as written."""
    path = beside(file, module)
    return name("" if path == "." else path) if path else module


def path_module(path: str) -> str:
    """Return the module of a file that others name by its path: `src/auth.h` → `/src/auth.h`."""
    return "/" + path


def path_ends(path: str) -> Iterator[str]:
    """Yield the ends of a path, which a search path or a variable may make the whole."""
    parts = path.split("/")
    for count in range(1, min(len(parts), PATH_END_NAMES) + 1):
        yield ANY_DIRECTORY + "/".join(parts[-count:])


@dataclass(frozen=True, slots=True)
class ImportStyle:
    """A language's rules for imports.

    `path(file, module, inside)` is the path of a module as written in `file`; `inside` is the
    dotted name of the file's own modules around the statement (Rust). `local_name(module, is_used)`
    is the name that an import without an alias binds; `is_used(name)` is true if the file has
    `name.`.
    """

    path: Callable[[str, str, str], str] = lambda _file, module, _inside: dotted(module)
    local_name: Callable[[str, Callable[[str], bool]], str] = last_name
    # A module as written, with the values of the file's own variables in it.
    expand: Callable[[str, bytes], str] = lambda module, _source: module
    binds_first_name: bool = False  # `import a.b` binds `a`
    binds_no_name: bool = False  # a module is imported by wildcard
    namespace_wildcards: bool = False  # a namespace without an alias is a wildcard
    # In languages whose files may contain modules: the path of a module that is another file, from
    # (file, name, inside, the other file as the statement gives it, or "").
    submodule: Callable[[str, str, str, str], str] | None = None

    @property
    def has_inner_modules(self) -> bool:
        """Whether a file may contain modules."""
        return self.submodule is not None


DOTTED: Final = ImportStyle()  # names down to a class or member: Java, Kotlin, Scala, PHP
NAMESPACE: Final = ImportStyle(namespace_wildcards=True)  # C#, Swift
