"""Real files, read by the real extractor and embedded by the real model, as an applied run."""

from collections.abc import Mapping
from dataclasses import replace

from central.corpus.backends import embedder
from central.knowledge.services.catch_up import KnowledgeGraph
from indexer.pipeline.worker import embedder_inputs, make_record
from indexer.records.files import FileRecord, SourceFile, TreeEntry
from indexer.records.vectors import EmbedderSpec
from tests.central.protocol import Api, apply_queued, blob_of, commit_of


def index_files(api: Api, files: Mapping[str, str], *, project: str = "shop") -> None:
    """A full run of `files`, applied and linked. Only what differs is sent."""
    commit = commit_of(files)
    run = api.open(project, commit_sha=commit).json()
    entries = [
        TreeEntry(path=path, mode="100644", blob=blob_of(text), size=len(text.encode()))
        for path, text in files.items()
    ]
    changed = api.put_tree(run, entries).json()["changed"]
    by_path = {entry.path: entry for entry in entries}
    records = [_record(by_path[path], files[path], api.organization.embedder) for path in changed]
    if records:
        assert api.put_batch(run, 1, records).status_code == 204
    members = {"project_id": project, "commit_sha": commit, "batches": min(1, len(records))}
    assert api.deliver(run, api.announcement(run, **members)).status_code == 202
    apply_queued()
    KnowledgeGraph().follow()


def _record(entry: TreeEntry, text: str, embedded_by: str) -> FileRecord:
    record = make_record(SourceFile(entry, text.encode()))
    vectors = embedder(EmbedderSpec.parse(embedded_by)).embed_documents(embedder_inputs(record))
    return replace(
        record,
        chunks=tuple(
            replace(chunk, vector=vector)
            for chunk, vector in zip(record.chunks, vectors, strict=True)
        ),
    )
