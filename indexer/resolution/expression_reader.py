"""What the readers of assigned values and written types need of a resolver."""

from collections.abc import Sequence
from typing import Protocol

from indexer.languages import Language
from indexer.resolution.scopes import NameBinding, Scope
from indexer.resolution.value import VALUE, NameRole, Value


class ExpressionReader(Protocol):
    """A reader of paths, calls and members; `Resolver` is the one."""

    language: Language

    def resolve_path(
        self,
        path: Sequence[str],
        scope: Scope,
        offset: int,
        excluding: NameBinding | None = None,
        role: NameRole = VALUE,
    ) -> Value:
        """Return the value of a path of names."""
        ...

    def member(self, value: Value, part: str, role: NameRole = VALUE) -> Value:
        """Return the member `part` of a value."""
        ...

    def call_result(
        self, text: str, scope: Scope, offset: int, excluding: NameBinding | None = None
    ) -> Value:
        """Return the result of calling the written expression."""
        ...

    def expression(
        self,
        text: str,
        scope: Scope,
        offset: int,
        excluding: NameBinding | None = None,
        role: NameRole = VALUE,
    ) -> Value:
        """Return the value of the written expression."""
        ...

    def of_calls(
        self, text: str, scope: Scope, offset: int, excluding: NameBinding | None
    ) -> Value:
        """Return the value of an expression of paths and calls."""
        ...
