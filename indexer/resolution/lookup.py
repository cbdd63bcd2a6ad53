"""Which binding a name means where it is written: the innermost that fits what it is written as."""

from collections.abc import Sequence

from indexer.languages import Language
from indexer.records.files import VALUE_KINDS
from indexer.resolution.scopes import Holds, Name, Scope, ScopeTree, pick
from indexer.resolution.value import CALLEE, RECEIVER, TYPE, Sort
from indexer.syntax.definitions import CLASS_KINDS

_TYPE_KINDS = CLASS_KINDS | {"type", "module", "namespace"}
_NO_METHOD_KINDS = VALUE_KINDS | {""}


class Lookup:
    """Looks names up in a settled tree."""

    __slots__ = ("_bound", "_implicit_this", "_language", "_members")

    def __init__(self, tree: ScopeTree, language: Language) -> None:
        self._members = tree.members
        self._language = language
        self._implicit_this = language.implicit_this
        scopes = [tree.root, *tree.scopes]
        self._bound = set().union(*(scope.names for scope in scopes), *tree.members.values())

    def find(
        self, first: str, scope: Scope, offset: int, leaving_out: Name | None, sort: Sort
    ) -> Name | None:
        """What a path begins with that is written at an offset; None if it is bound nowhere."""
        if first not in self._bound:
            return None
        here: Scope | None = scope
        while here is not None:
            if self._implicit_this or not here.is_class or here is scope:
                names = here.names.get(first)
                found = pick(self.fitting(names, sort), offset, leaving_out) if names else None
                if found is None and self._implicit_this and here.is_outside:
                    names = self._members.get(here.class_name, {}).get(first, [])
                    found = pick(self.fitting(names, sort), offset, None)
                if found is not None:
                    return found
            here = here.parent
        return None

    def fitting(self, names: Sequence[Name], sort: Sort) -> Sequence[Name]:
        """Those of the names that can be meant where a name of this sort is written."""
        language = self._language
        if sort is TYPE and language.separate_type_namespace:
            return [
                name
                for name in names
                if name.imported or name.kind in _TYPE_KINDS or name.holds is Holds.ALIAS
            ]
        if sort is CALLEE and language.separate_method_namespace:
            return [name for name in names if name.imported or name.kind not in _NO_METHOD_KINDS]
        if sort is RECEIVER and language.implicit_this and not language.calls_without_parentheses:
            return [name for name in names if name.imported or name.kind != "method"]
        return names
