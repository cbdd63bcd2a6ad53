"""Import statements as records, their paths normalised from the importing file's own path alone.

The forms of paths are those of docs/trace.md; `module_paths` has what they share with modules.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from indexer.languages.traits import ImportStyle
from indexer.modules.paths import (
    beside,
    include_module,
    javascript_module,
    python_package,
    ruby_module,
    rust_module,
    rust_source,
)
from indexer.records.references import cut_path

_KEYWORDS = re.compile(
    r"(?:(?:pub(?:\([^()]*\))?|global|import|using|use|static|function|const|extern crate|struct"
    r"|class|enum|protocol|func|typealias|let|var|@\w+(?:\([^()]*\))?)\s+)+"
)
_ALIAS = re.compile(r"\s+(?:as|=>)\s+|\s*=>\s*")
_SEPARATOR = re.compile(r"\s*(?:::|\.|\\)\s*")
_WILDCARDS = ("*", "_", "given")
_MAX_GROUPS = 16
_GO_VERSION = re.compile(r"v\d+$")
_GO_DOT_VERSION = re.compile(r"\.v\d+$")
_RUST_ROOTS = ("crate", "self", "super")


class Imported(NamedTuple):
    """One name of an import statement as written: `names` is what stands after the module.

    `local` is "" where the statement gives no other name; with `is_wildcard` it binds none.
    """

    module: str
    names: tuple[str, ...] = ()
    local: str = ""
    is_wildcard: bool = False


@lru_cache(maxsize=10_000)
def expand(statement: str) -> tuple[Imported, ...]:
    """The names of a statement that writes paths: `use a::{b, c as d}`, `import static a.B.*;`,
    `using X = A.B;`, `import a.{b => c, _}`.
    """
    return tuple(_names(statement))


def _names(statement: str) -> Iterator[Imported]:
    text = _KEYWORDS.sub("", statement.strip().removesuffix(";").strip(), count=1).strip()
    local, equals, target = text.partition("=")
    if equals and not target.startswith(">") and "{" not in text:
        yield Imported(_dotted(target.partition("<")[0]), (), local.strip())
        return
    for part in _split(text):
        yield from _expand(part, 0)


def _expand(text: str, depth: int) -> Iterator[Imported]:
    prefix, brace, rest = text.partition("{")
    if brace and depth < _MAX_GROUPS:
        for part in _split(rest[: rest.rfind("}")]):
            yield from _expand(prefix.strip() + _KEYWORDS.sub("", part.strip()), depth + 1)
        return
    path, *alias = _ALIAS.split(text.strip(), maxsplit=1)
    parts = [part for part in _SEPARATOR.split(path.strip()) if part]
    if not parts or (alias and alias[0].strip() == "_"):
        return
    if parts[-1] in _WILDCARDS:
        yield Imported(".".join(parts[:-1]), (), "", is_wildcard=True)
        return
    if parts[-1] == "self" and len(parts) > 1:
        parts.pop()
    yield Imported(".".join(parts), (), alias[0].strip() if alias else "")


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


@lru_cache(maxsize=10_000)
def _dotted(text: str) -> str:
    return ".".join(part for part in _SEPARATOR.split(text.strip()) if part)


def import_path(style: ImportStyle, file: str, module: str, inside: str = "") -> str:
    """The normalised path of a module as written in `file`.

    `inside` is the dotted name of the file's own modules around the statement (Rust). A path that
    leaves the repository, or cannot be told, stays as written.
    """
    match style:
        case ImportStyle.PYTHON:
            path = _python(file, module)
        case ImportStyle.ECMASCRIPT:
            path = _relative(file, module, javascript_module) if module.startswith(".") else module
        case ImportStyle.RUBY:
            path = _relative(file, module, ruby_module) if module.startswith(".") else module
        case ImportStyle.INCLUDE:
            path = (
                module[1:-1] if module.startswith("<") else _relative(file, module, include_module)
            )
        case ImportStyle.RUST:
            path = _rust(file, _dotted(module), inside)
        case ImportStyle.GO:
            path = module
        case _:
            path = _dotted(module)
    return cut_path(path)


def join_path(module: str, names: Sequence[str]) -> str:
    """A path to a name in a module: `a.b` and `c` → `a.b.c`."""
    root = module == "/"  # the repository's root is a package of Python
    path = module + ".".join(names) if root else ".".join([module, *names])
    return cut_path(path)


def local_name(style: ImportStyle, module: str, is_used: Callable[[str], bool]) -> str:
    """The name that an import without alias binds.

    Where the statement does not tell, as in Go, what the file uses as a module decides.
    """
    match style:
        case ImportStyle.GO:
            names = _go_packages(module)
            return next(filter(is_used, names), names[0]) if len(names) > 1 else names[0]
        case ImportStyle.PYTHON | ImportStyle.ECMASCRIPT:
            return module
        case _:
            return _SEPARATOR.split(module)[-1]


def _python(file: str, module: str) -> str:
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if not dots:
        return module
    package = python_package(file)
    for _ in range(dots - 1):
        if package == "/":
            return module
        package = package.rpartition(".")[0] or "/"
    return f"{package}.{name}" if name and package != "/" else package + name


def _relative(file: str, module: str, name: Callable[[str], str]) -> str:
    path = beside(file, module)
    return name("" if path == "." else path) if path else module


def _rust(file: str, module: str, inside: str) -> str:
    parts = module.split(".")
    if parts[0] not in _RUST_ROOTS:
        return module
    if parts[0] == "crate":
        return ".".join([rust_source(file), *parts[1:]])
    here = ".".join(part for part in (rust_module(file), inside) if part)
    while parts and parts[0] in ("self", "super"):
        if parts.pop(0) == "super":
            here = here.rpartition(".")[0] or here
    return ".".join([here, *parts])


def _go_packages(module: str) -> tuple[str, ...]:
    """The names that the package may have, likeliest first: what the path ends with, without
    versions, dots and `go-`.
    """
    parts = module.rstrip("/").split("/")
    last = parts.pop()
    is_version = len(parts) > 0 and _GO_VERSION.match(last) is not None
    stem = _GO_DOT_VERSION.sub("", parts[-1] if is_version else last)
    name = stem.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    names = [name, *([last] if is_version else []), stem, name.rpartition("-")[2]]
    found = [one.replace("-", sign).replace(".", sign) for one in names for sign in ("_", "")]
    return tuple(dict.fromkeys(found))
