"""Imports as uses of a definition, found when they are asked for: `kind=import`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from aeterna_code_search.contract.trace import Confidence
from central.trace.edges import Edge, edges_by_name, edges_to
from central.trace.resolve.definitions import Definition
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.hierarchy import aliases_of
from central.trace.resolve.import_sites import (
    ImportSite,
    ModuleOfFile,
    imports_bound,
    imports_named,
    imports_of_modules,
    imports_within,
    modules_of,
)
from central.trace.resolve.modules import ModuleMatch
from central.trace.resolve.questions import (
    ImportPath,
    Key,
    Outside,
    ResolvedDefinition,
    best_candidates,
)
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import Resolution
from indexer.records.references import Access

_Module: TypeAlias = tuple[int, int, str]  # repository, package and name


def edges_from_imports(
    resolver: BatchResolver, definitions: Sequence[Definition], *, min_confidence: Confidence
) -> list[Edge]:
    """Return an edge from each import of a definition, of one around it or of its module.

    LOW includes imports that lead nowhere and share only the name.
    """
    if not definitions:
        return []
    asked = _Asked.of(resolver, definitions)
    aliases = aliases_of(resolver, asked.names)
    sites = [
        *imports_named(resolver, sorted(aliases.names)),
        *imports_bound(resolver, sorted(aliases.roots)),
        *imports_of_modules(resolver, asked.modules_of_files),
    ]
    unique = list({site.site.id: site for site in sites}.values())
    answers = resolver.resolve_all([import_site.statement for import_site in unique])
    edges, nameless = list[Edge](), list[ImportSite]()
    for import_site, (targets, modules) in zip(unique, answers, strict=True):
        edges += asked.edges(import_site.site, targets, modules)
        if not targets and not modules:
            nameless.append(import_site)
    if min_confidence is Confidence.LOW:
        edges += edges_by_name(_unresolved(resolver, nameless, definitions), definitions)
    return [edge for edge in edges if edge.confidence >= min_confidence]


def edges_to_imported(
    resolver: BatchResolver, definitions: Sequence[Key], *, min_confidence: Confidence
) -> list[Edge]:
    """Return edges to the definitions that imports inside of these definitions name."""
    sites = {site.site.id: site for site in imports_within(resolver, definitions)}.values()
    edges = edges_of_imports(resolver, list(sites))
    return [edge for edge in edges if edge.confidence >= min_confidence]


def edges_of_imports(resolver: BatchResolver, imports: Sequence[ImportSite]) -> list[Edge]:
    """Return edges to the definitions that imports name."""
    answers = resolver.resolve_all([import_.statement for import_ in imports])
    return [
        edge
        for import_, (targets, _) in zip(imports, answers, strict=True)
        for edge in edges_to(import_.site, _resolution(targets))
    ]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Definitions by the names and by the modules that stand for them in an import."""

    names: dict[Key, list[Key]]
    modules: dict[_Module, list[Key]]
    modules_of_files: Sequence[ModuleOfFile]

    @classmethod
    def of(cls, resolver: BatchResolver, definitions: Iterable[Definition]) -> "_Asked":
        names, files = defaultdict[Key, list[Key]](list), defaultdict[int, list[Key]](list)
        for definition in definitions:
            files[definition.file].append(definition.key)
            for name in accumulate(definition.qualified_name.split("."), "{}.{}".format):
                names[definition.file, name].append(definition.key)
        found = modules_of(resolver, sorted(files))
        modules = defaultdict[_Module, list[Key]](list)
        for module in found:
            modules[module.repository, module.package, module.name] += files[module.file]
        return cls(dict(names), dict(modules), found)

    def edges(
        self,
        site: ReferenceSite,
        targets: Sequence[ResolvedDefinition],
        modules: Sequence[ModuleMatch],
    ) -> list[Edge]:
        """Return one edge to each of the definitions that the import stands for."""
        resolution = _resolution(targets)
        found = {
            key: edge._replace(target=key)
            for edge in edges_to(site, resolution)
            for key in self.names.get(edge.target, ())
        }
        count = len(modules)
        for match in modules:
            is_high = match.is_certain and count == 1
            confidence = Confidence.HIGH if is_high else Confidence.MEDIUM
            for key in self.modules.get(match[:3], ()):
                definition = ResolvedDefinition(*key, "", match.is_certain, "import")
                edge = Edge(site, key, definition, "import", confidence, count)
                found.setdefault(key, edge)
        return list(found.values())


def _resolution(targets: Iterable[ResolvedDefinition]) -> Resolution:
    unique = best_candidates(target._replace(rule="import") for target in targets)
    return Resolution(unique, is_unresolved=False)


def _unresolved(
    resolver: BatchResolver, sites: Sequence[ImportSite], definitions: Iterable[Definition]
) -> Iterator[ReferenceSite]:
    """Yield imports of the definitions' names that lead nowhere, but not outside."""
    names = {(definition.name, definition.ecosystem) for definition in definitions}
    alike = [site for site in sites if (site.site.name, site.site.ecosystem) in names]
    asked = [Outside(ImportPath(*site.statement[1:]), Access.PATH, "") for site in alike]
    for import_site, is_outside in zip(alike, resolver.resolve_all(asked), strict=True):
        if not is_outside:
            yield import_site.site
