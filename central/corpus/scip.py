"""What SCIP documents say, put into the rows of their files. Needs a transaction.

A document's rows are made for the file at its path, of its blob; when that file is replaced, by
whatever version of this service, the next apply makes them again.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from django.db import transaction
from msgspec.json import Decoder, encode

from central.corpus.models import (
    File,
    Import,
    Reference,
    ScipDefinition,
    ScipDocument,
    ScipRelationship,
    ScipSymbol,
    Symbol,
)
from central.db import (
    Row,
    columns_of,
    copy_into,
    copy_rows,
    execute,
    fetch_rows,
    id_array,
    sql_with,
)
from central.repositories.models import Repository
from indexer.records import scip
from indexer.records.files import NAME_CHARACTERS, VALUE_KINDS
from indexer.records.references import Access, ReferenceKind
from indexer.records.scip import CONSTRUCTOR, SCIP_BINDING, ScipPlace, Suffix, parse_symbol
from indexer.records.scip_targets import scip_target

FURTHER_FOR_EACH: Final = 3  # occurrences that are kept beside each reference of a file's own
_AT_ONCE: Final = 200  # documents
_FACTS_AT_ONCE: Final = 1_000_000  # bytes of what they say, deflated
_sql = sql_with(
    document=ScipDocument,
    symbol=ScipSymbol,
    definition=ScipDefinition,
    relationship=ScipRelationship,
    reference=Reference,
    imported=Import,
    outline=Symbol,
    file=File,
    repository=Repository,
    scip=f"'{SCIP_BINDING}'",
    is_of="f.repository_id = d.repository_id AND f.path = d.path AND f.blob = d.blob"
    " AND f.skipped = ''",
)
_DELETE: Final = _sql("""DELETE FROM {document} WHERE repository_id = %s::bigint
    AND path = ANY(%s::text[]) RETURNING coalesce(file_id, 0)""")
_DELETE_STALE: Final = _sql("""DELETE FROM {document} d WHERE repository_id = %s::bigint
    AND NOT EXISTS (SELECT FROM {file} f WHERE {is_of}) RETURNING coalesce(file_id, 0)""")
_CLEAR: Final = _sql(
    "UPDATE {reference} SET symbol_id = NULL WHERE file_id = ANY(%s::bigint[])"
    " AND symbol_id IS NOT NULL AND binding <> {scip}"
)
_DELETE_FURTHER: Final = _sql(
    "DELETE FROM {reference} WHERE file_id = ANY(%s::bigint[]) AND binding = {scip}"
)
_DELETE_DEFINITIONS: Final = _sql("DELETE FROM {definition} WHERE file_id = ANY(%s::bigint[])")
_DELETE_RELATIONSHIPS: Final = _sql("DELETE FROM {relationship} WHERE file_id = ANY(%s::bigint[])")
_DUE: Final = _sql("""SELECT id, file, file_id, facts FROM (
        SELECT d.id, f.id AS file, d.file_id, d.facts, d.path,
            sum(length(d.facts)) OVER (ORDER BY d.path) - length(d.facts) AS before
        FROM {document} d JOIN {file} f ON {is_of}
        WHERE d.repository_id = %s::bigint AND d.file_id IS DISTINCT FROM f.id
        ORDER BY d.path LIMIT %s) AS due
    WHERE before < %s::bigint ORDER BY path""")
_PUT_SYMBOLS: Final = _sql("""INSERT INTO {symbol} (repository_id, text, name)
    SELECT %s::bigint, text, name FROM unnest(%s::text[], %s::text[]) AS now (text, name)
    ON CONFLICT (text, repository_id) DO NOTHING""")
_SYMBOLS: Final = _sql("""SELECT text, id FROM {symbol}
    WHERE repository_id = %s::bigint AND text = ANY(%s::text[])""")
_REFERENCES: Final = _sql("""SELECT file_id, id, kind, line, "column", caller
    FROM {reference} WHERE file_id = ANY(%s::bigint[]) AND binding <> {scip} ORDER BY id""")
_OUTLINE: Final = _sql("""SELECT file_id, name, qualified_name, kind, start_line, end_line
    FROM {outline} WHERE file_id = ANY(%s::bigint[]) ORDER BY start_line, end_line DESC, id""")
_IMPORT_LINES: Final = _sql(
    "SELECT file_id, line FROM {imported} WHERE file_id = ANY(%s::bigint[])"
)
_BIND: Final = _sql("""UPDATE {reference} SET symbol_id = now.symbol
    FROM unnest(%s::bigint[], %s::bigint[]) AS now (id, symbol)
    WHERE {reference}.id = now.id""")
_DONE: Final = _sql("""UPDATE {document} SET file_id = now.file, left_out = now.left_out
    FROM unnest(%s::bigint[], %s::bigint[], %s::int[]) AS now (id, file, left_out)
    WHERE {document}.id = now.id""")
_DELETE_UNUSED_SYMBOLS: Final = _sql("""DELETE FROM {symbol} s
        WHERE s.repository_id = %s::bigint
            AND NOT EXISTS (SELECT FROM {reference} r WHERE r.symbol_id = s.id)
            AND NOT EXISTS (SELECT FROM {definition} d WHERE d.symbol_id = s.id)
            AND NOT EXISTS (SELECT FROM {relationship} t
                WHERE t.symbol_id = s.id OR t.implemented_id = s.id)""")
_COUNT: Final = _sql("""UPDATE {repository} SET scip = coalesce((
        SELECT jsonb_object_agg(tool, files) FROM (SELECT tool, count(*) AS files FROM {document}
            WHERE repository_id = %s::bigint GROUP BY tool) AS found), '{}')
    WHERE id = %s::bigint AND (scip <> '{}' OR EXISTS (SELECT FROM {document} d
        WHERE d.repository_id = {repository}.id))""")
_DOCUMENTS: Final = copy_into(ScipDocument, *columns_of(ScipDocument, without="file_id"))
_DEFINITIONS: Final = copy_into(ScipDefinition)
_RELATIONSHIPS: Final = copy_into(ScipRelationship)
_FURTHER: Final = copy_into(Reference)


def put_documents(
    repository_id: int, documents: Sequence[scip.ScipDocument], removed: Sequence[str]
) -> int:
    """Store documents in the place of those of their paths, and delete those of `removed`.

    What the former ones have put into rows is deleted; returns the difference in references. Of
    several of one path the last counts.
    """
    paths = [*removed, *(document.path for document in documents)]
    if not paths:
        return 0
    gone = fetch_rows(_DELETE, [repository_id, paths])
    last = {document.path: document for document in documents}
    copy_rows(_DOCUMENTS, (_document_row(repository_id, document) for document in last.values()))
    return -_forget(file for (file,) in gone)


def refresh_scip(repository_id: int) -> int:
    """Put what documents say into the rows of files that do not have it.

    A document whose file has another blob now is deleted. Returns the difference in references.
    """
    gone = fetch_rows(_DELETE_STALE, [repository_id])
    difference = -_forget(file for (file,) in gone)
    while due := fetch_rows(_DUE, [repository_id, _AT_ONCE, _FACTS_AT_ONCE]):
        difference -= _forget(before or 0 for _, _, before, _ in due)
        difference += _put(repository_id, due)
    execute(_COUNT, [repository_id, repository_id])
    return difference


def stored_documents(repository_id: int) -> list[tuple[str, str, str, int]]:
    """Return path, blob, digest and cut of each document of a repository."""
    documents = ScipDocument.objects.filter(repository=repository_id).order_by("path")
    return list(documents.values_list("path", "blob", "digest", "cut"))


def delete_unused_symbols() -> int:
    """Delete the symbols that no row mentions any more; return how many there were.

    Not those of a repository to which a run is just applied, and which it may be about to mention.
    """
    count = 0
    for repository in Repository.objects.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            unlocked = Repository.objects.select_for_update(skip_locked=True)
            if unlocked.filter(pk=repository).exists():
                count += execute(_DELETE_UNUSED_SYMBOLS, [repository])
    return count


def _document_row(repository_id: int, document: scip.ScipDocument) -> Row:
    facts = zlib.compress(
        encode(
            (document.symbols, document.definitions, document.references, document.relationships)
        )
    )
    return (
        repository_id,
        document.path,
        document.blob,
        document.tool,
        document.digest,
        facts,
        document.cut,
        0,
    )


def _forget(files: Iterable[int]) -> int:
    """Delete what was put into the rows of files; return how many references that were."""
    ids = id_array(file for file in files if file)
    for statement in (_CLEAR, _DELETE_DEFINITIONS, _DELETE_RELATIONSHIPS):
        execute(statement, [ids])
    return execute(_DELETE_FURTHER, [ids])


class _Facts(NamedTuple):
    """What a document says, as `_document_row` packs it."""

    symbols: list[str]
    definitions: list[ScipPlace]
    references: list[ScipPlace]
    relationships: list[tuple[int, int]]


_FACTS: Final = Decoder(_Facts)
_KINDS: Final = {  # of uses that no rule knows
    Suffix.TYPE: ReferenceKind.TYPE,
    Suffix.METHOD: ReferenceKind.VALUE,
    Suffix.MACRO: ReferenceKind.VALUE,
}


class _Named(NamedTuple):
    """What a symbol names: the name of its definition in a file, and how a use of it is stored.

    `kind` is None if only uses that the rules know are stored.
    """

    name: str
    ecosystem: str
    kind: ReferenceKind | None


class _Outline(NamedTuple):
    name: str
    qualified_name: str
    kind: str
    start: int
    end: int


class _Own(NamedTuple):
    """A reference that a file's rules know."""

    id: int
    kind: str
    line: int
    column: int
    caller: str


