"""Calls of members that may be extensions: imported by name, or of a type of the language."""

from collections.abc import Container

from indexer.languages import Language
from indexer.languages.base import is_name
from indexer.records.builtin_types import is_builtin_type
from indexer.records.manifests import Ecosystem
from indexer.resolution.resolver import Resolver
from indexer.resolution.value import (
    BASE,
    FREE,
    IMPORT,
    INSTANCE,
    LOCAL,
    PATH,
    RESULT,
    UNKNOWN,
    Value,
)
from indexer.syntax.expressions import read_literal_member


class ExtensionCalls:
    """A reader of such calls in one file; `renamed` are the imports under another name."""

    def __init__(self, resolver: Resolver, renamed: Container[str]) -> None:
        self._resolver = resolver
        self._language = resolver.language
        self._renamed = renamed
        self._extends_builtins = bool(resolver.language.literal_types)

    def of_literal(self, text: str) -> tuple[Value, str] | None:
        """Return the member of a literal and its name, unless nothing can give its type members.

        What is a member of anything else that begins with a literal is unknown.
        """
        read = read_literal_member(text)
        if read is None:
            return None
        sign, name = read
        if sign and not self._extends_builtins:
            return None
        root = self._language.literal_types.get(sign)
        return Value(FREE, root, (), INSTANCE, name) if root else UNKNOWN, name

    def imported(self, value: Value, name: str) -> Value:
        """Return the import of the member's name, if it may be an extension; else the value."""
        if not name or not self._language.extension_methods or value.access is BASE:
            return value
        if value is not UNKNOWN and not value.member:
            return value
        if value.binding is LOCAL and name in self._resolver.tree.members.get(value.root, ()):
            return value
        known = self._resolver.tree.root.names.get(name, ())
        imported = next((binding.imported for binding in known if binding.imported), "")
        return Value(IMPORT, imported) if imported else value

    def by_receiver(self, written: Value, value: Value) -> Value:
        """Return the value as written, if its receiver's type tells which extension it is.

        A constructed instance of a type of the language is one: `String(x).shout()`.
        """
        is_told = written.binding is not UNKNOWN.binding and value.root not in self._renamed
        if written != value and is_told:
            value = written
        is_result = value.access is RESULT and is_extensible(self._language, value)
        return value._replace(access=INSTANCE) if is_result else value

    def is_builtin_member(self, value: Value) -> bool:
        """Whether a repository may have added the member to the language's type."""
        is_member = value.access is INSTANCE and bool(value.member)
        return is_member and is_extensible(self._language, value)

    def may_be_given(self, value: Value) -> bool:
        """Whether the receiver is what a member gives that may have been added to such a type."""
        is_member = value.access is not PATH and bool(value.chain)
        is_named = is_member and all(map(is_name, value.chain))
        return is_named and is_extensible(self._language, value._replace(chain=()))


def is_extensible(language: Language, value: Value) -> bool:
    """Whether the value is of a type of the language to which a repository may add members."""
    if not language.literal_types or value.binding is not FREE or value.chain:
        return False
    return is_builtin_type(language.ecosystem or Ecosystem.NONE, value.root)
