"""The types that extension members are called on, as TYPE references of their names."""

from collections.abc import Iterable, Iterator

from indexer.records.builtin_types import UNIVERSAL_TYPES
from indexer.records.references import RECEIVER, Reference
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import Scope
from indexer.resolution.value import FREE, LOCAL, UNKNOWN, type_reference
from indexer.syntax.parser import QueryMatch
from indexer.syntax.source_text import SourceText
from indexer.syntax.types import read_type


def receiver_types(
    matches: Iterable[QueryMatch], resolver: Resolver, text: SourceText
) -> Iterator[Reference]:
    """Yield the type of each extension member's receiver; an unknown one is any.

    The members of a class that stand in its own file are no extensions.
    """
    ordered = sorted(matches, key=lambda match: match["extends"])
    scopes = resolver.tree.at(match["extends"][0] for match in ordered)
    for match, scope in zip(ordered, scopes, strict=True):
        owner = scope.prefix
        if "extends.member" in match:
            owner = ".".join(filter(None, (owner, text.slice(match["extends.member"]))))
        mark = match["extends"]
        written = text.slice(mark)
        if not owner or read_type(written, resolver.language.wrapper_types) is None:
            continue
        value = resolver.types.instance(written, scope, mark[0])
        if value.binding is LOCAL and value.root == owner:
            continue
        is_any = value.root in UNIVERSAL_TYPES or _is_type_parameter(value.root, scope)
        if value.binding is FREE and is_any:
            value = UNKNOWN
        yield type_reference(f"{owner}.{RECEIVER}", value, text.position(mark[0]))


def _is_type_parameter(name: str, scope: Scope | None) -> bool:
    """Whether a name is one that a definition around it binds, such as T of `impl<T> A for T`."""
    while scope is not None and scope.parent is not None:
        if any(not binding.kind and not binding.imported for binding in scope.names.get(name, ())):
            return True
        scope = scope.parent
    return False
