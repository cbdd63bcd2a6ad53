"""Edges `related_to` from documents to code that resembles them, made when either is new.

Only vectors of the organisation's own embedder are compared: while it changes, repositories follow
one by one, and so do their edges.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from django.db import connection, transaction
from django.db.models import F, Q

from central.corpus.models import Chunk
from central.corpus.packing import pack_vector, unpack_vector
from central.corpus.vectors import collection_of, vector_store
from central.knowledge.calibration import LINKED, least_cosine, weight_of
from central.knowledge.models import Document, Edge, Origin
from central.knowledge.resolution import CodePlace, node_of
from central.knowledge.services.linking import FileRange, definitions_around
from central.repositories.models import Repository
from central.search.embedding import query_vectors
from central.tenancy.models import Organization
from indexer.limits import SEMANTIC_LINKS
from indexer.records import EmbedderSpec, Matrix
from indexer.store.base import HybridQuery

RELATED: Final = "related_to"
_CANDIDATES: Final = 200  # chunks that are looked at for a new document
_CHUNKS: Final = 5_000  # vectors in memory at a time


class _Candidate(NamedTuple):
    document: int
    chunk: int
    cosine: float


def documents_to_link(organization: Organization) -> list[Document]:
    """Documents without a vector of the current embedder, or without edges of their version."""
    due = ~Q(linked_version=F("version")) | ~Q(embedder=organization.embedder)
    documents = Document.objects.filter(due, node__organization=organization)
    return list(documents.select_related("node").order_by("pk"))


def link_document(document: Document) -> None:
    """Embed it, and replace its semantic edges. Raises EmbeddingError, StoreError."""
    organization = document.node.organization
    spec = EmbedderSpec.parse(organization.embedder)
    text = f"{document.title}\n\n{document.body}"
    (vector,) = query_vectors(spec, [text], organization=organization.slug)
    candidates: list[_Candidate] = []
    if vector.any() and document.archived_at is None:
        repositories = Repository.objects.filter(
            organization=organization, retired_at=None, embedder=str(spec)
        ).select_related("organization")
        collections = [collection_of(repository) for repository in repositories]
        query = HybridQuery(vector=vector, terms=None, limit=_CANDIDATES)
        (hits,) = vector_store().search(collections, [query])
        points = {hit.id: hit.score for hit in hits.dense}
        rows = Chunk.objects.filter(point__in=list(points), repository__in=repositories)
        candidates = [
            _Candidate(document.pk, chunk, points[point])
            for chunk, point in rows.values_list("pk", "point")
        ]
    with transaction.atomic():
        Edge.objects.filter(source=document.pk, type=RELATED, origin=Origin.SEMANTIC).delete()
        _store(candidates, organization)
        Document.objects.filter(pk=document.pk).update(
            embedder=str(spec), vector=pack_vector(vector), linked_version=document.version
        )


def link_chunks(fresh: FileRange) -> None:
    """Edges from documents to the chunks of new files. Needs a transaction."""
    repository = fresh.repository
    documents = list(
        Document.objects.filter(
            node__organization_id=repository.organization_id,
            embedder=repository.embedder,
            archived_at=None,
        ).exclude(vector=b"")
    )
    if not documents:
        return
    matrix = np.stack([unpack_vector(bytes(one.vector)) for one in documents])
    least = least_cosine(embedder=repository.embedder)
    found: list[_Candidate] = []
    for chunks, vectors in _vectors(fresh):
        cosines = vectors @ matrix.T
        for row, column in zip(*np.nonzero(cosines >= least), strict=True):
            found.append(_Candidate(documents[column].pk, chunks[row], float(cosines[row, column])))
    _store(found, repository.organization)


def _vectors(fresh: FileRange) -> Iterator[tuple[list[int], Matrix]]:
    """Chunk ids with a row of the matrix each, a part at a time."""
    with connection.cursor() as cursor:
        after = 0
        while True:
            cursor.execute(
                """SELECT c.id, e.vector FROM corpus_chunk c
                JOIN corpus_embedding e ON e.repository_id = c.repository_id
                    AND e.digest = c.digest AND e.embedder = %s
                WHERE c.repository_id = %s AND c.file_id > %s AND c.file_id <= %s AND c.id > %s
                ORDER BY c.id LIMIT %s""",
                [
                    fresh.repository.embedder,
                    fresh.repository.pk,
                    fresh.after,
                    fresh.until,
                    after,
                    _CHUNKS,
                ],
            )
            rows = cursor.fetchall()
            if not rows:
                return
            after = rows[-1][0]
            yield (
                [row[0] for row in rows],
                np.stack([unpack_vector(bytes(row[1])) for row in rows]),
            )


def _store(candidates: Sequence[_Candidate], organization: Organization) -> None:
    """Add edges whose weight is above LINKED, and keep the best of each document.

    A document does not resemble the file that it was read from: it is that file.
    """
    sources = {
        (document, repository, path)
        for document, repository, path in Document.objects.filter(
            pk__in={one.document for one in candidates}
        ).values_list("pk", "node__repository_id", "source_path")
    }
    chunks = {
        chunk.pk: chunk
        for chunk in Chunk.objects.filter(pk__in={one.chunk for one in candidates})
        .select_related("file__repository")
        .defer("text", "terms")
    }
    best: dict[tuple[int, int], tuple[float, float, Chunk]] = {}
    for one in candidates:
        weight = weight_of(one.cosine, embedder=organization.embedder)
        if weight <= LINKED or one.chunk not in chunks:
            continue
        chunk = chunks[one.chunk]
        if (one.document, chunk.repository_id, chunk.file.path) in sources:
            continue
        key = (one.document, node_of(_place_of(chunk)).pk)
        if key not in best or best[key][0] < weight:
            best[key] = (weight, one.cosine, chunk)
    for (document, target), (weight, cosine, chunk) in best.items():
        Edge.objects.get_or_create(
            source_id=document,
            target_id=target,
            type=RELATED,
            defaults={
                "organization": organization,
                "origin": Origin.SEMANTIC,
                "weight": round(weight, 4),
                "cosine": round(cosine, 4),
                "properties": {"start_line": chunk.start_line, "end_line": chunk.end_line},
            },
        )
    _keep_best({one.document for one in candidates})


def _place_of(chunk: Chunk) -> CodePlace:
    names = definitions_around(chunk.file, [chunk.start_line, chunk.end_line])
    name = names[chunk.start_line] or names[chunk.end_line]
    return CodePlace(chunk.file.repository, chunk.file.path, name, chunk.file.blob)


def _keep_best(documents: Iterable[int]) -> None:
    for document in documents:
        own = Edge.objects.filter(source=document, type=RELATED, origin=Origin.SEMANTIC)
        kept = own.order_by("-weight", "pk").values("pk")[:SEMANTIC_LINKS]
        own.exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()


def remove_edges_of_replaced_chunks(fresh: FileRange) -> None:
    """Semantic edges to files that are new: `link_chunks` makes those that still hold."""
    paths = fresh.files().values("path")
    Edge.objects.filter(
        origin=Origin.SEMANTIC, target__repository=fresh.repository, target__path__in=paths
    ).delete()
