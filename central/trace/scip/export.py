"""A repository's index as SCIP, in portions of one generation.

An index is a sequence of its fields, so each part is one: the metadata, then documents, at last
what is known of definitions in other repositories.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import Final

from aeterna_code_search.contract.trace import Confidence
from central.errors import ConflictError, NotFoundError
from central.repositories.visibility import RepositorySnapshot, repository_snapshot
from central.tenancy.credentials import Credential
from central.trace.callees import written_edges
from central.trace.edges import Edge
from central.trace.request_scope import TraceScope, traced
from central.trace.resolve.questions import Key, last_name
from central.trace.resolve.references import sites_in
from central.trace.scip.documents import (
    FilesWithSymbols,
    Meaning,
    direct_bases,
    document_of,
    information,
    next_files,
)
from indexer.records.references import Access, Binding
from indexer.scip.scip_pb2 import UTF8, Index, Metadata, SymbolInformation, ToolInfo

SCIP_EXPORT_EXTERNAL_SYMBOLS: Final = 50_000  # of other repositories, which an export describes
SCIP_EXPORT_SECONDS: Final = 1_800.0
TOOL: Final = "aeterna-code-search"


def export_scip(
    *, credential: Credential, project: str, project_root: str = ""
) -> tuple[RepositorySnapshot, Iterator[bytes]]:
    """Return the repository as it is indexed, and the parts of its index as SCIP.

    Raises NotFoundError for an unknown project and one without an index, here and amid the parts;
    there ConflictError, too, if it was indexed meanwhile or takes too long. No transaction is open
    between two parts.
    """
    found = repository_snapshot(credential=credential, project=project)
    if not found.generation:
        raise NotFoundError(
            "This repository has no index yet, so there is nothing to export: index it first, see "
            "/api/v1/index/status.",
            code="never_indexed",
        )
    return found, _parts(credential, found, project_root or f"file:///{project}")


def _parts(
    credential: Credential, repository: RepositorySnapshot, project_root: str
) -> Iterator[bytes]:
    until = time.monotonic() + SCIP_EXPORT_SECONDS
    tool = ToolInfo(
        name=TOOL,
        version=version(TOOL),
        arguments=[f"project={repository.name}", f"commit={repository.commit}"],
    )
    about = Metadata(tool_info=tool, project_root=project_root, text_document_encoding=UTF8)
    yield Index(metadata=about).SerializeToString()
    external: dict[str, SymbolInformation] = {}
    path, is_last = "", False
    while not is_last:
        if time.monotonic() > until:
            raise ConflictError(
                f"The export takes longer than {SCIP_EXPORT_SECONDS:.0f} seconds: try again when "
                "the service has less to do.",
                code="export_too_long",
            )
        documents, path, is_last = _portion(credential, repository, path, external)
        yield from documents
    for symbol in external.values():
        yield Index(external_symbols=[symbol]).SerializeToString()


def _portion(
    credential: Credential,
    repository: RepositorySnapshot,
    path: str,
    external: dict[str, SymbolInformation],
) -> tuple[list[bytes], str, bool]:
    """Return documents of the files after a path, the last path, and whether there are no more."""
    with traced(credential, "scip") as scope:
        current = scope.named(repository.name)
        if (current.id, current.generation) != (repository.id, repository.generation):
            raise ConflictError(
                "The repository was indexed while it was exported: export it again.",
                code="reindexed",
            )
        ids, last = next_files(scope.resolver, repository.id, path)
        documents = _documents(scope, ids, external) if ids else []
        scope.span.set_attributes(resultCount=len(documents))
    return documents, last, not ids


def _documents(
    scope: TraceScope, ids: list[int], external: dict[str, SymbolInformation]
) -> list[bytes]:
    resolver = scope.resolver
    sites = [site for several in sites_in(resolver, ids).values() for site in several]
    meanings = _meanings(written_edges(resolver, sites))
    bases = direct_bases(resolver, ids)
    files = FilesWithSymbols(resolver, scope.repositories)
    files.read(ids)
    targets = {meaning.target for several in meanings.values() for meaning in several}
    targets.update(base for several in bases.values() for base in several)
    files.read_targets(targets)
    own = files.file(ids[0]).repository
    for key in sorted(targets):
        _note_external(files, key, own, external)
    return [
        Index(documents=[document_of(file, files, meanings[file], bases)]).SerializeToString()
        for file in ids
    ]


def _meanings(edges: Iterable[Edge]) -> Mapping[int, list[Meaning]]:
    """Return what references surely mean, by file: of several definitions none is reported.

    A value that is a function of another name has a name of its own. Making an instance means the
    class and the constructor that it defines itself.
    """
    found: dict[int, list[Meaning]] = defaultdict(list)
    by_site: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        by_site[edge.site.id].append(edge)
    for several in by_site.values():
        written = {edge.target: edge for edge in several if not edge.is_to_constructor}
        if len(written) == 1:
            [edge] = written.values()
            if edge.site.name == last_name(edge.target[1]) or _is_renamed(edge):
                targets = [edge.target, *_constructors(edge.target, several)]
                found[edge.site.file] += [Meaning(edge.site, target) for target in targets]
    return found


def _is_renamed(edge: Edge) -> bool:
    """Whether an import gives the definition the name that is written."""
    is_of_import = edge.site.binding == Binding.IMPORT and edge.site.access == Access.PATH
    return is_of_import and edge.confidence is Confidence.HIGH and "." not in edge.target[1]


def _constructors(made: Key, edges: Iterable[Edge]) -> set[Key]:
    """Return those of the targets that the class defines itself."""
    file, name = made
    own = {edge.target for edge in edges if edge.is_to_constructor}
    return {target for target in own if target == (file, f"{name}.{last_name(target[1])}")}


def _note_external(
    files: FilesWithSymbols, key: Key, own: int, external: dict[str, SymbolInformation]
) -> None:
    symbol = files.definition(key)
    if symbol is None or symbol.symbol is None or symbol.symbol in external:
        return
    if files.file(key[0]).repository != own and len(external) < SCIP_EXPORT_EXTERNAL_SYMBOLS:
        external[symbol.symbol] = information(symbol, symbol.symbol)
