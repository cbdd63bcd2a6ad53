"""What a name at a position of a file means: its definitions, or why there is none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

from aeterna_code_search.contract.trace import (
    Confidence,
    Encoding,
    FilePosition,
    Meaning,
    MeantDefinition,
    NameInFile,
)
from central.corpus.files import why_skipped
from central.corpus.identifiers import references_of
from central.corpus.models import File
from central.db import fetch_rows, sql_with
from central.errors import InvalidError, NotFoundError
from central.repositories.visibility import RepositorySnapshot
from central.tenancy.credentials import Credential
from central.trace.callees import find_callees
from central.trace.edges import Edge, Step, Tally
from central.trace.imports import edges_of_imports
from central.trace.links import links, shown_definition
from central.trace.receipts import trace_receipt
from central.trace.request_scope import TraceScope, file_not_found, of_position
from central.trace.resolve.definitions import (
    Definition,
    DefinitionFilter,
    definitions_at,
    definitions_in,
    definitions_named,
)
from central.trace.resolve.import_sites import IMPORT, ImportSite, imports_before
from central.trace.resolve.questions import Key
from central.trace.resolve.references import ReferenceSite, sites_at
from central.trace.resolve.sql import Imports
from central.trace.written_names import HEAD_LINES, line_starts, written_names
from indexer.records.fixtures import split_fixture
from indexer.records.references import Access, Binding
from indexer.records.scip import SCIP_BINDING

_CODECS: Final = {
    Encoding.UTF_8: ("utf-8", 1),
    Encoding.UTF_16: ("utf-16-le", 2),
    Encoding.UTF_32: ("utf-32-le", 4),
}
_WORD: Final = re.compile(r"[\w$]+")
_FILE: Final = sql_with(file=File)("""SELECT f.id, f.content, f.skipped FROM {file} f
    WHERE f.repository_id = %s::bigint AND f.repository_id = ANY(%s::bigint[])
        AND f.path = %s::text""")


class TextPosition(NamedTuple):
    """A character of a file's text: `line` is its line, which begins at `start` of `text`."""

    repository: RepositorySnapshot
    asked: FilePosition
    file: int
    text: str
    start: int
    line: str
    character: int

    def word(self) -> tuple[str, int]:
        """Return the word that the character is in, and where it begins; "" between words."""
        for found in _WORD.finditer(self.line):
            if found.start() <= self.character < found.end():
                return found[0], found.start()
        return "", self.character

    def column(self, character: int) -> int:
        """Return where a character of the line is, in the encoding that was asked for."""
        codec, unit = _CODECS[self.asked.encoding]
        return len(self.line[:character].encode(codec)) // unit


def text_position(scope: TraceScope, position: FilePosition) -> TextPosition:
    """Read the file. Raises NotFoundError unless it is indexed, InvalidError for what it lacks."""
    repository = scope.named(position.project)
    path = "" if "\0" in position.file else position.file
    rows = fetch_rows(_FILE, [repository.id, scope.resolver.repositories, path])
    if not rows:
        raise file_not_found()
    file, text, skipped = rows[0]
    if skipped:
        raise NotFoundError(
            f"{why_skipped(skipped)} So the index knows no name in it; ask about another file.",
            code="reference_not_found",
        )
    lines = text.split("\n")
    total = len(lines) - (lines[-1] == "")
    if not 1 <= position.line <= total:
        raise _invalid("line", f"The indexed file has {total:,} lines; line is behind the last.")
    line = lines[position.line - 1]
    start = sum(len(definition) + 1 for definition in lines[: position.line - 1])
    character = _character(line, position)
    return TextPosition(repository, position, file, text, start, line, character)


def _character(line: str, position: FilePosition) -> int:
    codec, unit = _CODECS[position.encoding]
    data = line.encode(codec)
    end = position.column * unit
    if end > len(data):
        raise _invalid(
            "column",
            f"Line {position.line} has a length of {len(data) // unit:,} in {position.encoding}; "
            "column is behind its end.",
        )
    try:
        return len(data[:end].decode(codec))
    except UnicodeDecodeError:
        raise _invalid(
            "column",
            f"Column {position.column} is inside of a character in {position.encoding}. Give the "
            "column where one begins, or the encoding in which you count.",
        ) from None


def _invalid(field: str, message: str) -> InvalidError:
    return InvalidError(message, errors={field: [message]})


_SHOWN: Final = 100  # of candidates
_DEFINITION: Final = "definition"  # the use and the rule of a definition's own name
_HIGH: Final = Confidence.HIGH.name.lower()


