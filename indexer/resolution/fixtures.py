"""pytest's fixtures: a parameter of a test or fixture is the value of the fixture of its name.

A fixture of the file itself is found here. Any other is an import that central looks up in
conftest.py (records.fixtures), so that no test file depends on the content of a conftest.py.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from indexer.languages import Language
from indexer.languages.python import python_module
from indexer.records.files import NAME_CHARACTERS
from indexer.records.fixtures import conftest_above, conftest_beside, fixture_path
from indexer.records.references import Access, Binding, Export, Import, Reference, ReferenceKind
from indexer.records.references import cut_path as cut
from indexer.resolution.bindings import BoundImport
from indexer.resolution.fixture_requests import (
    FixtureRequest,
    fixture_functions,
    outwards,
    read_decorators,
    requests_of_parameters,
    requests_of_strings,
)
from indexer.resolution.imports import import_path
from indexer.resolution.name_uses import NameUse
from indexer.resolution.scopes import ScopeTree
from indexer.resolution.value import Value
from indexer.syntax.calls import node_at, read_strings
from indexer.syntax.definitions import OutlineEntry
from indexer.syntax.parser import ParsedFile, QueryMatch
from indexer.syntax.source_text import SourceText

FILE_FIXTURES: Final = 1_000  # of pytest, which a file takes from conftest.py
_CONFTEST: Final = "conftest.py"
_PACKAGES: Final = frozenset({"pytest", "pytest_asyncio"})
# Fixtures of pytest itself, which no conftest.py has.
_BUILT_IN: Final = frozenset({
    "cache", "capfd", "capfdbinary", "caplog", "capsys", "capsysbinary", "capteesys",
    "doctest_namespace", "monkeypatch", "pytestconfig", "pytester", "record_property",
    "record_testsuite_property", "record_xml_attribute", "recwarn", "request", "subtests",
    "testdir", "tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory",
})  # fmt: skip
_OTHER: Final = "()"  # makes another local name than that of a statement's import
_LONGEST: Final = NAME_CHARACTERS - len(_OTHER)
_MAX_PLACES: Final = 100  # classes that may have the fixture of a request, its own and their bases
_WORD: Final = re.compile(rb"\w+")
_PLUGINS: Final = re.compile(rb"^pytest_plugins\b", re.MULTILINE)


@dataclass(slots=True)
class Fixtures:
    """What fixtures add to a file's relations.

    `values` are those of names that hold a fixture's value, by the name's offset. `functions` are
    the qualified names of fixtures, whose value is what they return or yield.
    """

    values: dict[int, Value] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    imports: dict[str, Import] = field(default_factory=dict)
    exports: list[Export] = field(default_factory=list)
    functions: frozenset[str] = frozenset()


class FixtureFile(NamedTuple):
    """A parsed file with its scopes; `bases` are the base classes of its classes, as written."""

    path: str
    parsed: ParsedFile
    outlined: Sequence[OutlineEntry]
    text: SourceText
    tree: ScopeTree
    imports: Sequence[BoundImport]
    uses: Sequence[NameUse]
    bases: Mapping[str, Sequence[str]]

    @property
    def is_collected(self) -> bool:
        """Whether pytest collects it; other files may define fixtures for those."""
        collects = self.parsed.language.collects_tests
        return collects is not None and collects(self.path)


def may_have_fixtures(path: str, language: Language, imports: Iterable[BoundImport]) -> bool:
    """Whether pytest collects the file, or it imports pytest."""
    collects = language.collects_tests
    return collects is not None and (
        collects(path)
        or any(import_.record.path.partition(".")[0] in _PACKAGES for import_ in imports)
    )


def read_fixtures(file: FixtureFile, locals_and_fields: Iterable[QueryMatch]) -> Fixtures:
    """Return what fixtures add to a file that may have some."""
    reader = _Reader(file, locals_and_fields)
    found = Fixtures(
        exports=list(reader.exports()),
        functions=frozenset(
            function.entry.qualified_name for function in reader.functions if function.fixture
        ),
        imports=reader.imports,
    )
    for request in reader.requests:
        value = reader.value(request)
        if value is not None:
            found.references.append(_reference(request, value, file.text))
            if request.value_at is not None:
                found.values[request.value_at] = value._replace(access=Access.RESULT)
    found.references.sort(key=lambda reference: (reference.line, reference.column))
    return found


def _reference(request: FixtureRequest, value: Value, text: SourceText) -> Reference:
    """Return the use of the fixture by the function that names it.

    Its kind is that of an argument: pytest calls the fixture and passes on its value. The name is
    as written, which the file exports, but that of a class's method.
    """
    line, column = text.position(request.start)
    container, _, method = value.root.rpartition(".")
    return Reference(
        kind=ReferenceKind.VALUE,
        name=method if container else request.name,
        binding=value.binding,
        root=value.root,
        chain="",
        access=Access.PATH,
        caller=request.caller,
        line=line,
        column=column,
    )


class _Reader:
    def __init__(self, file: FixtureFile, locals_and_fields: Iterable[QueryMatch]) -> None:
        self._file = file
        self._source = file.parsed.source
        self._is_conftest = file.path.rpartition("/")[2] == _CONFTEST
        self._module = python_module(file.path)
        records = [import_.record for import_ in file.imports]
        self._locals = {record.local.partition(".")[0] for record in records}
        self._top = {
            import_.record.local: import_.record
            for import_ in file.imports
            if import_.scope.parent is None
        }
        decorators = read_decorators(file.parsed, records)
        has_tests = file.is_collected and not self._is_conftest
        self.functions = list(fixture_functions(file.outlined, decorators, has_tests=has_tests))
        self.requests = list(
            requests_of_parameters(
                self.functions, locals_and_fields, file.parsed, file.tree, file.text
            )
        )
        if file.is_collected:
            self.requests += requests_of_strings(file.uses, file.outlined, decorators, file.parsed)
        self.imports: dict[str, Import] = {}
        self._own: dict[str, dict[str, str]] = {}  # functions by class or "", and fixture
        for function in self.functions:
            if function.fixture:
                self._own.setdefault(function.entry.prefix, {})[function.fixture] = (
                    function.entry.qualified_name
                )
        self._is_imported: dict[str, bool] = {}

    def exports(self) -> Iterator[Export]:
        """Yield fixtures of another name than their function's, and plugins that are loaded."""
        for name, function in self._own.get("", {}).items():
            if name != function and len(name) <= _LONGEST:
                yield Export(name, function, is_local=True, wildcard=False)
        for found in _PLUGINS.finditer(self._source) if self._file.is_collected else ():
            node = node_at(self._file.parsed, found.span())
            assigned = node.parent if node is not None else None
            value = assigned.child_by_field_name("right") if assigned is not None else None
            for plugin in filter(None, read_strings(self._file.parsed, value)):
                yield Export("", cut(plugin), is_local=False, wildcard=True)

    def value(self, request: FixtureRequest) -> Value | None:
        """Return the fixture's function; None for those of pytest itself and for too long names."""
        if len(request.name) > _LONGEST:
            return None
        for place in self._places(request.around):
            function = self._own.get(place, {}).get(request.name)
            if function is not None and function != request.caller:
                return Value(Binding.LOCAL, function)
        if request.name in _BUILT_IN:
            return None
        if self._is_imported_fixture(request.name):
            return Value(Binding.IMPORT, request.name)
        local = self._local_name(request)
        return Value(Binding.IMPORT, local) if local else None

    def _places(self, around: OutlineEntry | None) -> Iterator[str]:
        """Yield the classes around a request with their bases in this file, then the module."""
        waiting = [outlined.qualified_name for outlined in outwards(around)]
        seen: dict[str, None] = {}
        while waiting and len(seen) < _MAX_PLACES:
            place = waiting.pop(0)
            if place not in seen:
                seen[place] = None
                bases = self._file.bases.get(place, ())
                waiting = [*bases[:_MAX_PLACES], *waiting][:_MAX_PLACES]
        yield from seen
        yield ""

    def _local_name(self, request: FixtureRequest) -> str:
        """Return the local name of the import from conftest.py; "" if none may have it."""
        name = request.name
        local = f"{name}{_OTHER}" if name in self._locals else name
        if local in self.imports or len(self.imports) == FILE_FIXTURES:
            return local if local in self.imports else ""
        module: str | None = self._module
        if self._is_conftest:
            is_own = self._own.get("", {}).get(name) == request.caller
            module = conftest_above(self._module) if is_own else self._module
        elif "" not in self._top or name in self._own.get("", {}):
            module = conftest_beside(self._module)
        if module is None:
            return ""
        line = self._file.text.line(request.start)
        path = cut(fixture_path(module, name))
        self.imports[local] = Import(local, "conftest", path, wildcard=False, line=line)
        return local

    def _is_imported_fixture(self, name: str) -> bool:
        """Whether a name that the file imports is a fixture: it is read as parameters alone."""
        record = self._top.get(name)
        if record is None or record.wildcard:
            return False
        if name not in self._is_imported:
            style = self._file.parsed.language.import_style
            is_module = import_path(style, self._file.path, record.module) == record.path
            self._is_imported[name] = not is_module and not self._is_read_elsewhere(name, record)
        return self._is_imported[name]

    def _is_read_elsewhere(self, name: str, record: Import) -> bool:
        """Whether a name occurs outside of its import and of what takes it as a fixture."""
        requests = self._requested[name]
        starts = {request.start for request in requests}
        bound = [
            binding for binding in self._file.tree.root.names.get(name, ()) if binding.imported
        ]
        last = max((self._file.text.line(binding.start) for binding in bound), default=record.line)
        inside = _joined(
            (request.around.definition.start_byte, request.around.definition.end_byte)
            for request in requests
            if request.around
        )
        for start in self._occurrences[name]:
            if start in starts or record.line <= self._file.text.line(start) <= last:
                continue
            position = bisect_right(inside, (start, 1 << 62)) - 1
            if position < 0 or start >= inside[position][1]:
                return True
        return False

    @cached_property
    def _requested(self) -> dict[str, list[FixtureRequest]]:
        found: dict[str, list[FixtureRequest]] = {}
        for request in self.requests:
            found.setdefault(request.name, []).append(request)
        return found

    @cached_property
    def _occurrences(self) -> dict[str, list[int]]:
        """Where each requested name occurs in the source, as a whole word."""
        found: dict[str, list[int]] = {name: [] for name in self._requested}
        names = {name.encode(): starts for name, starts in found.items()}
        for word in _WORD.finditer(self._source):
            if word[0] in names:
                names[word[0]].append(word.start())
        return found


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans in order, those inside of others left out."""
    found: list[tuple[int, int]] = []
    for span in sorted(set(spans)):
        if not found or span[1] > found[-1][1]:
            found.append(span)
    return found
