"""Why a reference means what it does, as a sentence, and in which version."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from central.common.statements import fetch_rows
from central.trace.backward import Edge
from central.trace.inquiry import Inquiry
from central.trace.rows import Declared, PlaceRow, Places, Requirement
from central.trace.symbols import Definition
from central.trace.things import Key
from indexer.records.references import Binding

_IMPORT_LINES = """SELECT i.file_id, i.local, i.line, i.path,
        split_part(f.content, E'\\n', i.line)
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, local)
    JOIN corpus_import i ON i.file_id = q.file AND i.local = q.local AND NOT i.wildcard
    JOIN corpus_file f ON f.id = i.file_id
    WHERE i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line DESC"""
_ARROW: Final = " → "
_SENTENCES: Final = {
    "same_file": "defined in the same file",
    "same_package": "visible without an import, in the same package",
    "dependency": "the only definition of this name in the packages that are imported whole",
    "name_only": "nothing but the name is the same",
}


class Evidence:
    """Sentences for a page's edges, with what they need read in one go."""

    def __init__(
        self, inquiry: Inquiry, edges: Sequence[Edge], definitions: Mapping[Key, Definition]
    ) -> None:
        self._definitions = definitions
        self._imports = _import_lines(inquiry, edges)
        files = {file for edge in edges for file in _files(edge)}
        asked = [Places(file) for file in sorted(files)]
        self._places: dict[int, PlaceRow] = {
            question.file: rows[0]
            for question, rows in zip(asked, inquiry.answers(asked), strict=True)
            if rows
        }
        packages = [Declared(package) for package in sorted({e.site.package for e in edges})]
        self._declared: dict[int, Sequence[Requirement]] = {
            question.package: rows
            for question, rows in zip(packages, inquiry.answers(packages), strict=True)
        }

    def sentence(self, edge: Edge) -> str:
        """The steps from the reference to the definition."""
        return _ARROW.join(self._steps(edge))

    def requirement(self, edge: Edge) -> Requirement | None:
        """What the caller's package asks of the definition's, if that is another."""
        target = self._definitions.get(edge.target)
        if target is None or not target.distribution or target.package == edge.site.package:
            return None
        rows = self._declared.get(edge.site.package, ())
        return next((row for row in rows if row.name == target.distribution), None)

    def _steps(self, edge: Edge) -> Iterator[str]:
        thing = edge.thing
        if thing is None:
            yield _SENTENCES["name_only"]
            return
        yield from self._origin(edge)
        for file in thing.trail:
            yield f"re-exported by {self._path(file)}"
        if thing.receiver is not None:
            yield f"a member of {thing.receiver[1]}"
        if edge.is_override:
            yield f"{thing.name}, which {edge.target[1]} overrides"
        elif not thing.sure and edge.rule == "import":
            yield "the only provider in sight, though no manifest asks for it"
        yield self._path(edge.target[0])

    def _origin(self, edge: Edge) -> Iterator[str]:
        """How the reference's file knows the name."""
        key = (edge.site.file, edge.site.root)
        if edge.site.binding == Binding.IMPORT and key in self._imports:
            yield self._imports[key]
        elif edge.rule == "import":
            yield "imported by wildcard"
        elif edge.rule in _SENTENCES:
            yield _SENTENCES[edge.rule]

    def _path(self, file: int) -> str:
        return self._places[file].path if file in self._places else ""


def _files(edge: Edge) -> list[int]:
    trail = edge.thing.trail if edge.thing else ()
    return [edge.target[0], *trail]


def _import_lines(inquiry: Inquiry, edges: Sequence[Edge]) -> dict[Key, str]:
    """For each (file, local name) the import as it is written."""
    keys = list(
        dict.fromkeys(
            (edge.site.file, edge.site.root)
            for edge in edges
            if edge.site.binding == Binding.IMPORT
        )
    )
    if not keys:
        return {}
    columns = [[file for file, _ in keys], [local for _, local in keys]]
    rows = fetch_rows(_IMPORT_LINES, [*columns, inquiry.repositories])
    return {
        (file, local): f"{_written(text, local, path)} (line {line})"
        for file, local, line, path, text in rows
    }


def _written(text: str, local: str, path: str) -> str:
    """The import's line; where it goes over several, what it comes to."""
    line = text.strip()
    return line[:200] if local.rpartition(".")[2] in line else f"import of {path} as {local}"
