"""The names that a file exports besides its own definitions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from indexer.languages import Language
from indexer.records.files import NAME_CHARACTERS, VALUE_KINDS
from indexer.records.references import Access, Binding, Export, cut_path
from indexer.resolution.bindings import BoundImport
from indexer.resolution.imports import import_path, join_path
from indexer.resolution.resolver import Resolver
from indexer.resolution.scopes import (
    MAX_BINDINGS,
    NameBinding,
    ScopeTree,
    ValueSource,
    is_in_function,
)
from indexer.resolution.value import Value
from indexer.syntax.expressions import read_expression
from indexer.syntax.parser import QueryMatch
from indexer.syntax.source_text import SourceText

_DEFAULT: Final = "default"  # the name to which the result of a call is bound


def read_exports(
    matches: Iterable[QueryMatch],
    imports: Sequence[BoundImport],
    resolver: Resolver,
    text: SourceText,
    *,
    path: str,
) -> list[Export]:
    """Return the exports once each: re-exports, export statements, aliases of definitions."""
    reader = _Reader(imports, resolver, text, path)
    found = [
        *reader.of_imports(),
        *(export for match in matches for export in reader.of_match(match)),
        *reader.of_aliases(),
    ]
    return list(dict.fromkeys(found))


def declared_functions(
    matches: Sequence[QueryMatch], tree: ScopeTree, text: SourceText
) -> list[Export]:
    """Return the functions that the file declares and does not define, with their namespaces.

    Of a method that a class declares and also defines in its body, one is an overload.
    """
    inside = {
        scope.owner for scope in tree.scopes if scope.parent is not None and scope.parent.is_class
    }
    marks = sorted(match["declares"] for match in matches)
    found: dict[Export, None] = {}
    for mark, scope in zip(marks, tree.at(start for start, _ in marks), strict=True):
        name = text.slice(mark)
        qualified = cut_path(f"{scope.prefix}.{name}" if scope.prefix else name)
        is_defined = qualified in tree.definitions and qualified not in inside
        if is_in_function(scope) or is_defined:
            continue
        first = qualified.partition(".")[0]
        names = [qualified] if first in tree.definitions else [first, qualified]
        found |= dict.fromkeys(Export(name, name, is_local=True, wildcard=False) for name in names)
    return list(found)


class _Reader:
    def __init__(
        self, imports: Sequence[BoundImport], resolver: Resolver, text: SourceText, path: str
    ) -> None:
        self._resolver = resolver
        self._text = text
        self._path = path
        self._at_top = [
            import_ for import_ in imports if import_.scope.parent is None or import_.is_reexported
        ]
        self._paths: dict[str, list[str]] = {}
        for bound_import in self._at_top:
            paths = self._paths.setdefault(bound_import.record.local, [])
            if len(paths) < MAX_BINDINGS:
                paths.append(bound_import.record.path)

    @property
    def _language(self) -> Language:
        return self._resolver.language

    def of_imports(self) -> Iterator[Export]:
        """Yield re-exported imports. A dotted import binds and exports its first part."""
        for bound_import in self._at_top:
            if not (self._language.reexports_imports or bound_import.is_reexported):
                continue
            record = bound_import.record
            if self._language.import_style.binds_first_name and "." in record.local:
                first = record.local.partition(".")[0]
                yield Export(first, first, is_local=False, wildcard=False)
            else:
                yield Export(record.local, record.path, is_local=False, wildcard=record.wildcard)

    def of_match(self, match: QueryMatch) -> Iterator[Export]:
        """Yield the exports of one name of an export statement."""
        part = {label: self._text.slice(mark) for label, mark in match.items()}
        name = part.get("export.name")
        of = part.get("export.of", part.get("export.default", part.get("export.whole", "")))
        if "export.default" in part:
            name = "default"
        elif "export.whole" in part:
            name = ""
        elif name is None:
            name = of
        module = part.get("export.module")
        if module is None:
            yield from self._of_expression(name, of)
            return
        source = import_path(self._language.import_style, self._path, module)
        yield Export(
            name[:NAME_CHARACTERS],
            join_path(source, (of,)) if of else source,
            is_local=False,
            wildcard="export.wildcard" in part,
        )

    def of_aliases(self) -> Iterator[Export]:
        """Yield `name = something.else` at the top of the file, and members of objects there."""
        tree = self._resolver.tree
        for owner, members in tree.members.items():
            if tree.definitions.get(owner) in VALUE_KINDS:
                yield from self._of_members(members)
        for name, several in tree.root.names.items():
            for binding in several:
                if name == _DEFAULT and binding.source is ValueSource.CALL:
                    yield Export(name, name, is_local=True, wildcard=False)
                if binding.source is ValueSource.ALIAS and not binding.imported:
                    yield from self._of_value(name, self._resolver.bound_value(binding))

    def _of_members(self, members: Mapping[str, Sequence[NameBinding]]) -> Iterator[Export]:
        for member, several in members.items():
            for binding in several:
                if self._resolver.is_definition(binding):
                    value = self._resolver.bound_value(binding)
                    if (value.chain or value.root.split("."))[-1] != member:
                        yield from self._of_value(binding.qualified, value)

    def _of_expression(self, name: str, written: str) -> Iterator[Export]:
        read = read_expression(written)
        if read is None or not read.path or read.name:
            return
        value = self._resolver.resolve_path(read.path, self._resolver.tree.root, 1 << 62)
        if value.access is not Access.PATH or value.binding is Binding.UNKNOWN:
            names = self._resolver.tree.root.names.get(read.path[0])
            if names and len(read.path) == 1 and not names[-1].imported:
                value = Value(Binding.LOCAL, read.path[0])
        elif value.binding is Binding.FREE and written in self._resolver.tree.definitions:
            value = Value(Binding.LOCAL, written)  # `module.exports = function f() {}`
        yield from self._of_value(name, value)

    def _of_value(self, name: str, value: Value) -> Iterator[Export]:
        if value.access is not Access.PATH:
            return
        name = name[:NAME_CHARACTERS]
        if value.binding is Binding.LOCAL:
            qualified = value.path
            if qualified != name:
                yield Export(name, cut_path(qualified), is_local=True, wildcard=False)
        elif value.binding is Binding.IMPORT:
            for path in self._paths.get(value.root, ()):
                yield Export(name, join_path(path, value.chain), is_local=False, wildcard=False)
