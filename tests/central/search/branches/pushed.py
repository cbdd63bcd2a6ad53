"""Branches for search tests: real files, pushed through the API as the action does."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from aeterna_code_search.contract.search import SearchAnswer, SearchRequest
from central.corpus.backends import embedder
from central.search.service import search
from central.tenancy.models import Organization
from indexer.records.files import FileRecord, Removal, line_span, split_lines
from indexer.records.vectors import EmbedderSpec, embedder_input
from tests.central.corpus.branches.test_random_histories import Service
from tests.central.protocol import api_of, blob_of
from tests.central.search.corpus import credential_for, extracted


@dataclass
class Repository(Service):
    """A repository whose files are read by the real extractor, with real vectors."""

    def send(self, run: Mapping[str, Any], records: list[Any], mode: str) -> None:
        made = [
            record if isinstance(record, Removal) else self._read(record.path, record.content)
            for record in records
        ]
        super().send(run, made, mode)

    def _read(self, path: str, content: str) -> FileRecord:
        record = replace(extracted(path, content.encode()), blob=blob_of(content))
        inputs = [
            embedder_input(
                path=path,
                container=chunk.container,
                text=line_span(split_lines(content), chunk.span),
            )
            for chunk in record.chunks
        ]
        model = embedder(EmbedderSpec.parse(self.api.organization.embedder))
        vectors = model.embed_documents(inputs)
        chunks = zip(record.chunks, vectors, strict=True)
        return replace(
            record, chunks=tuple(replace(chunk, vector=vector) for chunk, vector in chunks)
        )


def repository_of(project: str = "shop") -> Repository:
    """A repository of an organisation that wants release branches."""
    api = api_of()
    Organization.objects.filter(pk=api.organization.pk).update(branches=["release/*"])
    api.organization.refresh_from_db()
    return Repository(api, project=project)


def ask(repository: Repository, query: str, **options: Any) -> SearchAnswer:
    """Search with a credential that sees the whole organisation."""
    credential = credential_for(repository.api.organization)
    return search(credential=credential, request=SearchRequest(queries=(query,), **options))
