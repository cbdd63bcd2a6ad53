"""Edges `related_to` from documents to code that resembles them, made when either is new.

Only vectors of the organisation's own embedder are compared: while it changes, repositories follow
one by one, and so do their edges. An edge depends on its two ends alone, so it is the same
whichever was there first.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from central.corpus.backends import collection_of, vector_store
from central.corpus.embeddings import pack_vector, unpack_vector
from central.corpus.models import Chunk, Embedding, File
from central.db import fetch_rows_planned_each_time, sql
from central.knowledge.calibration import LINKED, min_cosine, weight_of
from central.knowledge.models import Document, Edge, NodeKind, Origin
from central.knowledge.resemblance import code_words, resemblance, words_of
from central.knowledge.resolution import CodePlace, node_of
from central.knowledge.services.linking import definitions_around
from central.knowledge.watermarks import FileRange
from central.repositories.models import Repository
from central.search.query_preparation import query_vectors
from central.tenancy.models import Organization
from indexer.records.vectors import EmbedderSpec, Matrix
from indexer.store.base import HybridQuery

SEMANTIC_LINKS: Final = 20  # of a document
RELATED: Final = "related_to"
_KINDS: Final = (NodeKind.KNOWLEDGE, NodeKind.MEMORY)  # a policy has rules of its own
_CANDIDATES: Final = 1_000  # chunks that are looked at for a new document
_CHUNKS: Final = 5_000  # vectors in memory at a time
_TEXTS: Final = 50  # bodies of documents


class _Candidate(NamedTuple):
    document: int
    chunk: int
    cosine: float


class _Link(NamedTuple):
    document: int
    chunk: int
    cosine: float
    weight: float


def text_of(document: Document) -> str:
    """What of a document is embedded and compared."""
    return f"{document.title}\n\n{document.body}"


def documents_to_link(organization: Organization) -> QuerySet[Document]:
    """Documents without a vector of the current embedder, or without edges of their version."""
    due = ~Q(linked_version=F("version")) | ~Q(embedder=organization.embedder)
    documents = Document.objects.filter(due, node__organization=organization)
    return documents.select_related("node").order_by("pk")


def link_document(document: Document) -> None:
    """Embed it, and replace its semantic edges. Raises EmbeddingError, StoreError."""
    organization = document.node.organization
    spec = EmbedderSpec.parse(organization.embedder)
    (vector,) = query_vectors(spec, [text_of(document)], organization=organization.slug)
    candidates: list[_Candidate] = []
    if vector.any() and document.archived_at is None and document.node.kind in _KINDS:
        repositories = Repository.objects.filter(
            organization=organization, retired_at=None, embedder=str(spec)
        ).select_related("organization")
        collections = [collection_of(repository) for repository in repositories]
        query = HybridQuery(vector=vector, terms=None, limit=_CANDIDATES)
        (hits,) = vector_store().search(collections, [query])
        least = min_cosine(embedder=organization.embedder)
        points = {hit.id: hit.score for hit in hits.dense if hit.score >= least}
        rows = Chunk.objects.filter(point__in=list(points), repository__in=repositories)
        candidates = [
            _Candidate(document.pk, chunk, points[point])
            for chunk, point in rows.values_list("pk", "point")
        ]
    words = {document.pk: words_of(text_of(document))}
    with transaction.atomic():
        Edge.objects.filter(source=document.pk, type=RELATED, origin=Origin.SEMANTIC).delete()
        _store(_weighed(candidates, words, organization.embedder), organization)
        Document.objects.filter(pk=document.pk).update(
            embedder=str(spec), vector=pack_vector(vector), linked_version=document.version
        )


def link_chunks(fresh: FileRange) -> None:
    """Edges from documents to the chunks of new files. Needs a transaction."""
    repository = fresh.repository
    compared = Document.objects.filter(
        node__organization_id=repository.organization_id,
        node__kind__in=_KINDS,
        embedder=repository.embedder,
        archived_at=None,
    ).exclude(vector=b"")
    rows = list(compared.order_by("pk").values_list("pk", "vector"))
    if not rows:
        return
    documents = [key for key, _ in rows]
    matrix = np.stack([unpack_vector(bytes(vector)) for _, vector in rows])
    words: dict[int, frozenset[str]] = {}  # of those that come near, read when they do
    least = min_cosine(embedder=repository.embedder)
    links: list[_Link] = []
    for chunks, vectors in _vectors(fresh):
        cosines = vectors @ matrix.T
        found = [
            _Candidate(documents[column], chunks[row], float(cosines[row, column]))
            for row, column in zip(*np.nonzero(cosines >= least), strict=True)
        ]
        near = compared.filter(pk__in={candidate.document for candidate in found} - words.keys())
        for document in near.defer("vector").iterator(chunk_size=_TEXTS):
            words[document.pk] = words_of(text_of(document))
        links = _best_of([*links, *_weighed(found, words, repository.embedder)])
    _store(links, repository.organization)


def _weighed(
    candidates: Sequence[_Candidate], words: Mapping[int, frozenset[str]], embedder: str
) -> list[_Link]:
    """Those whose weight is above LINKED; `words` by document."""
    rows = Chunk.objects.filter(pk__in={candidate.chunk for candidate in candidates}).values_list(
        "pk", "file__path", "container", "name", "text"
    )
    code = {
        key: code_words(path=path, container=container, name=name, text=text)
        for key, path, container, name, text in rows
    }
    links = []
    for candidate in candidates:
        if candidate.chunk in code:
            found = resemblance(candidate.cosine, words[candidate.document], code[candidate.chunk])
            links.append(_Link(*candidate, weight_of(found, embedder=embedder)))
    return [link for link in links if link.weight > LINKED]


def _best_of(links: Iterable[_Link]) -> list[_Link]:
    """Of each document enough that SEMANTIC_LINKS are left of those in one definition."""
    by_document: dict[int, list[_Link]] = defaultdict(list)
    for link in sorted(links, key=lambda link: (-link.weight, link.chunk)):
        if len(by_document[link.document]) < _CANDIDATES:
            by_document[link.document].append(link)
    return [link for some in by_document.values() for link in some]


_VECTORS: Final = sql(
    """SELECT c.id, e.vector FROM {chunk} c
    CROSS JOIN LATERAL (SELECT e.vector FROM {embedding} e
        WHERE e.repository_id = c.repository_id AND e.digest = c.digest AND e.embedder = %s
        OFFSET 0) AS e
    WHERE c.repository_id = %s AND c.file_id > %s AND c.file_id <= %s AND c.id > %s
    ORDER BY c.id LIMIT %s""",
    chunk=Chunk,
    embedding=Embedding,
)


def _vectors(fresh: FileRange) -> Iterator[tuple[list[int], Matrix]]:
    """Chunk ids with a row of the matrix each, a part at a time."""
    asked: list[Any] = [fresh.repository.embedder, fresh.repository.pk, fresh.after, fresh.until]
    after = 0
    while rows := fetch_rows_planned_each_time(_VECTORS, [*asked, after, _CHUNKS]):
        after = rows[-1][0]
        vectors = [unpack_vector(vector) for _, vector in rows]
        yield [chunk for chunk, _ in rows], np.stack(vectors)


def _store(links: Iterable[_Link], organization: Organization) -> None:
    """Add edges, and keep the best of each document.

    A document does not resemble the file that it was read from: it is that file.
    """
    ranked = sorted(links, key=lambda link: (-link.weight, link.chunk))
    documents = Document.objects.filter(pk__in={link.document for link in ranked})
    sources = {
        document: place
        for document, *place in documents.values_list("pk", "node__repository_id", "source_path")
    }
    read = Chunk.objects.select_related("file__repository").defer("text", "terms")
    chunks = read.in_bulk({link.chunk for link in ranked})
    targets: dict[int, set[int]] = defaultdict(set)
    for link in ranked:
        chunk = chunks[link.chunk]
        is_own = sources[link.document] == [chunk.repository_id, chunk.file.path]
        if is_own or len(targets[link.document]) >= SEMANTIC_LINKS:
            continue
        target = node_of(_place_of(chunk)).pk
        if target in targets[link.document]:
            continue  # a better chunk of the same definition
        targets[link.document].add(target)
        Edge.objects.get_or_create(
            source_id=link.document,
            target_id=target,
            type=RELATED,
            defaults={
                "organization": organization,
                "origin": Origin.SEMANTIC,
                "weight": round(link.weight, 4),
                "cosine": round(link.cosine, 4),
                "properties": {"start_line": chunk.start_line, "end_line": chunk.end_line},
            },
        )
    for document in targets:
        own = Edge.objects.filter(source=document, type=RELATED, origin=Origin.SEMANTIC)
        kept = own.order_by("-weight", "pk").values_list("pk", flat=True)[:SEMANTIC_LINKS]
        own.exclude(pk__in=list(kept)).delete()


def _place_of(chunk: Chunk) -> CodePlace:
    names = definitions_around(chunk.file, [chunk.start_line, chunk.end_line])
    name = names[chunk.start_line] or names[chunk.end_line]
    return CodePlace(chunk.file.repository, chunk.file.path, name, chunk.file.blob)


def remove_edges_of_replaced_chunks(fresh: FileRange) -> None:
    """Semantic edges to files that are new or gone: `link_chunks` makes those that still hold.

    A document that had as many edges as it may have is linked again: there may be others.
    """
    repository = fresh.repository
    edges = Edge.objects.filter(origin=Origin.SEMANTIC, target__repository=repository)
    exists = Exists(File.objects.filter(repository=repository, path=OuterRef("target__path")))
    stale = edges.filter(Q(target__path__in=fresh.files().values("path")) | ~exists)
    full = (
        Edge.objects.filter(
            origin=Origin.SEMANTIC, source__in=stale.order_by().values("source").distinct()
        )
        .order_by()
        .values("source")
        .annotate(edges=Count("pk"))
        .filter(edges__gte=SEMANTIC_LINKS)
    )
    Document.objects.filter(pk__in=[row["source"] for row in full]).update(linked_version=0)
    stale.delete()
