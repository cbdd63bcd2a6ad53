"""Links of an answer, with evidence, and the versions that callers' packages ask for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Endpoint, Link, ShownDefinition
from central.corpus.models import File, Import, ScipDocument
from central.db import fetch_rows, id_array, sql_with
from central.repositories.visibility import RepositorySnapshot
from central.trace.edges import Edge, Step
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.import_sites import IMPORT
from central.trace.resolve.questions import Key
from central.trace.resolve.references import ReferenceSite, columns_of
from central.trace.resolve.scip import SCIP
from central.trace.resolve.sql import Declared, Files, Requirement, RequirementOf
from indexer.ecosystems import ECOSYSTEMS, local_names
from indexer.records.fixtures import split_fixture
from indexer.records.manifests import Ecosystem
from indexer.records.references import Binding

_sql = sql_with(imported=Import, file=File, document=ScipDocument)
_IMPORT_LINES = _sql("""SELECT i.file_id, i.local, i.line, i.path,
        split_part(f.content, E'\\n', i.line)
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, local)
    JOIN {imported} i ON i.file_id = q.file AND i.local = q.local AND NOT i.wildcard
    JOIN {file} f ON f.id = i.file_id
    WHERE i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line DESC""")
_TOOLS = _sql("""SELECT file_id, tool FROM {document}
    WHERE file_id = ANY(%s::bigint[]) AND repository_id = ANY(%s::bigint[])""")
_FIRST: Final = 0  # instead of a line: that of the first import of a name
_ARROW: Final = " → "
_SENTENCES: Final = {
    "same_file": "defined in the same file",
    "same_package": "visible without an import, in the same package",
    "dependency": "the only definition of this name in the packages that are imported whole",
    "value_flow": "a value may hold the function",
    "name_only": "nothing but the name is the same",
}

_UNDECLARED: Final = "the only visible package that provides it; no manifest declares it"
_BY_NAME: Final = "the only file of the repository that it can be, by its name"
_GUESSES: Final[Mapping[str, str]] = {Ecosystem.NONE: _BY_NAME, Ecosystem.SHELL: _BY_NAME}


class _ImportLine(NamedTuple):
    """An import's path, and its text as evidence."""

    path: str
    text: str


class Evidence:
    """Evidence of a page's edges; everything it needs is read at once."""

    def __init__(
        self, resolver: BatchResolver, edges: Sequence[Edge], definitions: Mapping[Key, Definition]
    ) -> None:
        self._definitions = definitions
        self._imports = _import_lines(resolver, edges)
        self._paths = _paths(resolver, edges)
        self._tools = _tools(resolver, edges)
        wanted = {requirement for edge in edges if (requirement := self._dependency(edge))}
        self._requirements = _requirements(resolver, sorted(wanted))

    def sentence(self, edge: Edge) -> str:
        """Describe the steps from the reference to the definition."""
        return _ARROW.join(self._steps(edge))

    def requirement(self, edge: Edge) -> Requirement | None:
        """Return the dependency of the caller's package on the definition's, if they differ."""
        dependency = self._dependency(edge)
        found = self._requirements.get(dependency, ()) if dependency else ()
        imported = self._imported(edge)
        return _meant(found, imported.path if imported else edge.site.root) if found else None

    def _dependency(self, edge: Edge) -> RequirementOf | None:
        target = self._definitions.get(edge.target)
        if target is None or not target.distribution or target.package == edge.site.package:
            return None
        return RequirementOf(edge.site.package, target.distribution)

    def _steps(self, edge: Edge) -> Iterator[str]:
        definition = edge.definition
        if definition is None:
            yield _SENTENCES["name_only"]
            return
        yield from self._origin(edge)
        for file in definition.via_files:
            yield f"re-exported by {self._paths.get(file, '')}"
        if definition.model:
            yield f"by the model of {definition.model}"
        if definition.receiver is not None:
            yield f"a member of {definition.receiver[1]}"
        if edge.is_override:
            yield f"{definition.name}, which {edge.target[1]} overrides"
        elif edge.is_to_constructor:
            yield f"an instance of {definition.name}, which {edge.target[1]} makes"
        elif not definition.is_certain and edge.rule == "import":
            yield _GUESSES.get(edge.site.ecosystem, _UNDECLARED)
        yield self._paths.get(edge.target[0], "")

    def _origin(self, edge: Edge) -> Iterator[str]:
        """Yield how the reference's file binds the name."""
        imported = self._imported(edge)
        if edge.definition and edge.definition.rule == SCIP:
            yield f"bound by {self._tools.get(edge.site.file, 'an index')}"
        elif imported is not None:
            yield imported.text
        elif edge.rule == "import":
            yield "imported by wildcard"
        elif edge.rule in _SENTENCES:
            yield _SENTENCES[edge.rule]

    def _imported(self, edge: Edge) -> _ImportLine | None:
        site = edge.site
        line = site.line if site.kind == IMPORT else _FIRST
        found = (self._imports.get((site.file, local, line)) for local in _locals(site))
        return next(filter(None, found), None)


