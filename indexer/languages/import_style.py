"""How a language writes imports: what a module is called, and which names a statement binds."""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

SEPARATOR: Final = re.compile(r"\s*(?:::|\.|\\)\s*")


@lru_cache(maxsize=10_000)
def dotted(text: str) -> str:
    """A path with dots between its names: `Acme\\Auth`, `a::b` → `Acme.Auth`, `a.b`."""
    return ".".join(part for part in SEPARATOR.split(text.strip()) if part)


def last_name(module: str, _is_used: Callable[[str], bool]) -> str:
    """The last name of a module's path."""
    return SEPARATOR.split(module)[-1]


def beside(path: str, relative: str) -> str:
    """The path that `relative` means in the file `path`; "" if it leaves the repository."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
    return "" if joined.startswith("..") else joined.removeprefix("/")


def relative_module(file: str, module: str, name: Callable[[str], str]) -> str:
    """The module of the path `module` relative to `file`, named by `name`; else as written."""
    path = beside(file, module)
    return name("" if path == "." else path) if path else module


@dataclass(frozen=True, slots=True)
class ImportStyle:
    """`path(file, module, inside)` is the path of a module as written in `file`, where `inside` is
    the dotted name of the file's own modules around the statement (Rust).

    `local_name(module, is_used)` is the name that an import without an alias binds; `is_used(name)`
    is true if the file has `name.`.
    """

    path: Callable[[str, str, str], str] = lambda _file, module, _inside: dotted(module)
    local_name: Callable[[str, Callable[[str], bool]], str] = last_name
    binds_first_name: bool = False  # `import a.b` binds `a`
    binds_no_name: bool = False  # a module is imported by wildcard
    namespace_wildcards: bool = False  # so is a namespace without an alias
    has_inner_modules: bool = False  # a file may have modules of its own


DOTTED: Final = ImportStyle()  # names down to a class or member: Java, Kotlin, Scala, PHP
NAMESPACE: Final = ImportStyle(namespace_wildcards=True)  # C#, Swift