class FoundMeaning(NamedTuple):
    """The definitions that a name may mean, the surest first, as stored and as shown.

    `reason`: why there is none, or nothing but the name is the same; else "".
    """

    name: NameInFile
    definitions: list[Definition]
    shown: list[MeantDefinition]
    tally: Tally
    reason: str

    def at_least(self, confidence: Confidence) -> tuple[list[Definition], list[MeantDefinition]]:
        """Return the definitions with this confidence or more."""
        names = {level.name.lower() for level in Confidence if level >= confidence}
        shown = [definition for definition in self.shown if definition.confidence in names]
        return self.definitions[: len(shown)], shown


def definition_at(*, credential: Credential, position: FilePosition) -> Meaning:
    """Return the definitions that the name at a position means; of a definition's name, that one.

    Raises NotFoundError for an unknown project or file, and if the index knows no name there;
    InvalidError for a position that the file does not have.
    """
    with of_position(credential, "definition", position) as scope:
        found = meaning_at(scope, position)
        scope.span.set_attributes(resultCount=len(found.shown))
        receipt = trace_receipt(scope, tally=found.tally)
    return Meaning(found.name, found.shown, receipt, found.reason or None)


def meaning_at(scope: TraceScope, position: FilePosition) -> FoundMeaning:
    """As `definition_at`, within a trace."""
    place = text_position(scope, position)
    if sites := _sites(scope, place):
        name = _name(place, sites[0].name, sites[0].kind, sites[0].column)
        return _meaning_of_reference(scope, name, sites)
    if defined := _defined_at(scope, place):
        definition, character = defined
        name = _name(place, definition.name, _DEFINITION, character)
        own = _meant(definition, place.repository, rule=_DEFINITION, confidence=_HIGH)
        return FoundMeaning(name, [definition], [own], Tally(), "")
    if imports := _imports_at(scope, place):
        word, character = place.word()
        return _meaning_of_import(scope, _name(place, word, IMPORT, character), imports)
    raise NotFoundError(
        "The index knows no name there: it knows references, imports, and the names of "
        "definitions. Check line and column: they are those of the indexed commit, which may be "
        "newer than yours.",
        code="reference_not_found",
    )


def _sites(scope: TraceScope, place: TextPosition) -> list[ReferenceSite]:
    """Return the references of the name there, if it is one.

    A name that is not written, as of what `with` calls, counts where it begins, and only if no
    written one covers the position.
    """
    sites = sites_at(
        scope.resolver,
        place.repository.id,
        place.asked.file,
        line=place.asked.line,
        column=place.character,
    )
    written = [site for site in sites if place.line.startswith(site.name, site.column)]
    near = written or [site for site in sites if site.column == place.character]
    return [site for site in near if (site.column, site.name) == (near[0].column, near[0].name)]


def _defined_at(scope: TraceScope, place: TextPosition) -> tuple[Definition, int] | None:
    """Return the definition whose own name is there, and where that begins in the line."""
    line, path = place.asked.line, place.asked.file
    near = [
        definition
        for definition in definitions_in(scope.resolver, repository=place.repository.id, path=path)
        if abs(definition.start_line - line) < HEAD_LINES and definition.name in place.line
    ]
    if not any(definition.start_line <= line <= definition.end_line for definition in near):
        return None
    references = references_of(place.file, last_line=line + 2 * HEAD_LINES)
    _, defined = written_names(place.text, references, near)
    at = place.start + place.character
    starts = [
        start for start, definition in defined.items() if start <= at < start + len(definition.name)
    ]
    return (defined[starts[0]], starts[0] - place.start) if starts else None


def _imports_at(scope: TraceScope, place: TextPosition) -> list[ImportSite]:
    """Return the imports of the word there: on its line, or in a bracket that theirs opens."""
    word, character = place.word()
    if not word:
        return []
    found = imports_before(scope.resolver, place.file, line=place.asked.line, name=word)
    starts = line_starts(place.text)
    return [
        import_site
        for import_site in found
        if import_site.site.line == place.asked.line
        or _is_in_bracket(place.text[starts[import_site.site.line - 1] : place.start + character])
    ]


def _is_in_bracket(text: str) -> bool:
    """Whether a bracket that the first line opens has not been closed."""
    opening = text.partition("\n")[0]
    return any(opener in opening and other not in text for opener, other in ("()", "{}"))


def _meaning_of_import(
    scope: TraceScope, name: NameInFile, imports: Sequence[ImportSite]
) -> FoundMeaning:
    edges = _once(edges_of_imports(scope.resolver, imports))
    definitions = definitions_at(scope.resolver, [edge.target for edge in edges])
    edges = [edge for edge in edges if edge.target in definitions]
    reason = "" if edges else _reason_of_import(scope, imports[0])
    return _shown(scope, name, edges, definitions, Tally(), reason)


