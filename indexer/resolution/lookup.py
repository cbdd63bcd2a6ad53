"""The binding of a name at a position, and the meaning of keywords and unbound names."""

from collections.abc import Sequence

from indexer.languages import Language
from indexer.records.files import VALUE_KINDS
from indexer.resolution.scopes import (
    NameBinding,
    Scope,
    ScopeTree,
    ValueSource,
    enclosing_classes,
    is_in_anonymous_class,
    visible_binding,
)
from indexer.resolution.value import (
    BASE,
    CALLEE,
    FREE,
    IMPORT,
    INSTANCE,
    LOCAL,
    RECEIVER,
    TYPE,
    UNKNOWN,
    VALUE,
    NameRole,
    Value,
)
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS

_TYPE_KINDS = CLASS_KINDS | {"type", "module", "namespace"}
_NO_METHOD_KINDS = VALUE_KINDS | {""}


class Lookup:
    """Name look-up in a complete scope tree.

    `bases` are the classes that have base classes. `imports_members`: an import makes all members
    of a class visible by bare name. `path_prefixes` are modules unless they are bound (Rust's
    crates). `implicit_imports` collects, with the offset of the first reference, modules that are
    referenced without an import: such crates, and `os` after `import os.path`.
    """

    __slots__ = (
        "_bound",
        "_implicit_this",
        "_imports_members",
        "_members",
        "_path_prefixes",
        "_sign",
        "bases",
        "implicit_imports",
        "keywords",
        "language",
        "tree",
    )  # fmt: skip

    def __init__(
        self,
        tree: ScopeTree,
        language: Language,
        *,
        bases: frozenset[str],
        imports_members: bool,
        path_prefixes: frozenset[str],
    ) -> None:
        self.tree = tree
        self.language = language
        self.bases = bases
        self.implicit_imports: dict[str, int] = {}
        self.keywords = (
            language.self_names
            | language.class_names
            | language.super_names
            | language.constructor_names
        )
        self._imports_members = imports_members
        self._path_prefixes = path_prefixes
        self._members = tree.members
        self._implicit_this = language.implicit_this
        self._sign = language.variable_sign
        scopes = [tree.root, *tree.scopes]
        self._bound = set().union(*(scope.names for scope in scopes), *tree.members.values())

    def find(
        self, first: str, scope: Scope, offset: int, excluding: NameBinding | None, role: NameRole
    ) -> NameBinding | None:
        """Return the binding of a path's first name at an offset; None if it is unbound."""
        if first not in self._bound:
            return None
        if role is CALLEE and self._is_variable(first):
            role = VALUE  # no method has such a name
        here: Scope | None = scope
        while here is not None:
            found = None
            if names := here.names.get(first):
                names = self._seen(here, names, is_inside=here is not scope)
                found = visible_binding(self.matching(names, role), offset, excluding)
            if found is None and self._implicit_this and here.is_outside:
                names = self._members.get(here.class_name, {}).get(first, [])
                found = visible_binding(self.matching(names, role), offset, None)
            if found is not None:
                return found
            if self._sign and self._sees_no_more(here, first):
                return None
            here = here.parent
        return None

    def _seen(self, here: Scope, names: list[NameBinding], *, is_inside: bool) -> list[NameBinding]:
        """Return those of a scope's bindings that are seen; of a class, what is inside may see no
        more than its type parameters.
        """
        if here.is_class and is_inside and not self._implicit_this:
            return [name for name in names if name.source is ValueSource.TYPE_PARAMETER]
        return names

    def _sees_no_more(self, scope: Scope, first: str) -> bool:
        """Whether a function does not see a variable of what is around it, as in PHP.

        It sees those that it names (`global $x`); closures are taken to name all that they use.
        """
        if scope.kind not in FUNCTION_KINDS or not first.startswith(self._sign):
            return False
        is_closure = scope.owner.rpartition(".")[2].startswith(self._sign)
        return not is_closure and first not in scope.names

    def matching(self, names: Sequence[NameBinding], role: NameRole) -> Sequence[NameBinding]:
        """Return the bindings that a name in this role can refer to."""
        language = self.language
        if role is RECEIVER and not language.type_parameters_in_paths:
            names = [bound for bound in names if bound.source is not ValueSource.TYPE_PARAMETER]
        if role is TYPE and language.separate_type_namespace:
            types = [
                name
                for name in names
                if name.imported or name.kind in _TYPE_KINDS or name.source is ValueSource.ALIAS
            ]
            return types or [bound for bound in names if bound.source is ValueSource.TYPE_PARAMETER]
        if role is CALLEE and language.separate_method_namespace:
            own = [bound for bound in names if bound.imported or bound.kind not in _NO_METHOD_KINDS]
            return own or [
                bound for bound in names if language.call_member or _is_renamed_method(bound)
            ]
        if role is CALLEE and language.has_headers:
            return [name for name in names if not _is_constructor(name)]
        if role is RECEIVER and language.implicit_this and not language.bare_methods:
            return [name for name in names if name.imported or name.kind != "method"]
        return names

    def keyword(self, first: str, scope: Scope, *, is_bare: bool) -> Value | None:
        """Return the value of a keyword such as `self`, `cls` or `super` in a class."""
        language = self.language
        if first in language.self_names and is_in_anonymous_class(scope):
            return UNKNOWN
        if first in language.class_names and is_bare:
            return Value(LOCAL, scope.class_name, is_self=True)
        creates_own = language.calls_without_parentheses and is_bare
        if first in language.constructor_names and creates_own:
            return Value(LOCAL, scope.class_name, (), INSTANCE)
        if first in language.self_names or first in language.class_names:
            return Value(LOCAL, scope.class_name, (), INSTANCE, is_self=True)
        if first in language.super_names:
            return Value(LOCAL, scope.class_name, (), BASE)
        return None

    def unbound(
        self, first: str, scope: Scope, role: NameRole, offset: int, *, is_bare: bool
    ) -> Value:
        """Return the value of an unbound name, usually FREE.

        A callee in a language without free functions is a member. The first name of a path may be a
        module.
        """
        if first.startswith("\\"):  # kept: nothing of the file's own namespace is meant
            is_builtin = first[1:] in self.language.builtins
            return Value(FREE, first[1:] if is_builtin else first)
        if not is_bare and first in self._path_prefixes:
            self.implicit_imports.setdefault(first, offset)
            return Value(IMPORT, first)
        if first in self.language.implicit_names or self._is_variable(first):
            return UNKNOWN
        if not self._may_be_member(first, role) or is_in_anonymous_class(scope):
            return Value(FREE, first)
        subclasses = [name for name in enclosing_classes(scope) if name in self.bases]
        if len(subclasses) > 1 or not scope.class_name:
            return Value(FREE, first)
        return Value(LOCAL, (subclasses or [scope.class_name])[0], (), INSTANCE, first)

    def _is_variable(self, name: str) -> bool:
        return bool(self._sign) and name.startswith(self._sign)

    def _may_be_member(self, first: str, role: NameRole) -> bool:
        language = self.language
        if role is not CALLEE or language.free_functions or not language.implicit_this:
            return False
        return first not in language.builtins and not self._imports_members


def _is_constructor(name: NameBinding) -> bool:
    """Whether a method has its class's name, which stands for the class."""
    *_, owner, last = ("", *name.qualified.split("."))
    return name.kind == "method" and owner == last


def _is_renamed_method(name: NameBinding) -> bool:
    """Whether a name is no variable, but a method of a trait: a part of the trait."""
    return name.source is ValueSource.ALIAS and bool(name.steps)
