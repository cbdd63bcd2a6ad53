"""What a Python file defines and where it uses names, from the standard library's own parser."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.callers.python_receivers import Receivers

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DefinitionNode = FunctionNode | ast.ClassDef
KEYWORD = re.compile(r"(async\s+)?(def|class)\s+")
PROPERTY_ENDINGS = ("property", "reify", "setter", "getter", "deleter")


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition, where its name begins. `in_function`: code outside cannot name it."""

    line: int
    column: int
    qualified_name: str
    kind: str
    in_function: bool


@dataclass(frozen=True, slots=True)
class Used:
    """A name where it is used. `owner` is the inheriting class's qualified name, `receiver` as in
    `truth.Site`.
    """

    line: int
    column: int
    name: str
    kind: str
    owner: str = ""
    receiver: str = ""


class Outline(ast.NodeVisitor):
    """Definitions and uses of one parsed file, in order of position.

    `aliases` are the variables and attributes that are given another name's value, and `cls`.
    """

    def __init__(self, source: str) -> None:
        self.defined: list[Defined] = []
        self.used: list[Used] = []
        self.aliases = {"cls"}
        self._lines = [line.encode() for line in source.split("\n")]
        self._enclosing: list[DefinitionNode] = []
        tree = ast.parse(source)
        self._receivers = Receivers(tree)
        self.visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class, what decorates it and what it inherits."""
        self._define(node, "class")
        for base in node.bases:
            plain = base.value if isinstance(base, ast.Subscript) else base
            self._use(plain, "inherit", self._qualified(node.name))
        self._visit_definition(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function or method and what decorates it."""
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Likewise."""
        self._function(node)

    def visit_Call(self, node: ast.Call) -> None:
        """A call and the names among its arguments."""
        called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
        self._use(called, "call")  # `Box[int]()` is a call of Box
        for argument in _arguments(node):
            self._use(argument, "value")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """A variable may hold what a name means."""
        if isinstance(node.value, ast.Name | ast.Attribute | ast.IfExp | ast.BoolOp):
            self.aliases |= {one.id for one in node.targets if isinstance(one, ast.Name)}
            self.aliases |= {one.attr for one in node.targets if isinstance(one, ast.Attribute)}
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        """Everything else: names that are merely mentioned."""
        for one in _mentioned(node):
            self._use(one, "mention")
        super().generic_visit(node)

    def _function(self, node: FunctionNode) -> None:
        kind = "method" if self._is_in_class() else "function"
        self._define(node, "property" if _is_property(node) else kind)
        self._visit_definition(node)

    def _is_in_class(self) -> bool:
        return bool(self._enclosing) and isinstance(self._enclosing[-1], ast.ClassDef)

    def _visit_definition(self, node: DefinitionNode) -> None:
        for decorator in node.decorator_list:
            self._decorate(decorator)
        self._receivers.enter(node, in_class=self._is_in_class())
        self._enclosing.append(node)
        for child in ast.iter_child_nodes(node):
            if child not in node.decorator_list:
                self.visit(child)
        self._enclosing.pop()
        self._receivers.leave()

    def _decorate(self, decorator: ast.expr) -> None:
        if not isinstance(decorator, ast.Call):
            self._use(decorator, "decorate")
            return
        self._use(decorator.func, "decorate")
        for argument in _arguments(decorator):
            self._use(argument, "value")
            self.visit(argument)

    def _define(self, node: DefinitionNode, kind: str) -> None:
        in_function = any(isinstance(one, FunctionNode) for one in self._enclosing)
        before = self._lines[node.lineno - 1][: node.col_offset].decode()
        keyword = KEYWORD.match(self._lines[node.lineno - 1][node.col_offset :].decode())
        column = len(before) + (keyword.end() if keyword else 0)
        qualified_name = self._qualified(node.name)
        self.defined.append(Defined(node.lineno, column, qualified_name, kind, in_function))

    def _qualified(self, name: str) -> str:
        return ".".join([*(one.name for one in self._enclosing), name])

    def _use(self, node: ast.AST, kind: str, owner: str = "") -> None:
        if isinstance(node, ast.Name):
            line, offset, name = node.lineno, node.col_offset, node.id
        elif isinstance(node, ast.Attribute):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            line, name = node.end_lineno, node.attr
            offset = node.end_col_offset - len(name.encode())
        else:
            return
        column = len(self._lines[line - 1][:offset].decode())
        receiver = self._receivers.of(node)
        self.used.append(Used(line, column, name, kind, owner, receiver))


def imported_names(source: str) -> Iterator[str]:
    """The names that a file's imports bind, so that a renamed import is looked at too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom | ast.Import):
            yield from (alias.asname for alias in node.names if alias.asname)


def _arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _mentioned(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            return node.elts
        case ast.Dict():
            return node.values
        case ast.Raise(exc=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            return [value]
        case _:
            return []


def _is_property(node: FunctionNode) -> bool:
    return any(
        ast.unparse(decorator).partition("(")[0].endswith(PROPERTY_ENDINGS)
        for decorator in node.decorator_list
    )