class _File:
    """A file's own rows, and what a document says of it."""

    def __init__(self, file: int, facts: bytes) -> None:
        self.id = file
        self.facts = _FACTS.decode(zlib.decompress(facts))
        self.outline: list[_Outline] = []
        self.own: list[_Own] = []
        self.import_lines: set[int] = set()

    def definitions(self, named: Mapping[str, _Named]) -> Iterator[tuple[str, str]]:
        """Yield the symbols that name a definition of ours, with its qualified name.

        That is the innermost one of the name around the line; or a field, which its type tells.
        """
        outlines = defaultdict[str, list[_Outline]](list)
        for outline in self.outline:
            outlines[outline.name].append(outline)
        fields = {
            (owned.line, owned.caller.rpartition(".")[2]): owned.caller
            for owned in self.own
            if owned.kind == ReferenceKind.TYPE
        }
        for place in self.facts.definitions:
            text = self.facts.symbols[place.symbol]
            name, line = named[text].name, place.line
            around = [outline for outline in outlines[name] if outline.start <= line <= outline.end]
            found = around[-1].qualified_name if around else fields.get((line, name), "")
            if found:
                yield text, found

    def bound(self) -> tuple[dict[int, int], list[ScipPlace]]:
        """Return the symbols at references by id, and the places at which there is none.

        A member of one of several types has several symbols there: the rules decide.
        """
        own: dict[tuple[int, int], list[int]] = defaultdict(list)
        for owned in self.own:
            if owned.kind != ReferenceKind.TYPE:
                own[owned.line, owned.column].append(owned.id)
        bound: dict[int, int] = {}
        further = []
        several = Counter((reference.line, reference.column) for reference in self.facts.references)
        for place in self.facts.references:
            at = (place.line, place.column)
            if ids := own.get(at):
                bound |= dict.fromkeys(ids, place.symbol) if several[at] == 1 else {}
            elif place.line not in self.import_lines:
                further.append(place)
        return bound, further

    def callers(self) -> Mapping[int, str]:
        """Return the innermost definition around each line that is no value."""
        found: dict[int, str] = {}
        for outline in self.outline:  # those around others go before
            if outline.kind not in VALUE_KINDS:
                found |= dict.fromkeys(
                    range(outline.start, outline.end + 1), outline.qualified_name
                )
        return found


