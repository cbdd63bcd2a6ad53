"""Module paths of files and directories."""

import posixpath
import re
from collections.abc import Iterator

_JAVASCRIPT_SUFFIX = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]s|[jt]sx)$")
_PYTHON_SUFFIX = re.compile(r"\.py[iw]?$")
_RUST_SOURCES = ("src", "tests", "examples", "benches")
_RUST_ROOTS = frozenset({"lib", "main", "mod"})


def python_module(path: str) -> str:
    """`auth/middleware.py` → `/auth.middleware`; `auth/__init__.py` → `/auth`."""
    dotted = _PYTHON_SUFFIX.sub("", path).replace("/", ".")
    return "/" + ("" if dotted == "__init__" else dotted.removesuffix(".__init__"))


def python_package(path: str) -> str:
    """The module that relative imports of a file begin at: `auth/api.py` → `/auth`."""
    return "/" + posixpath.dirname(path).replace("/", ".")


def javascript_module(path: str) -> str:
    """`src/session.ts` → `/src/session`; `src/a.d.ts` → `/src/a`; other suffixes stay."""
    return "/" + _JAVASCRIPT_SUFFIX.sub("", path)


def javascript_modules(path: str) -> tuple[str, ...]:
    """All internal names: `src/index.ts` is `/src/index` and `/src` (`/` at the root)."""
    module = javascript_module(path)
    return (module, posixpath.dirname(module)) if module.endswith("/index") else (module,)


def rust_source(path: str) -> str:
    """A crate's source directory: `crates/auth/src/a/b.rs` → `/crates/auth/src`.

    It is the last `src` of the path, or the first of `tests`, `examples` and `benches`, or the
    file's own directory.
    """
    folders = path.split("/")[:-1]
    if "src" in folders:
        last = len(folders) - folders[::-1].index("src")
        return "/" + "/".join(folders[:last])
    for position, folder in enumerate(folders, 1):
        if folder in _RUST_SOURCES:
            return "/" + "/".join(folders[:position])
    return "/" + "/".join(folders)


def rust_module(path: str) -> str:
    """`crates/auth/src/a/mod.rs` → `/crates/auth/src.a`; the crate's root is its directory."""
    source = rust_source(path)
    below = path[len(source) :] if len(source) > 1 else "/" + path if source == "/" else path
    parts = [part for part in below.removesuffix(".rs").split("/") if part]
    if parts and parts[-1] in _RUST_ROOTS:
        parts.pop()
    return ".".join([source, *parts])


def ruby_module(path: str) -> str:
    """`lib/acme/common.rb` → `/lib/acme/common`."""
    return "/" + path.removesuffix(".rb")


def include_module(path: str) -> str:
    """`src/auth.h` → `/src/auth.h`."""
    return "/" + path


def beside(path: str, relative: str) -> str:
    """The path that `relative` means in the file `path`; "" if it leaves the repository."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
    return "" if joined.startswith("..") else joined.removeprefix("/")


def parent(path: str) -> str:
    """`a/b.py` → `a`; `b.py` → ``."""
    return path.rpartition("/")[0]


def upward(directory: str) -> Iterator[str]:
    """The directory, then those around it, the top at last."""
    while directory:
        yield directory
        directory = parent(directory)
    yield ""


def below(path: str, directory: str) -> str | None:
    """The path as seen from `directory`; None if it is not below it."""
    if not directory:
        return path
    return path[len(directory) + 1 :] if path.startswith(directory + "/") else None


def joined(directory: str, relative: str) -> str | None:
    """What `relative` means in `directory`; None if it leaves the repository."""
    path = posixpath.normpath(posixpath.join(directory, relative.strip("/") or "."))
    if path == ".":
        return ""
    return None if path == ".." or path.startswith("../") else path