def _paths(resolver: BatchResolver, edges: Iterable[Edge]) -> dict[int, str]:
    """Return the paths of the files of definitions, and of those that re-export them."""
    files = {edge.target[0] for edge in edges}
    files.update(file for edge in edges if edge.definition for file in edge.definition.via_files)
    answers = resolver.resolve_each({file: [Files(file)] for file in sorted(files)})
    return {file: rows[0].path for file, (rows,) in answers.items() if rows}


def _requirements(
    resolver: BatchResolver, wanted: Sequence[RequirementOf]
) -> dict[RequirementOf, Sequence[Requirement]]:
    """Return how packages ask for distributions, the nearest manifest first; one for each alias.

    Lock files are read for what no manifest names.
    """
    found: dict[RequirementOf, Sequence[Requirement]] = {}
    declared = resolver.resolve_each({needed: [Declared(needed.package)] for needed in wanted})
    for needed, (rows,) in declared.items():
        first: dict[str, Requirement] = {}
        for row in rows:
            if row.name == needed.name:
                first.setdefault(row.alias, row)
        found[needed] = list(first.values())
    locked = resolver.resolve_each({needed: [needed] for needed in wanted if not found[needed]})
    return found | {needed: rows[:1] for needed, (rows,) in locked.items()}


def _meant(found: Sequence[Requirement], path: str) -> Requirement:
    """Return the one by whose local name the path begins; with unknown versions if none does."""
    if len({(requirement.required, requirement.pinned) for requirement in found}) == 1:
        return found[0]
    named: dict[int, Requirement] = {}
    for needed in found:
        local = local_names.local_and_meant(needed.name, needed.alias)[0]
        in_rust = local.replace("-", "_")
        if local_names.begins(path, local) or local_names.begins(path, in_rust):
            named.setdefault(len(local), needed)
    return named[max(named)] if named else Requirement(found[0].name, "", "")


def _tools(resolver: BatchResolver, edges: Sequence[Edge]) -> Mapping[int, str]:
    """Return the indexers, with their versions, that bound references, by file."""
    files = {edge.site.file for edge in edges if edge.definition and edge.definition.rule == SCIP}
    return dict(fetch_rows(_TOOLS, [id_array(files), resolver.repositories])) if files else {}


def _locals(site: ReferenceSite) -> list[str]:
    """Return the local names of the import that the root may be, or what it calls: `<a/b(0=C)>`."""
    if site.binding == Binding.IMPORT:
        return [site.root]
    called, bracket, _ = site.root.partition("(")
    if site.binding != Binding.LOCAL or not bracket or called[:1] != "<":
        return []
    names = called[1:].split("/")
    return [".".join(names[:count]) for count in range(len(names), 0, -1)]


def _import_lines(
    resolver: BatchResolver, edges: Sequence[Edge]
) -> dict[tuple[int, str, int], _ImportLine]:
    """Return the imports by file, local name and line, which is also _FIRST."""
    sites = [edge.site for edge in edges]
    keys = list(dict.fromkeys((site.file, local) for site in sites for local in _locals(site)))
    if not keys:
        return {}
    rows = fetch_rows(_IMPORT_LINES, [*columns_of(keys), resolver.repositories])
    return {
        (file, local, key): _ImportLine(path, f"{_written(text, local, path)} (line {line})")
        for file, local, line, path, text in rows
        for key in (line, _FIRST)
    }


