"""Links of an answer with their evidence and the versions that callers pin."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from packaging.version import InvalidVersion, Version

from central.corpus.models import File, Import
from central.db import fetch_rows, sql_with
from central.trace.answers import Endpoint, Link
from central.trace.callers import Edge, Step
from central.trace.request_scope import Sight
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import Inquiry
from central.trace.resolve.questions import Key
from central.trace.resolve.sql import Declared, PlaceRow, Places, Requirement
from indexer.records.references import Binding

_sql = sql_with(imported=Import, file=File)
_IMPORT_LINES = _sql("""SELECT i.file_id, i.local, i.line, i.path,
        split_part(f.content, E'\\n', i.line)
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, local)
    JOIN {imported} i ON i.file_id = q.file AND i.local = q.local AND NOT i.wildcard
    JOIN {file} f ON f.id = i.file_id
    WHERE i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line DESC""")
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


_NUMBERS: Final = re.compile(r"v?(\d{1,9}(?:\.\d{1,9})*)")


def lags(ecosystem: str, *, pinned: str, indexed: str) -> bool | None:
    """Whether `pinned` is older than `indexed`; None where either is unknown or cannot be told."""
    if not pinned or not indexed:
        return None
    if ecosystem == "pypi":
        try:
            return Version(pinned) < Version(indexed)
        except InvalidVersion:
            return None
    one, other = _numbers(pinned), _numbers(indexed)
    if one is None or other is None:
        return None
    length = max(len(one), len(other))
    return _padded(one, length) < _padded(other, length)


def _numbers(version: str) -> list[int] | None:
    """The release's numbers; what follows them (`-rc.1`, `+build`) is left out."""
    found = _NUMBERS.match(version)
    return [int(part) for part in found[1].split(".")] if found else None


def _padded(numbers: list[int], length: int) -> list[int]:
    return numbers + [0] * (length - len(numbers))


def links(sight: Sight, steps: Sequence[Step], definitions: Mapping[Key, Definition]) -> list[Link]:
    """`steps` as they are shown; `definitions` are the callees, and callers as far as known."""
    callers = ((step.edge.site.file, step.edge.site.caller) for step in steps)
    unread = [key for key in callers if key[1] and key not in definitions]
    definitions = {**definitions, **definitions_at(sight.inquiry, unread)}
    evidence = Evidence(sight.inquiry, [step.edge for step in steps], definitions)
    return [_link(sight, step, evidence, definitions) for step in steps]


def caller_endpoint(sight: Sight, edge: Edge, definitions: Mapping[Key, Definition]) -> Endpoint:
    """Where a reference stands: a definition, or the file's top level."""
    site = edge.site
    project = sight.repositories[site.repository].name
    if not site.caller:
        return Endpoint(project, site.path, "<module>", "", "module", 1)
    found = definitions.get((site.file, site.caller))
    if found:
        return endpoint(sight, found)
    name = site.caller.rpartition(".")[2]
    return Endpoint(project, site.path, name, site.caller, "", site.line)


def endpoint(sight: Sight, one: Definition) -> Endpoint:
    """A definition as an end of an edge."""
    project = sight.repositories[one.repository].name
    return Endpoint(project, one.path, one.name, one.qualified_name, one.kind, one.start_line)


def _link(
    sight: Sight, step: Step, evidence: Evidence, definitions: Mapping[Key, Definition]
) -> Link:
    edge = step.edge
    site = edge.site
    repository = sight.repositories[site.repository]
    target = definitions[edge.target]
    requirement = evidence.requirement(edge)
    pinned = requirement.pinned if requirement else ""
    return Link(
        project=repository.name,
        commit=repository.commit,
        file=site.path,
        line=site.line,
        column=site.column,
        kind=site.kind,
        caller=caller_endpoint(sight, edge, definitions),
        callee=endpoint(sight, target),
        target=step.target,
        depth=step.depth,
        rule=edge.rule,
        confidence=edge.confidence.name.lower(),
        evidence=evidence.sentence(edge),
        candidates=edge.candidates,
        pinned_version=pinned or None,
        required_version=(requirement.required or None) if requirement else None,
        indexed_version=target.version or None,
        lags=lags(target.ecosystem, pinned=pinned, indexed=target.version),
        url=repository.url(site.path, site.line),
    )
