"""What a Python file says itself: its needs (PEP 723), their lock, its additions to `sys.path`."""

import ast
import posixpath
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from indexer.ecosystems.formats import PATH_CALLS, SCRIPT_MARKER
from indexer.ecosystems.parsing import read_toml, strings, table
from indexer.ecosystems.pypi.locks import read_uv_lock
from indexer.ecosystems.pypi.requirements import pins_of, requirements, with_sources
from indexer.records.manifests import OWN_FILE, Ecosystem, Manifest

_BEGIN = re.compile(r"^# /// script\r?$", re.MULTILINE)
_COMMENT = re.compile(r"\r?\n(?:#(?: [^\r\n]*)?\r?\n)*(?:#(?: [^\r\n]*)?)?")
_END: Final = "# ///"


def read_script(text: str, _path: str) -> Manifest | None:
    """Read the metadata of a script; None without any. Raises ValueError and RecursionError."""
    blocks = (_metadata(text, begin.end()) for begin in _BEGIN.finditer(text))
    written = list(islice((block for block in blocks if block is not None), 2))
    if not written:
        return None
    if len(written) > 1:
        raise ValueError("a script has one such comment")
    document = read_toml(written[0])
    uv = table(document, "tool", "uv")
    listed = [*strings(document.get("dependencies")), *strings(uv.get("dev-dependencies"))]
    dependencies = with_sources(requirements(listed), table(uv, "sources"))
    return Manifest(
        Ecosystem.PYPI,
        dependencies=dependencies,
        pins=pins_of(dependencies),
        settings=(OWN_FILE,),
    )


def _metadata(text: str, start: int) -> str | None:
    """Return the TOML of the comment's next lines, up to its last end; None if it has none."""
    comment = _COMMENT.match(text, start)
    lines = comment[0].splitlines()[1:] if comment else []
    ends = [number for number, line in enumerate(lines) if line == _END]
    return "\n".join(line[2:] for line in lines[: ends[-1]]) if ends else None


def read_script_lock(text: str, path: str) -> Manifest:
    """Read `script.py.lock` of uv. Raises ValueError."""
    return replace(read_uv_lock(text, path), settings=(OWN_FILE,))


def read_source(text: str, path: str) -> Manifest | None:
    """Read a Python file: what it asks for, and where it imports from; None without either."""
    script = read_script(text, path) if SCRIPT_MARKER in text else None
    has_paths = any(call in text for call in PATH_CALLS)
    paths = tuple(dict.fromkeys(source_paths(text, path))) if has_paths else ()
    if not paths:
        return script
    said = script or Manifest(Ecosystem.PYPI)
    return replace(said, settings=(*said.settings, *paths))


_MAX_CHARACTERS: Final = 262_144
_MAX_DEPTH: Final = 20
_MAX_EXPRESSIONS: Final = 10_000  # of a file
_MAX_PATH: Final = 1_000
_TOP: Final = "/repository"  # where the repository is, to the expressions
_HERE: Final = frozenset({"os.getcwd", "Path.cwd", "pathlib.Path.cwd"})
_SAME: Final = frozenset({
    "str", "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "Path",
    "pathlib.Path", "PurePath", "pathlib.PurePath", "abspath", "realpath", "normpath",
})  # fmt: skip
_SAME_METHODS: Final = frozenset({"resolve", "absolute", "as_posix", "expanduser"})
_Names = Mapping[str, ast.expr]


