"""Objects whose members need no name before them: those of Kotlin's extensions and lambdas.

`it` of a lambda is bound here too.
"""

import re
from collections.abc import Iterable
from typing import Final

from indexer.records.references import RECEIVER
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import NameBinding, Scope, ScopeTree, ValueSource
from indexer.resolution.value import FREE, INSTANCE, LOCAL, PATH, UNKNOWN, Value
from indexer.syntax.definitions import CLASS_KINDS, FUNCTION_KINDS
from indexer.syntax.expressions import Expression
from indexer.syntax.parser import QueryMatch
from indexer.syntax.source_text import SourceText

_PARAMETERS: Final = re.compile(r"\{[^{}]*?->")
_MAX_PARAMETERS: Final = 200  # bytes


def bind_implicit_parameters(
    matches: Iterable[QueryMatch], tree: ScopeTree, text: SourceText, names: Iterable[str]
) -> None:
    """Bind the undeclared parameter of each lambda: what it is given, or an item of that."""
    given = sorted(
        (match["lambda"], label, match[label])
        for match in matches
        for label in ("lambda.given", "lambda.items")
        if label in match
    )
    scopes = tree.at(start for (start, _), *_ in given)
    for ((start, end), label, mark), scope in zip(given, scopes, strict=True):
        if _PARAMETERS.match(text.slice((start, min(end, start + _MAX_PARAMETERS)))):
            continue
        source = ValueSource.ALIAS if label == "lambda.given" else ValueSource.ITEMS
        for name in names:
            bound = NameBinding(start, start + 1, scope, source=source, text=text.slice(mark))
            tree.bind(name, bound)


def read_receivers(
    extensions: Iterable[QueryMatch],
    lambdas: Iterable[QueryMatch],
    resolver: Resolver,
    text: SourceText,
) -> None:
    """Set the objects of extension functions and of lambdas, the outer first."""
    if not resolver.language.implicit_receivers:
        return
    marks = sorted(
        [(match["extends"], match["extends"], True) for match in extensions]
        + [
            (match["lambda"], match["lambda.receiver"], False)
            for match in lambdas
            if "lambda.receiver" in match
        ]
    )
    scopes = resolver.tree.at(start for (start, _), *_ in marks)
    for (_, mark, is_type), scope in zip(marks, scopes, strict=True):
        written = text.slice(mark)
        if is_type:
            if scope.kind not in FUNCTION_KINDS or "{" in text.slice((scope.start, mark[0])):
                continue  # of a property
            value = resolver.types.instance(written, scope, mark[0])
        else:
            value = resolver.expression(written, scope.parent or scope, mark[0])
        if value is not UNKNOWN and not value.member and value.access is not PATH:
            resolver.receivers[scope] = value


def implicit_member(
    resolver: Resolver, expression: Expression, scope: Scope, offset: int
) -> Value | None:
    """Return what a bare call is of an object around it that is nearer than what has the name.

    None if none is, or if the name is an import or a local one.
    """
    (name,) = expression.path
    bound = resolver.binding(name, scope, offset)
    if expression.name or (bound is not None and _is_own(bound)):
        return None
    here: Scope | None = scope
    while here is not None and (bound is None or here is not bound.scope):
        value = resolver.receivers.get(here)
        found = _member_of(resolver, value, here, name) if value is not None else None
        if found is not None:
            return found
        here = here.parent
    return None


def _is_own(bound: NameBinding) -> bool:
    is_local = bound.scope.parent is not None and not bound.scope.is_class
    return bool(bound.imported) or is_local


def _member_of(resolver: Resolver, value: Value, scope: Scope, name: str) -> Value | None:
    """Return what may be a member of an object; None if the file defines its class without it.

    Of an extension's object, central finds it by the caller.
    """
    owner = value.path
    is_own = value.binding is LOCAL and value.access is INSTANCE
    if is_own and resolver.tree.definitions.get(owner) in CLASS_KINDS:
        if resolver.has_member(owner, name):
            return Value(LOCAL, owner, (), INSTANCE, name)
        if owner not in resolver.bases:
            return None
    if name in resolver.language.builtins:
        return None
    if scope.kind in FUNCTION_KINDS:
        return Value(FREE, name)
    return Value(value.binding, value.root, (*value.chain, RECEIVER), value.access, name)
