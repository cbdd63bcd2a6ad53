"""Manifests that could not be read whole: whether an answer may lack what they decide."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import UnreadManifest
from central.corpus.models import File, Manifest
from central.db import fetch_rows, id_array, sql_with
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import Definition
from central.trace.resolve.ecosystems import is_standard
from central.trace.resolve.modules import prefixes
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.sql import Imports, ModuleRow, Modules
from indexer.ecosystems import is_lock_file
from indexer.records.manifests import Ecosystem, ManifestProblem
from indexer.records.references import Binding

NAMED: Final = 20
MOST: Final = 5_000  # unread manifests that are read for one answer
# Only a manifest says under which name others import a package, and its dependencies' local names.
_NAMED_BY_MANIFEST: Final = frozenset({Ecosystem.NPM, Ecosystem.GO, Ecosystem.CARGO})
_RENAMING: Final = frozenset({Ecosystem.NPM, Ecosystem.CARGO})
# Each file declares the name under which others import it.
_NAMED_BY_FILES: Final = frozenset({Ecosystem.MAVEN, Ecosystem.NUGET, Ecosystem.COMPOSER})
_sql = sql_with(file=File, manifest=Manifest)
# As conditions of the partial index on them.
_UNREAD = _sql("""SELECT f.repository_id, f.path, m.data->>'ecosystem', m.data->>'problem'
    FROM {manifest} m JOIN {file} f ON f.id = m.file_id
    WHERE m.data ? 'problem' AND m.repository_id = ANY(%s::bigint[])
        AND m.data->>'ecosystem' = ANY(%s::text[])
    ORDER BY f.repository_id, f.path LIMIT %s""")


class _Unread(NamedTuple):
    repository: int
    path: str
    ecosystem: str
    problem: str

    def applies_to(self, path: str) -> bool:
        """Whether the file is in its directory or below."""
        directory, slash, _ = self.path.rpartition("/")
        return path.startswith(directory + slash)

    @property
    def is_unknown(self) -> bool:
        """Whether nothing of it is known, and it is none that a tool has written."""
        return self.problem != ManifestProblem.PARTIAL and not is_lock_file(self.path)


class _Use(NamedTuple):
    """An import that leads to no visible definition, and the visible modules on its path."""

    site: ReferenceSite
    path: str
    modules: Sequence[ModuleRow]


def of_callers(
    scope: TraceScope, definitions: Sequence[Definition], sites: Sequence[ReferenceSite]
) -> list[UnreadManifest]:
    """Return the manifests that may hide callers of the definitions.

    `sites`: references of their names that lead to no visible definition. One may be a caller if

    * its own manifest is unread, and its import begins with a module of a definition's package
      (which is then not declared) or with a name that the manifest may give to any package;
    * or a definition's manifest is unread, so that what others call it is unknown.
    """
    packages = {definition.package for definition in definitions}

    def may_use(use: _Use) -> bool:
        return any(row.package in packages for row in use.modules)

    return _relevant(scope, sites, definitions, may_use)


def of_callees(scope: TraceScope, sites: Sequence[ReferenceSite]) -> list[UnreadManifest]:
    """Return the manifests that may hide what `sites`, without a visible definition, lead to."""
    return _relevant(
        scope, sites, (), lambda use: any(r.repository != use.site.repository for r in use.modules)
    )


def _relevant(
    scope: TraceScope,
    sites: Sequence[ReferenceSite],
    definitions: Sequence[Definition],
    may_use: Callable[[_Use], bool],
) -> list[UnreadManifest]:
    sites = [site for site in sites if site.binding == Binding.IMPORT]
    unread = _unread(sites, definitions)
    if not unread:
        return []
    owners = [
        (manifest, definition)
        for definition in definitions
        if definition.ecosystem not in _NAMED_BY_FILES
        for manifest in unread[definition.repository, definition.ecosystem]
        if manifest.applies_to(definition.path) and not is_lock_file(manifest.path)
    ]
    found: dict[_Unread, None] = {}
    for use in _uses(scope, sites, unread, is_any_of_interest=bool(owners)):
        for manifest in unread[use.site.repository, use.site.ecosystem]:
            may_rename = manifest.ecosystem in _RENAMING and manifest.is_unknown
            if manifest.applies_to(use.site.path) and (may_use(use) or may_rename):
                found[manifest] = None
        for manifest, definition in owners:
            if not use.modules and _may_be_called(scope, manifest, definition, use):
                found[manifest] = None
    return [
        UnreadManifest(
            scope.repositories[manifest.repository].name, manifest.path, manifest.problem
        )
        for manifest in sorted(found)[:NAMED]
    ]


def _unread(
    sites: Sequence[ReferenceSite], definitions: Sequence[Definition]
) -> Mapping[tuple[int, str], Sequence[_Unread]]:
    """Read the unread manifests of the repositories, by repository and ecosystem; one query."""
    found: dict[tuple[int, str], list[_Unread]] = defaultdict(list)
    if not sites:
        return found
    repositories = {site.repository for site in sites} | {
        definition.repository for definition in definitions
    }
    ecosystems = sorted({site.ecosystem for site in sites})
    for row in fetch_rows(_UNREAD, [id_array(sorted(repositories)), ecosystems, MOST]):
        manifest = _Unread(*row)
        found[manifest.repository, manifest.ecosystem].append(manifest)
    return found


def _uses(
    scope: TraceScope,
    sites: Sequence[ReferenceSite],
    unread: Mapping[tuple[int, str], Sequence[_Unread]],
    *,
    is_any_of_interest: bool,
) -> Iterator[_Use]:
    """Yield what is imported there; where no manifest is unread only if any is of interest.

    The resolution has asked the same, so nothing is read again.
    """
    asked = [
        site
        for site in sites
        if is_any_of_interest or unread.get((site.repository, site.ecosystem))
    ]
    imports = scope.resolver.resolve_all([Imports(site.file, site.root) for site in asked])
    uses = [
        (site, row.path)
        for site, rows in zip(asked, imports, strict=True)
        for row in rows
        if not row.path.startswith("/") and not is_standard(site.ecosystem, row.path)
    ]
    questions = [
        Modules(site.repository, module) for site, path in uses for module, _ in prefixes(path)
    ]
    answers = iter(scope.resolver.resolve_all(questions))
    for site, path in uses:
        rows = [row for _ in prefixes(path) for row in next(answers)]
        yield _Use(site, path, [row for row in rows if row.ecosystem == site.ecosystem])


def _may_be_called(scope: TraceScope, manifest: _Unread, definition: Definition, use: _Use) -> bool:
    """Whether an import of nothing visible may mean the definition's package."""
    if definition.ecosystem != use.site.ecosystem:
        return False
    if manifest.is_unknown and manifest.ecosystem in _NAMED_BY_MANIFEST:
        return True
    stem = definition.path.rpartition(".")[0]
    repository = scope.repositories[definition.repository].name
    names = {_plain(part) for part in [*stem.split("/"), repository]}
    return _plain(use.path.partition(".")[0].partition("/")[0]) in names


def _plain(name: str) -> str:
    return name.replace("-", "_").lower()
