"""What is around a place: its classes, its module."""

from indexer.scopes import Scope
from indexer.symbols import FUNCTION_KINDS


def classes_around(scope: Scope | None) -> list[str]:
    """The classes around a place, each once, innermost first."""
    found: dict[str, None] = {}
    while scope is not None:
        if scope.class_name:
            found[scope.class_name] = None
        scope = scope.parent
    return list(found)


def is_in_nameless_class(scope: Scope | None) -> bool:
    """Whether a method around the place is written in another, so that its class has no name."""
    inner = ""
    while scope is not None and not scope.is_class:
        if inner == "method" and scope.kind in FUNCTION_KINDS:
            return True
        inner = scope.kind if scope.kind in FUNCTION_KINDS else inner
        scope = scope.parent
    return False


def module_of(root: str, scope: Scope | None) -> Scope | None:
    """The scope that `self::` or `super` names, if a module is written around the place."""
    while scope is not None and scope.kind != "module":
        scope = scope.parent
    if scope is None or not root.startswith("s"):  # `crate` is hardly ever this file
        return None
    return scope if root == "self::" else scope.parent
