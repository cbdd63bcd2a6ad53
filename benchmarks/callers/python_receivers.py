"""Through what a Python method is called, read off the source: no type is asked for.

`Receivers` follows the scopes as a visitor goes through them.
"""

import ast
from collections.abc import Iterator

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = FunctionNode | ast.ClassDef | ast.Module | ast.Lambda
SELF = "self"
REBOUND = "assigned more than once"
NARROWED = "narrowed by isinstance"
MODULE, MODULE_VARIABLE = "module", "module variable"
CONSTRUCTED, LOOP = "constructed", "loop variable"
SHAPES = {ast.Attribute: "field", ast.Await: "awaited", ast.Subscript: "element"}
TARGETS = {
    ast.AnnAssign: "declared variable",
    ast.For: LOOP,
    ast.AsyncFor: LOOP,
    ast.comprehension: LOOP,
}


class Receivers:
    """The names of the scopes around a place, each with how it gets its value."""

    def __init__(self, tree: ast.Module) -> None:
        self._scopes = [dict(_bound(tree))]
        self._narrowed: list[set[str]] = [set()]

    def enter(self, node: ScopeNode, *, in_class: bool = False) -> None:
        """Names of `node` hide those around it; those of a class are seen in its body alone."""
        names = _merged([*_parameters(node, in_class=in_class), *_bound(node)])
        self._scopes.append({} if isinstance(node, ast.ClassDef) else names)
        self._narrowed.append(set(_narrowed(node)))

    def leave(self) -> None:
        """Back to the scope around."""
        self._scopes.pop()
        self._narrowed.pop()

    def of(self, node: ast.AST) -> str:
        """What stands before the last dot; "" for a bare name."""
        return self._shape(node.value) if isinstance(node, ast.Attribute) else ""

    def _shape(self, value: ast.expr) -> str:
        if ast.unparse(value) in self._narrowed[-1]:
            return NARROWED
        match value:
            case ast.Name(id=name):
                found = (scope[name] for scope in reversed(self._scopes) if name in scope)
                return next(found, "builtin")
            case ast.Attribute(value=ast.Name(id=name)) if self._scopes[0].get(name) == MODULE:
                return "other module's variable or type"
            case ast.Call(func=ast.Name(id="super")):
                return "base"
            case ast.Call(func=function):
                return CONSTRUCTED if _is_class_name(function) else "chained call"
            case _:
                return SHAPES.get(type(value), "other expression")


def _parameters(node: ScopeNode, *, in_class: bool) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.ClassDef | ast.Module):
        return
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for number, one in enumerate(every):
        if in_class and number == 0:
            yield one.arg, SELF
        elif one.annotation:
            yield one.arg, "annotated parameter"
        else:
            yield one.arg, "fixture" if _has_fixtures(node) else "untyped parameter"
    for rest in (arguments.vararg, arguments.kwarg):
        if rest:
            yield rest.arg, "*args or **kwargs"


def _has_fixtures(node: ast.AST) -> bool:
    if not isinstance(node, FunctionNode):
        return False
    return node.name.startswith("test_") or "fixture" in " ".join(
        ast.unparse(one) for one in node.decorator_list
    )


def _bound(node: ScopeNode) -> Iterator[tuple[str, str]]:
    """What a scope's own statements bind, in order."""
    at_top = isinstance(node, ast.Module)
    for one in _own(node):
        match one:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _targets(target, MODULE_VARIABLE if at_top else _held(value))
            case ast.NamedExpr(target=target, value=value):
                yield from _targets(target, _held(value))
            case ast.withitem(optional_vars=ast.expr() as target):
                yield from _targets(target, "with … as")
            case ast.AnnAssign() | ast.For() | ast.AsyncFor() | ast.comprehension():
                yield from _targets(one.target, TARGETS[type(one)])
            case _:
                yield from _declared(one)


def _declared(one: ast.AST) -> Iterator[tuple[str, str]]:
    match one:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                yield alias.asname or alias.name.partition(".")[0], MODULE
        case ast.ClassDef(name=name):
            yield name, "type"
        case ast.ExceptHandler(name=str(name)):
            yield name, "exception"


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """What is below a node, but not in the functions and classes below it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, FunctionNode | ast.ClassDef | ast.Lambda):
            yield from _own(child)


def _targets(target: ast.expr, how: str) -> Iterator[tuple[str, str]]:
    match target:
        case ast.Name(id=name):
            yield name, how
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _targets(part, how if how == LOOP else "unpacked")


def _held(value: ast.expr) -> str:
    match value:
        case ast.Call(func=function):
            return CONSTRUCTED if _is_class_name(function) else "local from a call"
        case ast.Await():
            return "local from an awaited call"
        case ast.Name() | ast.Attribute():
            return "local from a name"
        case ast.Subscript():
            return "local from an element"
        case _:
            return "other variable"


def _is_class_name(function: ast.expr) -> bool:
    name = ast.unparse(function).rpartition(".")[2]
    return name.lstrip("_")[:1].isupper()


def _merged(bound: list[tuple[str, str]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for name, how in bound:
        names[name] = how if names.get(name, how) == how else REBOUND
    return names


def _narrowed(node: ast.AST) -> Iterator[str]:
    for one in _own(node):
        match one:
            case ast.Call(func=ast.Name(id="isinstance"), args=[value, _]):
                yield ast.unparse(value)
