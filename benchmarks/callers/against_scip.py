"""Where the index of a compiler and our rules differ about a reference, by class.

An index says what the name of a reference is bound to, the rules' edges what the references of its
line are bound to. What leads to no definition that we store is no difference: a field, a local.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from benchmarks.callers.query import Bound, Edge, Line, bindings
from indexer.errors import ScipDocumentError
from indexer.pipeline.worker import extract_file
from indexer.records.files import FileRecord
from indexer.records.references import CONSTRUCTOR_METHODS, ReferenceKind
from indexer.records.scip import ScipDocument, parse_symbol
from indexer.records.scip_targets import scip_target
from indexer.scip.documents import IndexedDocument, check_document, read_document
from indexer.scip.reading import IndexFile

EXAMPLES: Final = 10  # of a class
_NO_BLOB: Final = "0" * 40
_SOURCES: Final = "src."  # scip-python's modules begin at the repository's root


class Difference(StrEnum):
    """What the rules say of a reference that an index binds to something else."""

    NONE = "the rules: nothing of that name"
    ANOTHER = "the rules: another definition"
    REPOSITORY = "the rules: another repository"
    OUTSIDE = "the index: outside of the sample"


@dataclass(frozen=True, slots=True)
class Compared:
    """A reference that an index binds; without a `difference` the rules say the same.

    `expected` is None outside of the sample.
    """

    line: Line
    name: str
    expected: Bound | None
    found: frozenset[Bound]
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file with what its index says of it, and what our extractor does."""

    document: ScipDocument
    record: FileRecord


def read_index(index: Path, checkout: Path) -> Iterator[IndexedFile]:
    """Yield the documents of an index that are of files in the checkout, as they are there."""
    with IndexFile(index, index.name) as opened:
        for data in opened.documents():
            document = read_document(data, opened.head)
            file = checkout / document.path
            if file.is_file():
                try:
                    yield _indexed_file(document, file)
                except ScipDocumentError as exc:
                    print(f"{index.name}: {document.path} is left out: {exc}")


def _indexed_file(document: IndexedDocument, file: Path) -> IndexedFile:
    path, content = document.path, file.read_bytes()
    checked = check_document(document, path=path, blob=_NO_BLOB, text=content.decode())
    return IndexedFile(
        checked, extract_file(path=path, mode="100644", blob=_NO_BLOB, content=content)
    )


def compared(
    files: Mapping[str, Iterable[IndexedFile]], edges: Iterable[Edge]
) -> Iterator[Compared]:
    """Each reference of the projects' files that an index binds to a definition, or outside."""
    known = {project: list(several) for project, several in files.items()}
    definitions = _Definitions(known)
    bound = bindings(edges)
    for project, several in known.items():
        for one in several:
            yield from _compared(project, one, definitions, bound)


def lines(found: Iterable[Compared]) -> Iterator[str]:
    """Each class with its number, and the names that are most frequent in it."""
    several = list(found)
    counted = Counter(one.difference for one in several)
    yield f"{counted[None]:6} of {len(several)} references: both say the same"
    for difference in Difference:
        names = Counter(_shown(one) for one in several if one.difference is difference)
        yield f"{counted[difference]:6} {difference}"
        yield from (f"{count:12} {text}" for text, count in names.most_common(EXAMPLES))


class _Definitions:
    """The definitions of all indexes, by symbol in their own project, and by path."""

    def __init__(self, files: Mapping[str, list[IndexedFile]]) -> None:
        self._own: dict[tuple[str, str], Bound] = {}
        self._by_path: dict[str, set[Bound]] = defaultdict(set)
        self._stored: set[Bound] = set()
        for project, several in files.items():
            for one in several:
                self._add(project, one)

    def _add(self, project: str, one: IndexedFile) -> None:
        path = one.record.path
        self._stored.update((project, path, row.qualified_name) for row in one.record.symbols)
        for place in one.document.definitions:
            symbol = one.document.symbols[place.symbol]
            parsed = parse_symbol(symbol)
            target = scip_target(parsed) if parsed else None
            if target:
                bound = (project, path, ".".join(target.names))
                self._own[project, symbol] = bound
                if target.path:
                    self._by_path[target.path.removeprefix(_SOURCES)].add(bound)

    def of(self, project: str, symbol: str) -> tuple[Bound | None, bool]:
        """Return the definition, and whether that is certain. None is outside of the sample."""
        own = self._own.get((project, symbol))
        if own:
            return own, own in self._stored
        parsed = parse_symbol(symbol)
        target = scip_target(parsed) if parsed else None
        if target is None:
            return None, False
        several = self._by_path.get(target.path)
        if not several:
            return None, True
        first = min(several)  # also of a project whose tests use what it has published
        return first, len(several) == 1 and first in self._stored


def _compared(
    project: str, file: IndexedFile, definitions: _Definitions, bound: Mapping[Line, set[Bound]]
) -> Iterator[Compared]:
    named = {(one.line, one.column): one.symbol for one in file.document.references}
    for reference in file.record.references:
        at = named.get((reference.line, reference.column))
        if at is None or reference.kind is ReferenceKind.TYPE:
            continue
        expected, is_certain = definitions.of(project, file.document.symbols[at])
        if not is_certain:
            continue
        line = (project, file.record.path, reference.line)
        names = {reference.name, expected[2].rpartition(".")[2] if expected else ""}
        found = frozenset(one for one in map(_of_class, bound.get(line, ())) if _last(one) in names)
        yield Compared(line, reference.name, expected, found, _difference(expected, found))


def _of_class(bound: Bound) -> Bound:
    """Return the class of a constructor."""
    project, file, name = bound
    container, _, last = name.rpartition(".")
    return (project, file, container) if container and last in CONSTRUCTOR_METHODS else bound


def _last(bound: Bound) -> str:
    return bound[2].rpartition(".")[2]


def _difference(expected: Bound | None, found: frozenset[Bound]) -> Difference | None:
    if expected is None:
        return Difference.OUTSIDE if found else None
    if expected in found:
        return None
    if not found:
        return Difference.NONE
    is_near = any(one[0] == expected[0] for one in found)
    return Difference.ANOTHER if is_near else Difference.REPOSITORY


def _shown(one: Compared) -> str:
    meant = " ".join(one.expected) if one.expected else "outside"
    found = "; ".join(sorted(" ".join(bound) for bound in one.found)) or "nothing"
    return f"{one.line[0]}: {one.name} is {meant}; the rules: {found}"