def _named(text: str) -> _Named:
    symbol = parse_symbol(text)
    if symbol is None or not symbol.descriptors:
        return _Named("", "", None)
    last, target = symbol.descriptors[-1], scip_target(symbol)
    if last.name == CONSTRUCTOR:
        return _Named("constructor", "", None)
    if target is None or not target.names:
        return _Named(last.name[:NAME_CHARACTERS], "", None)
    return _Named(target.names[-1][:NAME_CHARACTERS], target.ecosystem, _KINDS.get(last.suffix))


def _put(repository_id: int, due: Sequence[Row]) -> int:
    """Put documents into the rows of their files; return how many references are new."""
    files = _read(due)
    named = {
        text: _named(text) for text in sorted({t for file in files for t in file.facts.symbols})
    }
    texts = list(named)
    execute(_PUT_SYMBOLS, [repository_id, texts, [symbol.name for symbol in named.values()]])
    ids: dict[str, int] = dict(fetch_rows(_SYMBOLS, [repository_id, texts]))
    bound: dict[int, int] = {}
    further: list[Row] = []
    left_out = []
    for file in files:
        at, others = file.bound()
        bound |= {reference: ids[file.facts.symbols[symbol]] for reference, symbol in at.items()}
        kept = [place for place in others if named[file.facts.symbols[place.symbol]].kind]
        most = FURTHER_FOR_EACH * len(file.own)
        further += _further_rows(repository_id, file, kept[:most], named, ids)
        left_out.append(max(len(kept) - most, 0))
    execute(_BIND, [id_array(bound), id_array(bound.values())])
    copy_rows(_FURTHER, further)
    copy_rows(
        _DEFINITIONS,
        sorted(
            {
                (repository_id, file.id, ids[text], name)
                for file in files
                for text, name in file.definitions(named)
            }
        ),
    )
    copy_rows(
        _RELATIONSHIPS,
        (
            (repository_id, file.id, *(ids[file.facts.symbols[symbol]] for symbol in pair))
            for file in files
            for pair in file.facts.relationships
        ),
    )
    documents = id_array(row[0] for row in due)
    execute(_DONE, [documents, id_array(row[1] for row in due), id_array(left_out)])
    return len(further)


def _read(due: Iterable[Row]) -> list[_File]:
    """Read the rows of the files of documents, in their order."""
    files = {file: _File(file, facts) for _, file, _, facts in due}
    ids = id_array(files)
    for file, *row in fetch_rows(_REFERENCES, [ids]):
        files[file].own.append(_Own(*row))
    for file, *row in fetch_rows(_OUTLINE, [ids]):
        files[file].outline.append(_Outline(*row))
    for file, line in fetch_rows(_IMPORT_LINES, [ids]):
        files[file].import_lines.add(line)
    return list(files.values())


def _further_rows(
    repository_id: int,
    file: _File,
    places: Sequence[ScipPlace],
    named: Mapping[str, _Named],
    ids: Mapping[str, int],
) -> Iterator[Row]:
    """Yield the rows of uses that the rules do not know: of types, functions and methods."""
    callers = file.callers() if places else {}
    for place in places:
        text = file.facts.symbols[place.symbol]
        name, ecosystem, kind = named[text]
        yield (
            repository_id,
            file.id,
            ecosystem,
            kind,
            name,
            SCIP_BINDING,
            "",
            "",
            Access.PATH,
            callers.get(place.line, ""),
            place.line,
            place.column,
            ids[text],
        )