def _reason_of_import(scope: TraceScope, import_site: ImportSite) -> str:
    ((_, modules),) = scope.resolver.resolve_all([import_site.statement])
    if modules:
        return f"“{import_site.statement.path}” is a module; ask for a name that is used of it."
    return _reason(scope, import_site.site)


def _name(place: TextPosition, name: str, use: str, character: int) -> NameInFile:
    is_written = place.line.startswith(name, character)
    return NameInFile(
        name=name,
        use=use,
        project=place.repository.name,
        commit=place.repository.commit,
        file=place.asked.file,
        line=place.asked.line,
        column=place.column(character),
        end_column=place.column(character + len(name) if is_written else character),
        url=place.repository.url(place.asked.file, place.asked.line),
    )


def _meaning_of_reference(
    scope: TraceScope, name: NameInFile, sites: Sequence[ReferenceSite]
) -> FoundMeaning:
    found = find_callees(scope.resolver, sites, min_confidence=Confidence.MEDIUM)
    edges = _once(found.edges)
    definitions = definitions_at(scope.resolver, [edge.target for edge in edges])
    edges = [edge for edge in edges if edge.target in definitions]
    reason = "" if edges else _reason(scope, sites[0])
    if not edges and found.tally.unresolved:
        edges, definitions = _named(scope, sites[0])
    return _shown(scope, name, edges, definitions, found.tally, reason)


def _shown(
    scope: TraceScope,
    name: NameInFile,
    edges: Sequence[Edge],
    definitions: Mapping[Key, Definition],
    tally: Tally,
    reason: str,
) -> FoundMeaning:
    steps = [Step(edge, 1, 0) for edge in edges[:_SHOWN]]
    targets = [definitions[step.edge.target] for step in steps]
    shown = [
        _meant(
            target,
            scope.repositories[target.repository],
            rule=link.rule,
            confidence=link.confidence,
            evidence=link.evidence,
            candidates=link.candidates,
            pinned_version=link.pinned_version,
        )
        for target, link in zip(targets, links(scope, steps, definitions), strict=True)
    ]
    return FoundMeaning(name, targets, shown, tally, reason)


def _meant(definition: Definition, repository: RepositorySnapshot, **why: Any) -> MeantDefinition:
    shown = shown_definition(definition, repository)
    own = {field.name: getattr(shown, field.name) for field in fields(shown)}
    return MeantDefinition(**own, **why)


def _once(edges: Sequence[Edge]) -> list[Edge]:
    """Return the surest edge to each definition, the surest first."""
    best: dict[Key, Edge] = {}
    for edge in sorted(edges, key=lambda edge: (-edge.confidence, edge.is_override)):
        best.setdefault(edge.target, edge)
    return list(best.values())


def _named(scope: TraceScope, site: ReferenceSite) -> tuple[list[Edge], dict[Key, Definition]]:
    """Return edges to the definitions of its name and ecosystem, its own repository's first."""
    named = definitions_named(scope.resolver, DefinitionFilter(site.name))
    alike = [definition for definition in named if definition.ecosystem == site.ecosystem]
    alike.sort(key=lambda definition: definition.repository != site.repository)
    edges = [
        Edge(site, definition.key, None, "name_only", Confidence.LOW, len(alike))
        for definition in alike
    ]
    return _once(edges), {definition.key: definition for definition in alike}


def _reason(scope: TraceScope, site: ReferenceSite) -> str:
    """Return why no definition was found."""
    name = f"“{site.name}”"
    if site.binding == Binding.IMPORT:
        (rows,) = scope.resolver.resolve_all([Imports(site.file, site.root)])
        if fixture := split_fixture(rows[0].path) if rows else None:
            return _reason_of_fixture(name, fixture[1], site)
        where = f"“{rows[0].path}”" if rows else "something"
        if site.access != Access.PATH:
            return f"{name} is a member of what the file imports as {where}; no member is known."
        return f"The file imports {where}, and no repository that you may see defines it there."
    if site.binding == SCIP_BINDING:
        return (
            f"An index of SCIP names {site.symbol}, which no repository that you may see defines."
        )
    if site.binding == Binding.UNKNOWN:
        return f"The file does not say of which class the value is whose member {name} is used."
    if site.binding == Binding.FREE and not site.chain and site.access == Access.PATH:
        return f"The file neither defines nor imports {name}: the language may have it."
    value = ".".join(part for part in (site.root, site.chain) if part)
    return f"{name} is used of “{value}”, for which no such member is known."


def _reason_of_fixture(name: str, fixture: str, site: ReferenceSite) -> str:
    if site.access != Access.PATH:
        return f"{name} is a member of the fixture “{fixture}”, whose value is of no known class."
    return (
        f"{name} is a fixture of pytest that neither this file nor a conftest.py defines; a plugin "
        "may."
    )