def source_paths(text: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield them as settings `path`, relative to the file's directory.

    A relative one is looked for in the file's directory and in the repository's root, where a
    program may be started. What cannot be read yields nothing.
    """
    if len(text) > _MAX_CHARACTERS:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in its strings
            tree = ast.parse(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return
    own = posixpath.dirname(f"{_TOP}/{path}")
    reader = _Reader(f"{_TOP}/{path}", _assigned(tree))
    for added in _added(tree):
        found = reader.read(added)
        for start in (own, _TOP) if found is not None else ():
            directory = posixpath.normpath(posixpath.join(start, found or "."))
            if f"{directory}/".startswith(f"{_TOP}/"):
                yield "path", posixpath.relpath(directory, own)


def _added(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the expressions that are inserted, appended or assigned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _dotted(node.func) in {"sys.path.insert", "path.insert"}:
            yield from node.args[1:2]
        elif isinstance(node, ast.Call) and _dotted(node.func) in _APPENDED:
            yield from _items(node.args[:1])
        elif isinstance(node, ast.AugAssign | ast.Assign) and _is_path(_target(node)):
            yield from _items([node.value])


_APPENDED: Final = frozenset({"sys.path.append", "sys.path.extend", "site.addsitedir"})


def _target(node: ast.AugAssign | ast.Assign) -> ast.expr:
    return node.target if isinstance(node, ast.AugAssign) else node.targets[0]


def _is_path(node: ast.expr) -> bool:
    return _dotted(node.value if isinstance(node, ast.Subscript) else node) == "sys.path"


def _items(nodes: list[ast.expr]) -> Iterator[ast.expr]:
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from _items(
                [operand for operand in (node.left, node.right) if isinstance(operand, ast.List)]
            )
        elif isinstance(node, ast.List | ast.Tuple):
            yield from node.elts
        else:
            yield node


def _assigned(tree: ast.Module) -> _Names:
    """Return what each name is assigned that is assigned once."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found.setdefault(node.target.id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _dotted(node: ast.expr) -> str:
    """Return the name `a.b.c`; "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


class _Reader:
    """Paths that expressions stand for; None for what depends on more than the text."""

    def __init__(self, file: str, names: _Names) -> None:
        self._names = names
        self._file = file
        self._depth = 0
        self._left = _MAX_EXPRESSIONS

    def read(self, node: ast.expr) -> str | None:
        if self._depth == _MAX_DEPTH or not self._left:
            return None
        self._depth += 1
        self._left -= 1
        try:
            read = _READERS.get(type(node))
            found = read(self, node) if read else None
        finally:
            self._depth -= 1
        return found if found is not None and len(found) <= _MAX_PATH else None

    def constant(self, node: ast.Constant) -> str | None:
        return node.value if isinstance(node.value, str) else None

    def name(self, node: ast.Name) -> str | None:
        if node.id == "__file__":
            return self._file
        return self.read(self._names[node.id]) if node.id in self._names else None

    def attribute(self, node: ast.Attribute) -> str | None:
        if _dotted(node) in {"os.pardir", "os.path.pardir"}:
            return ".."
        inner = self.read(node.value) if node.attr == "parent" else None
        return None if inner is None else _up(inner, 1)

    def subscript(self, node: ast.Subscript) -> str | None:
        """Read `path.parents[1]` and `os.path.split(path)[0]`."""
        index = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if not isinstance(index, int) or not 0 <= index < _MAX_DEPTH:
            return None
        if isinstance(node.value, ast.Attribute) and node.value.attr == "parents":
            inner = self.read(node.value.value)
            return None if inner is None else _up(inner, index + 1)
        if isinstance(node.value, ast.Call) and _dotted(node.value.func) == "os.path.split":
            inner = self.read(node.value.args[0]) if node.value.args and not index else None
            return None if inner is None else _up(inner, 1)
        return None

    def operation(self, node: ast.BinOp) -> str | None:
        left, right = self.read(node.left), self.read(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Div):
            return posixpath.join(left, right)
        return left + right if isinstance(node.op, ast.Add) else None

    def formatted(self, node: ast.JoinedStr) -> str | None:
        parts = [
            self.read(part.value if isinstance(part, ast.FormattedValue) else part)
            for part in node.values
        ]
        return None if None in parts else "".join(filter(None, parts))

    def call(self, node: ast.Call) -> str | None:
        called = _dotted(node.func)
        if called in _HERE:
            return ""
        arguments = [self.read(arg) for arg in node.args]
        if any(argument is None for argument in arguments):
            return None
        known = [argument for argument in arguments if argument is not None]
        if called in _SAME or called in {"os.path.join", "join"}:
            return posixpath.join(*known) if known else ""
        if called in {"os.path.dirname", "dirname"} and known:
            return _up(known[0], 1)
        return self._method(node.func, known)

    def _method(self, called: ast.expr, arguments: list[str]) -> str | None:
        is_known = isinstance(called, ast.Attribute) and called.attr in {*_SAME_METHODS, "joinpath"}
        inner = self.read(called.value) if is_known and isinstance(called, ast.Attribute) else None
        return None if inner is None else posixpath.join(inner, *arguments)


def _up(path: str, levels: int) -> str | None:
    """Return the directory so many levels above; None beyond the top."""
    path = posixpath.normpath(path)
    for _ in range(levels):
        if path in {"", ".", "/"} or path.endswith(".."):
            return None
        path = posixpath.dirname(path)
    return path


_READERS: Final[Mapping[type[ast.expr], Callable[[_Reader, Any], str | None]]] = {
    ast.Constant: _Reader.constant,
    ast.Name: _Reader.name,
    ast.Attribute: _Reader.attribute,
    ast.Subscript: _Reader.subscript,
    ast.BinOp: _Reader.operation,
    ast.JoinedStr: _Reader.formatted,
    ast.Call: _Reader.call,
}
