"""Print, as JSON, the functions of C++ repositories and their uses, as libclang understands them.

`python list_uses.py WORKSPACE PROJECT …`, with libclang alone installed. Each source file is parsed
with the usual include directories of its repository. One that needs other headers is not read.
"""

import json
import subprocess
import sys
from ctypes import byref, c_uint
from pathlib import Path

from clang.cindex import Cursor, CursorKind, Diagnostic, File, Index, c_object_p, conf

SOURCES = {".c", ".cc", ".cpp", ".cxx"}
INCLUDED = ("", "include", "src")
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE, CursorKind.CXX_METHOD}
CLASSES = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.CLASS_TEMPLATE}
NAMED = {CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.OVERLOADED_DECL_REF}


class Reader:
    """What all translation units say; definitions of one name in one file are one."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.paths: dict[str, Path] = {}
        self.text: dict[str, list[bytes]] = {}
        self.definitions: dict[tuple[str, str, str], list[object]] = {}
        self.sites: dict[tuple[str, str, int, int], tuple[str, str, str]] = {}
        self.defined: dict[str, tuple[str, str, str]] = {}  # project, file and name by USR
        self.bases: list[tuple[tuple[str, str, int, int], str, str, str]] = []
        self.template_of: dict[str, str] = {}  # places by USR, of what is made from a template
        self.unread: set[tuple[str, str]] = set()

    def place(self, cursor: Cursor) -> tuple[str, str, int, int] | None:
        """Return project, file, line and column; None outside of the repositories.

        Of what is given to a macro, where it is written.
        """
        file, line, column, offset = c_object_p(), c_uint(), c_uint(), c_uint()
        parts = (byref(one) for one in (file, line, column, offset))
        conf.lib.clang_getFileLocation(cursor.location, *parts)
        name = File(file).name if file else ""
        if not name:
            return None
        path = self.paths.setdefault(name, Path(name).resolve())
        if not path.is_relative_to(self.workspace):
            return None
        project, _, inside = str(path.relative_to(self.workspace)).partition("/")
        return project, inside, line.value, column.value - 1

    def read(self, cursor: Cursor, inside: str) -> None:
        """Read what is below a cursor; `inside` is how a name here is used."""
        given = list(cursor.get_arguments()) if cursor.kind == CursorKind.CALL_EXPR else []
        for child in cursor.get_children():
            if child.location.file is not None and self.place(child) is None:
                continue
            is_function = child.kind in FUNCTIONS
            if (is_function or child.kind in CLASSES) and (
                child.is_definition() or (is_function and child.is_pure_virtual_method())
            ):
                self.define(child)
            use = inside
            if cursor.kind == CursorKind.CALL_EXPR:
                use = "value" if child in given else "call"
            elif cursor.kind not in {CursorKind.UNEXPOSED_EXPR, CursorKind.UNARY_OPERATOR}:
                use = "mention"
            if child.kind in NAMED:
                self.use(child, use)
            if child.kind == CursorKind.CXX_BASE_SPECIFIER:
                self.inherit(cursor, child)
            self.read(child, use)

    def define(self, cursor: Cursor) -> None:
        """Note a function with a body, or a class."""
        at = self.place(cursor)
        if at is None or not cursor.spelling.replace("_", "a").isalnum():
            return
        names, parent, is_method = [cursor.spelling], cursor.semantic_parent, False
        while parent is not None and parent.kind != CursorKind.TRANSLATION_UNIT:
            is_method = is_method or (len(names) == 1 and parent.kind in CLASSES)
            if parent.spelling and not _is_unnamed(parent):
                names.insert(0, parent.spelling)
            parent = parent.semantic_parent
        name = ".".join(names)
        is_class = cursor.kind in CLASSES
        kind = "class" if is_class else "method" if is_method else "function"
        key = (*at[:2], name)
        # What makes an instance is not asked, so classes are not either.
        self.definitions.setdefault(key, [*at[:3], name, kind, not is_class])
        self.defined[cursor.get_usr()] = self.defined[str(at)] = key

    def inherit(self, cursor: Cursor, base: Cursor) -> None:
        """Note the base of a class."""
        at = self.place(base)
        meant = base.referenced
        if at is not None and meant is not None:
            self.bases.append((at, base.spelling, meant.get_usr(), cursor.get_usr()))

    def use(self, cursor: Cursor, use: str) -> None:
        """Note a use of a function; of unknown meaning, if nothing is referenced."""
        meant = cursor.referenced
        if meant is not None and meant.kind not in FUNCTIONS | {CursorKind.OVERLOADED_DECL_REF}:
            return
        at = self.place(cursor)
        if at is None or not cursor.spelling:
            return
        line = self.lines(*at[:2])[at[2] - 1]
        column = line.rfind(cursor.spelling.encode(), at[3], at[3] + 200) if line else -1
        if line[at[3] :].startswith(cursor.spelling.encode()):
            column = at[3]
        if column < 0:
            return
        usr = ""
        if meant is not None and meant.kind in FUNCTIONS:
            usr = meant.get_usr()
            for one in filter(None, (meant, meant.get_definition())):  # of a template, its place
                self.template_of[usr] = str(self.place(one))
        self.sites.setdefault((*at[:3], len(line[:column].decode())), (cursor.spelling, use, usr))

    def lines(self, project: str, file: str) -> list[bytes]:
        """Return the lines of a file."""
        path = str(self.workspace / project / file)
        if path not in self.text:
            self.text[path] = Path(path).read_bytes().split(b"\n")
        return self.text[path]


def _is_unnamed(cursor: Cursor) -> bool:
    is_namespace = cursor.kind == CursorKind.NAMESPACE
    first = next(cursor.get_tokens(), None) if is_namespace else None
    return cursor.is_anonymous() or (first is not None and first.spelling == "inline")


def _system_directories() -> list[str]:
    said = subprocess.run(
        ["g++", "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True
    ).stderr
    listed = said.partition("#include <...>")[2].partition("End of")[0]
    return [line.strip() for line in listed.splitlines()[1:]]


def main(workspace: Path, projects: list[str]) -> None:
    """Parse every source file of the projects."""
    reader = Reader(workspace.resolve())
    system = [f"-isystem{one}" for one in _system_directories()]
    for project in projects:
        root = reader.workspace / project
        included = [f"-I{root / one}" for one in INCLUDED]
        for file in (one for one in sorted(root.rglob("*")) if one.suffix in SOURCES):
            unit = Index.create().parse(str(file), ["-xc++", "-std=c++17", *included, *system])
            if any(one.severity == Diagnostic.Fatal for one in unit.diagnostics):
                reader.unread.add((project, str(file.relative_to(root))))
            else:
                reader.read(unit.cursor, "mention")
    numbers = {key: number for number, key in enumerate(reader.definitions)}
    no_definition = ("", "", "")
    sites = []
    for place, (name, use, usr) in sorted(reader.sites.items()):
        key = reader.defined.get(usr) or reader.defined.get(reader.template_of.get(usr, ""))
        target = numbers.get(key or no_definition)
        sites.append([*place, name, use, [] if target is None else [target], bool(usr), None, []])
    for place, name, base, owner in sorted(set(reader.bases)):
        target = numbers.get(reader.defined.get(base, no_definition))
        number = numbers.get(reader.defined.get(owner, no_definition))
        targets = [] if target is None else [target]
        sites.append([*place, name, "inherit", targets, True, number, []])
    found = {
        "definitions": [*reader.definitions.values()],
        "sites": sites,
        "unread": sorted(reader.unread),
    }
    print(json.dumps(found))


main(Path(sys.argv[1]), sys.argv[2:])
