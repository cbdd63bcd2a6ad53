"""A corpus for search tests: real files through the real extractor, embedder, rows and store."""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha1

from django.db import transaction
from django.utils import timezone

from central.corpus.backends import collection_of, embedder, vector_store
from central.corpus.embeddings import file_vectors
from central.corpus.replace import Replacement
from central.corpus.rows import EncodedFiles, RunContext, encode_files
from central.corpus.trigrams.segments import SegmentWriter
from central.repositories.models import Repository
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization, Scope
from indexer.pipeline.select import skip_reason_by_content
from indexer.pipeline.worker import extract_file
from indexer.records.extractors import Extractor
from indexer.records.files import FileRecord, GeneratedBy, SkipReason, line_span, split_lines
from indexer.records.vectors import embedder_input
from indexer.store.base import Point

COMMIT = "c0ffee" + "0" * 34


def organization_of(slug: str) -> Organization:
    """The organisation `slug`, made on first use."""
    return Organization.objects.get_or_create(slug=slug)[0]


def credential_for(organization: Organization, repositories: set[str] | None = None) -> Credential:
    """A credential that may search, everything or only `repositories`."""
    return Credential(
        organization=organization,
        scopes=frozenset({Scope.SEARCH}),
        repositories=None if repositories is None else frozenset(repositories),
        api_token_id=None,
    )


def index_repository(
    organization: Organization, name: str, files: Mapping[str, str], *, commit: str = COMMIT
) -> Repository:
    """A repository whose index holds `files`, as an applied run would have left it."""
    repository = Repository.objects.create(
        organization=organization,
        name=name,
        tracked_ref="refs/heads/main",
        web_url=f"https://forge.example/{organization.slug}/{name}",
        embedder=organization.embedder,
    )
    apply_files(repository, files, commit=commit)
    return repository


def apply_files(repository: Repository, files: Mapping[str, str], *, commit: str) -> None:
    """Add `files` to the index and move the generation."""
    records = [extracted(path, text.encode()) for path, text in files.items()]
    run = uuid.uuid4()
    replaced = Replacement(repository.pk)
    with SegmentWriter[str]() as segments, transaction.atomic():
        for record in records:
            if record.content:
                segments.add(record.path, record.content)
        segments.finish()
        context = RunContext(repository_id=repository.pk, run_id=run, extractor=Extractor("test"))
        files = encode_files(context, records)
        points = _points(repository, run, records, files)
        vector_store().upsert(collection_of(repository), points)
        vectors = file_vectors((point.path, point.vector) for point in points)
        replaced.insert_files([files], vectors)
        segments.insert(repository.pk, {file.path: file.id for file in replaced.inserted})
        replaced.finish()
        repository.generation += 1
        repository.text_generation += 1
        repository.chunks += replaced.chunks
        languages = Counter(repository.languages) + Counter(one.language for one in records)
        repository.languages = dict(languages)
        repository.last_indexed_commit = commit
        repository.indexed_at = timezone.now()
        repository.save()


@cache
def extracted(path: str, content: bytes) -> FileRecord:
    """The record of a file that is selected whatever its content; a mark makes it generated.

    A function of its arguments: many tests index the same files.
    """
    blob = sha1(content, usedforsecurity=False).hexdigest()
    record = extract_file(path=path, mode="100644", blob=blob, content=content)
    if skip_reason_by_content(path, content) is SkipReason.GENERATED:
        return replace(record, generated=GeneratedBy.CONTENT, chunks=())
    return record


def _points(
    repository: Repository, run: uuid.UUID, records: list[FileRecord], files: EncodedFiles
) -> list[Point]:
    inputs = [
        embedder_input(
            path=record.path,
            container=chunk.container,
            text=line_span(split_lines(record.content), chunk.span),
        )
        for record in records
        for chunk in record.chunks
    ]
    vectors = embedder(collection_of(repository).embedder).embed_documents(inputs)
    return [point.at(run, vector) for point, vector in zip(files.points, vectors, strict=True)]
