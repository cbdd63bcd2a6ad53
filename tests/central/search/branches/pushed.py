"""Branches for search tests: real files with real vectors, pushed as the action does."""

from dataclasses import replace
from functools import cache
from typing import Any

from aeterna_code_search.contract.search import SearchAnswer, SearchRequest
from central.corpus.backends import embedder
from central.search.service import search
from central.tenancy.models import Organization
from indexer.records.files import FileRecord, line_span, split_lines
from indexer.records.vectors import EmbedderSpec, embedder_input
from tests.central.branches import Service
from tests.central.protocol import api_of, blob_of
from tests.central.search.corpus import credential_for, extracted


@cache
def real_record(path: str, content: str) -> FileRecord:
    """The record of a file as the indexer makes it, under the default embedder."""
    record = replace(extracted(path, content.encode()), blob=blob_of(content))
    lines = split_lines(content)
    inputs = [
        embedder_input(path=path, container=chunk.container, text=line_span(lines, chunk.span))
        for chunk in record.chunks
    ]
    model = embedder(EmbedderSpec.parse(Organization().embedder))
    vectors = model.embed_documents(inputs)
    chunks = [
        replace(chunk, vector=vector) for chunk, vector in zip(record.chunks, vectors, strict=True)
    ]
    return replace(record, chunks=tuple(chunks))


def service_of(project: str = "shop") -> Service:
    """A repository of an organisation that wants release branches."""
    api = api_of()
    Organization.objects.filter(pk=api.organization.pk).update(branches=["release/*"])
    return Service(api, project=project, record=real_record)


def ask(service: Service, query: str, **options: Any) -> SearchAnswer:
    """Search with a credential that sees the whole organisation."""
    credential = credential_for(service.api.organization)
    return search(credential=credential, request=SearchRequest(queries=(query,), **options))
