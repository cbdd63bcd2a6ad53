"""The canonical dump: equal indexes give equal bytes, whatever runs made them."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from django.db.models import F, Model

from central.corpus.backends import collection_of, vector_store
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.models import (
    Chunk,
    Commit,
    CommitChange,
    CommitPatch,
    Dependency,
    Export,
    File,
    Import,
    Manifest,
    Module,
    Package,
    Reference,
    ScipDefinition,
    ScipDocument,
    ScipRelationship,
    Symbol,
    TermStat,
)
from central.corpus.patches import unpack_patch
from central.db import columns_of
from central.repositories.models import Branch, Repository
from indexer.records.scip import SCIP_BINDING
from indexer.store.base import Collection, VectorStore

_ROWS = 1000


def _names(model: type[Model], *others: str) -> tuple[str, ...]:
    """Return the columns of a row that are dumped as they are stored, but `others`."""
    keys = {"repository_id", "file_id", "package_id", "symbol_id", *others}
    return tuple(name for name in columns_of(model) if name not in keys)


# What a file has, and a repository's packages.
_OF_FILES: Final[dict[str, tuple[type[Model], tuple[str, ...]]]] = {
    "import": (Import, _names(Import)),
    "export": (Export, _names(Export)),
    "reference": (Reference, _names(Reference)),
    "manifest": (Manifest, _names(Manifest)),
    "module": (Module, (*_names(Module), "package__root", "package__name")),
}
_OF_CHUNK: Final = (
    *("path", "ordinal", "start_line", "end_line", "chunk_type", "name", "container"),
)
_OF_DEPENDENCIES: Final = ("package__root", "package__name", *_names(Dependency))


def dump_lines(repository: Repository, branch: Branch | None = None) -> list[str]:
    """Return sorted lines of compact JSON: all stored rows, document frequencies as a digest.

    Nothing in them depends on time, on the order of runs, on ids or on the repository's name. A
    chunk's `vector` says whether its point exists in the store. Of a `branch` beside the default
    one, what it has of its own kind: files with their rows, and packages. Raises StoreError.
    """
    store = vector_store()
    collections = [collection_of(repository)]
    if branch:
        collections.append(collection_of(repository, branch.embedder, of_others=True))
    with on_branches([ChosenBranch.of(branch)] if branch else []):
        lines = [
            *_files(repository),
            *_chunks(repository, store, collections),
            *_symbols(repository),
            *_relations(repository),
            *_packages(repository),
        ]
    if not branch:
        lines += [*_scip(repository), *_commits(repository), _terms(repository)]
    return sorted(json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines)


def fact_lines(repository: Repository) -> Iterator[dict[str, object]]:
    """Yield the stored rows of its files without their text; the vector store is not asked."""
    yield from _placed_chunks(repository)
    yield from _symbols(repository)
    yield from _relations(repository)
    yield from _packages(repository)


def _placed_chunks(repository: Repository) -> Iterator[dict[str, object]]:
    rows = Chunk.objects.filter(repository=repository)
    rows = rows.annotate(path=F("file__path"), chunk_type=F("type")).values(*_OF_CHUNK)
    for row in rows.iterator(chunk_size=_ROWS):
        yield {"type": "chunk", **row}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _files(repository: Repository) -> Iterator[dict[str, object]]:
    rows = File.objects.filter(repository=repository).select_related("package")
    for file in rows.iterator(chunk_size=_ROWS):
        yield {
            "type": "file",
            **{name: getattr(file, name) for name in _names(File, "content", "vector", "branches")},
            "content": _sha256(file.content.encode()),
            "vector": file.vector and _sha256(bytes(file.vector)),
            "package": file.package and [file.package.root, file.package.name],
        }


def _chunks(
    repository: Repository, store: VectorStore, collections: Sequence[Collection]
) -> Iterator[dict[str, object]]:
    rows = Chunk.objects.filter(repository=repository).select_related("file").defer("file__content")
    part: list[Chunk] = []
    for chunk in rows.iterator(chunk_size=_ROWS):
        part.append(chunk)
        if len(part) == _ROWS:
            yield from _chunk_lines(part, _existing(store, collections, part))
            part = []
    yield from _chunk_lines(part, _existing(store, collections, part))


def _existing(
    store: VectorStore, collections: Sequence[Collection], chunks: Sequence[Chunk]
) -> set[UUID]:
    points = [chunk.point for chunk in chunks]
    return {found for collection in collections for found in store.existing(collection, points)}


def _chunk_lines(chunks: Sequence[Chunk], existing: set[UUID]) -> Iterator[dict[str, object]]:
    for chunk in chunks:
        yield {
            "type": "chunk",
            "path": chunk.file.path,
            "ordinal": chunk.ordinal,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "chunk_type": chunk.type,
            "name": chunk.name,
            "container": chunk.container,
            "text": _sha256(chunk.text.encode()),
            "terms": _sha256(bytes(chunk.terms)),
            "vector": chunk.point in existing,
        }


def _symbols(repository: Repository) -> Iterator[dict[str, object]]:
    rows = Symbol.objects.filter(repository=repository)
    rows = rows.values(*_names(Symbol, "parts"), path=F("file__path"))
    for row in rows.iterator(chunk_size=_ROWS):
        yield {"type": "symbol", **row}


def _relations(repository: Repository) -> Iterator[dict[str, object]]:
    for kind, (model, names) in _OF_FILES.items():
        rows = model._default_manager.filter(file__repository=repository)
        if model is Reference:
            rows = rows.exclude(binding=SCIP_BINDING)
        for path, *values in rows.values_list("file__path", *names).iterator(chunk_size=_ROWS):
            yield {"type": kind, "file": path, **dict(zip(names, values, strict=True))}


def _scip(repository: Repository) -> Iterator[dict[str, object]]:
    columns = ("path", "blob", "digest", "cut", "left_out")
    for document in ScipDocument.objects.filter(repository=repository).values(*columns).iterator():
        yield {"type": "scip_document", **document}
    bound = Reference.objects.filter(file__repository=repository, symbol__isnull=False)
    of_reference = ("file__path", "kind", "name", "binding", "line", "column", "symbol__text")
    for row in bound.values(*of_reference).iterator(chunk_size=_ROWS):
        yield {"type": "scip_reference", **row}
    definitions = ScipDefinition.objects.filter(repository=repository)
    for row in definitions.values("file__path", "qualified_name", "symbol__text"):
        yield {"type": "scip_definition", **row}
    relationships = ScipRelationship.objects.filter(repository=repository)
    for row in relationships.values("file__path", "symbol__text", "implemented__text"):
        yield {"type": "scip_relationship", **row}


def _packages(repository: Repository) -> Iterator[dict[str, object]]:
    packages = Package.objects.filter(repository=repository)
    for package in packages.values(*_names(Package)):
        yield {"type": "package", **package}
    dependencies = Dependency.objects.filter(package__repository=repository)
    for dependency in dependencies.values(*_OF_DEPENDENCIES):
        yield {"type": "dependency", **dependency}


def _commits(repository: Repository) -> Iterator[dict[str, object]]:
    for row in Commit.objects.filter(repository=repository).values(*_names(Commit)).iterator():
        packed = {name: row[name] and _sha256(bytes(row[name])) for name in ("terms", "vector")}
        yield {"type": "commit", **row, **packed}
    changes = CommitChange.objects.filter(repository=repository)
    for row in changes.values(*_names(CommitChange, "commit_id"), sha=F("commit__sha")).iterator():
        yield {"type": "commit_change", **row}
    patches = CommitPatch.objects.filter(repository=repository)
    for sha, data in patches.values_list("commit__sha", "data").iterator():
        yield {"type": "commit_patch", "sha": sha, "patch": unpack_patch(bytes(data))}


def _terms(repository: Repository) -> dict[str, object]:
    rows = TermStat.objects.filter(repository=repository).order_by("term")
    digest = hashlib.sha256()
    count = 0
    for term, chunks in rows.values_list("term", "chunks").iterator(chunk_size=_ROWS):
        digest.update(f"{term}:{chunks}\n".encode())
        count += 1
    return {"type": "terms", "count": count, "frequencies": digest.hexdigest()}