def _written(text: str, local: str, path: str) -> str:
    """Return the import's line; if it spans several, or is a fixture's, a description."""
    if fixture := split_fixture(path):
        return f"fixture {fixture[1]} of pytest"
    line = text.strip()
    return line[:200] if local.rpartition(".")[2] in line else f"import of {path} as {local}"


def links(
    scope: TraceScope, steps: Sequence[Step], definitions: Mapping[Key, Definition]
) -> list[Link]:
    """Return `steps` as links; `definitions` has the callees and the callers known so far."""
    callers = ((step.edge.site.file, step.edge.site.caller) for step in steps)
    unread = [key for key in callers if key[1] and key not in definitions]
    definitions = {**definitions, **definitions_at(scope.resolver, unread)}
    evidence = Evidence(scope.resolver, [step.edge for step in steps], definitions)
    repositories = {step.edge.site.repository for step in steps}
    scope.owners.read_ahead(scope.repositories[key] for key in repositories)
    return [_link(scope, step, evidence, definitions) for step in steps]


def caller_endpoint(
    scope: TraceScope, edge: Edge, definitions: Mapping[Key, Definition]
) -> Endpoint:
    """Return the definition around a reference, or the file's top level."""
    site = edge.site
    project = scope.repositories[site.repository].name
    if not site.caller:
        return Endpoint(project, site.path, "<module>", "", "module", 1, site.generated)
    found = definitions.get((site.file, site.caller))
    if found:
        return endpoint(scope, found)
    name = site.caller.rpartition(".")[2]
    return Endpoint(project, site.path, name, site.caller, "", site.line, site.generated)


def endpoint(scope: TraceScope, definition: Definition) -> Endpoint:
    project = scope.repositories[definition.repository].name
    return Endpoint(
        project,
        definition.path,
        definition.name,
        definition.qualified_name,
        definition.kind,
        definition.start_line,
        definition.generated,
    )


def shown_definition(definition: Definition, repository: RepositorySnapshot) -> ShownDefinition:
    return ShownDefinition(
        project=repository.name,
        commit=repository.commit,
        file=definition.path,
        line=definition.start_line,
        end_line=definition.end_line,
        name=definition.name,
        qualified_name=definition.qualified_name,
        kind=definition.kind,
        signature=definition.signature,
        language=definition.language,
        package=definition.distribution or None,
        version=definition.version or None,
        url=repository.url(definition.path, definition.start_line, definition.end_line),
        generated=definition.generated,
    )


def _link(
    scope: TraceScope, step: Step, evidence: Evidence, definitions: Mapping[Key, Definition]
) -> Link:
    edge = step.edge
    site = edge.site
    repository = scope.repositories[site.repository]
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
        caller=caller_endpoint(scope, edge, definitions),
        callee=endpoint(scope, target),
        target=step.target,
        depth=step.depth,
        rule=edge.rule,
        confidence=edge.confidence.name.lower(),
        evidence=evidence.sentence(edge),
        candidates=edge.candidates,
        pinned_version=pinned or None,
        required_version=(requirement.required or None) if requirement else None,
        indexed_version=target.version or None,
        lags=is_older(target.ecosystem, pinned=pinned, indexed=target.version),
        url=repository.url(site.path, site.line),
        owners=scope.owners.listed(repository, site.path),
    )


def is_older(ecosystem: str, *, pinned: str, indexed: str) -> bool | None:
    """Whether `pinned` is older than `indexed`; None if either is unknown or unreadable."""
    rules = ECOSYSTEMS.get(ecosystem)
    if rules is None or not pinned.strip() or not indexed.strip():
        return None
    try:
        return bool(rules.parse_version(pinned) < rules.parse_version(indexed))
    except ValueError:
        return None
