"""A client of direct runs: it writes its points to the store itself and sends batches without."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from central.corpus.backends import collection_of, vector_store
from central.corpus.models import Chunk, Embedding
from central.ingest.models import IndexRun
from central.ingest.services import access as granting
from central.repositories.models import Repository
from indexer.errors import StoreError
from indexer.records.vectors import DirectUploadGrant, point_id
from indexer.store.base import Collection, Point, VectorStore
from tests.central.protocol import Api, commit_of, file_record, tree_of

FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n"}


class OpenStore:
    """The tests' own store, as one that clients may write to."""

    def __init__(self, store: VectorStore) -> None:
        for name in VectorStore.__dict__:
            if not name.startswith("_"):
                setattr(self, name, getattr(store, name))
        self.unavailable: StoreError | None = None  # what `check_direct_upload` raises,
        self.failure: StoreError | None = None  # and what `grant`
        self.granted: list[tuple[Collection, int, bool]] = []

    def check_direct_upload(self, *, has_store_secret: bool) -> None:
        """Possible, unless the test says otherwise."""
        del has_store_secret
        if self.unavailable:
            raise self.unavailable

    def grant(
        self, collection: Collection, *, seconds: int, has_store_secret: bool
    ) -> DirectUploadGrant:
        """A token that nobody checks."""
        if self.failure:
            raise self.failure
        self.granted.append((collection, seconds, has_store_secret))
        access = DirectUploadGrant("qdrant://vectors.example:6334", "codesearch_acme~1~builtin")
        if has_store_secret:
            return access
        ends = datetime.now(UTC) + timedelta(seconds=seconds)
        return DirectUploadGrant(access.url, access.collection, "a.b.c", ends)


def opened_store(api: Api, monkeypatch: pytest.MonkeyPatch) -> OpenStore:
    """Direct uploads as they are when the organisation and the store allow them."""
    api.organization.direct_uploads = True
    api.organization.save()
    store = OpenStore(vector_store())
    monkeypatch.setattr(granting, "vector_store", lambda: store)
    return store


def written_points(run: Mapping[str, Any], files: Mapping[str, str]) -> list[Point]:
    """What the client of a direct run of `files` writes."""
    key = UUID(run["run_id"])
    return [
        Point(
            point_id(key, path, ordinal),
            key,
            path,
            "python",
            chunk.type,
            chunk.vector,
            chunk.terms,
        )
        for path, content in files.items()
        for ordinal, chunk in enumerate(file_record(path, content).chunks)
        if chunk.vector is not None
    ]


def write(run: Mapping[str, Any], points: Iterable[Point]) -> None:
    """Write points as a client does, with its own connection."""
    repository = IndexRun.objects.get(pk=run["run_id"]).repository
    vector_store().upsert(collection_of(repository), list(points))


def queue_direct(
    api: Api, files: Mapping[str, str], *, left_out: int = 0, project: str = "shop"
) -> dict[str, Any]:
    """A direct full run of `files` up to the webhook; its last `left_out` points not written."""
    run: dict[str, Any] = api.open(project, commit_sha=commit_of(files), vectors="direct").json()
    changed = api.put_tree(run, tree_of(files)).json()["changed"]
    points = written_points(run, {path: files[path] for path in changed})
    write(run, points[: len(points) - left_out])
    records = [file_record(path, files[path], has_vectors=False) for path in changed]
    assert api.put_batch(run, 1, records).status_code == 204
    body = api.announcement(run, project_id=project, commit_sha=commit_of(files))
    assert api.deliver(run, body).status_code == 202
    return run


def shop() -> Repository:
    """The repository that is indexed."""
    return Repository.objects.select_related("organization").get(name="shop")


def points() -> set[UUID]:
    """Its points in the store."""
    return {point for point, _ in vector_store().points(collection_of(shop()))}


def named_points() -> set[UUID]:
    """Points that chunks name."""
    return set(Chunk.objects.values_list("point", flat=True))


def known(api: Api, run: dict[str, str]) -> dict[str, list[str]]:
    """What the run's client is answered if it asks for all that there is."""
    digests = [bytes(digest).hex() for digest in Embedding.objects.values_list("digest", flat=True)]
    path = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    answer: dict[str, list[str]] = api.request("POST", path, {"digests": digests}).json()
    return answer
