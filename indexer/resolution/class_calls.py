"""What a call of a class's name gives where an object of that name decides it: `Order(1)`.

A companion's `apply` (Scala) or `invoke` (Kotlin) may give another type than the class.
"""

import re
from collections.abc import Iterable, Iterator

from indexer.records.references import CLASS_CALL, Reference
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import ScopeTree
from indexer.resolution.value import INSTANCE, LOCAL, RESULT, Value, type_reference
from indexer.syntax.parser import QueryMatch
from indexer.syntax.source_text import SourceText


def called_classes(matches: Iterable[QueryMatch], tree: ScopeTree) -> dict[str, int]:
    """Return the names of classes with a member that their call calls, and where that stands."""
    marks = sorted(match["called"] for match in matches)
    scopes = tree.at(start for start, _ in marks)
    found: dict[str, int] = {}
    for (start, _), scope in zip(marks, scopes, strict=True):
        found.setdefault(scope.prefix.rpartition(".")[0], start)
    return found


def class_calls(resolver: Resolver, text: SourceText) -> Iterator[Reference]:
    """Yield what calls of classes give: the member's result, or also an instance of the class."""
    for owner, start in resolver.tree.called_classes.items():
        position = text.position(start)
        given = f"{owner}.{CLASS_CALL}"
        result = Value(LOCAL, owner, (resolver.language.call_member,), RESULT)
        yield type_reference(given, result, position)
        if _is_constructed(owner, resolver, text):
            yield type_reference(given, Value(LOCAL, owner, (), INSTANCE), position)


def _is_constructed(owner: str, resolver: Resolver, text: SourceText) -> bool:
    """Whether a call may also construct an instance of the class."""
    keyword = resolver.language.constructed_keyword.replace(" ", r"\s+")
    name = re.escape(owner.rpartition(".")[2])
    return bool(re.search(rf"\b{keyword}\s+{name}\b", text.slice((0, len(text.source)))))
