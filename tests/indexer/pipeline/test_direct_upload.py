"""Points that a run writes to Qdrant itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import grpc
import numpy as np
import pytest

from indexer.bundle.encode import ExtractedFile
from indexer.embedding.builtin import SPEC
from indexer.errors import CentralError, StoreError
from indexer.pipeline.direct_upload import PointWriter
from indexer.pipeline.worker import extract_files
from indexer.records.files import SourceFile, TreeEntry
from indexer.records.runs import BATCH_BYTES
from indexer.records.vectors import DirectUploadGrant, point_id
from indexer.store import open_store
from indexer.store.base import Collection, DirectStore
from indexer.store.qdrant.direct import DirectCollection
from tests.indexer.store.qdrant.server import StandIn, failing, running_stand_in

RUN = "7f3c9f0e-0000-4000-8000-000000000001"
COLLECTION = Collection("acme", "shop", 1, SPEC)
SOURCE = b"def one():\n    return 1\n\n\nclass Two:\n    def three(self):\n        return 3\n"


@pytest.fixture(scope="module")
def server() -> Iterator[StandIn]:
    with running_stand_in() as server:
        yield server


@pytest.fixture
def store(server: StandIn) -> Iterator[DirectStore]:
    opened = open_store(server.url)
    assert isinstance(opened, DirectStore)
    yield opened
    opened.close()


@contextmanager
def writing(access: DirectUploadGrant) -> Iterator[PointWriter]:
    collection = DirectCollection(access, api_key="own", embedder=SPEC, repository=1)
    with PointWriter(collection, RUN) as writer:
        yield writer


def extracted(path: str) -> ExtractedFile:
    source = SourceFile(TreeEntry(path, "100644", "a" * 40, len(SOURCE)), SOURCE)
    (file,) = extract_files(
        [source], dimensions=SPEC.dimensions, batch_bytes=BATCH_BYTES, with_points=True
    )
    return file


def unit(number: int) -> bytes:
    vector = np.zeros(SPEC.dimensions, "<f4")
    vector[number % SPEC.dimensions] = 1
    return vector.tobytes()


def test_every_chunk_of_every_file_is_a_point_that_central_finds(store: DirectStore) -> None:
    access = store.grant(COLLECTION, seconds=60, has_store_secret=True)
    files = [extracted(f"{n}.py") for n in range(200)]
    chunks = files[0].file.chunks
    with writing(access) as writer:
        for number, file in enumerate(files):
            writer.write(file, [unit(number)] * chunks)
        writer.finish()
    ids = [point_id(UUID(RUN), f"{n}.py", ordinal) for n in range(200) for ordinal in range(chunks)]
    assert chunks > 0
    assert set(store.points(COLLECTION)) == {(point, UUID(RUN)) for point in ids}
    found = store.vectors(COLLECTION, ids[-1:])
    np.testing.assert_allclose(found[ids[-1]], np.frombuffer(unit(199), "<f4"), atol=1e-3)


def test_a_store_that_refuses_ends_the_run_at_the_latest_when_all_should_be_written(
    server: StandIn, store: DirectStore
) -> None:
    access = store.grant(COLLECTION, seconds=60, has_store_secret=True)
    file = extracted("a.py")
    server.faults = [failing(grpc.StatusCode.PERMISSION_DENIED)]
    with writing(access) as writer:
        writer.write(file, [unit(1)] * file.file.chunks)
        with pytest.raises(StoreError):
            writer.finish()


def test_a_vector_that_central_keeps_to_itself_is_its_fault(store: DirectStore) -> None:
    access = store.grant(COLLECTION, seconds=60, has_store_secret=True)
    file = extracted("a.py")
    with pytest.raises(CentralError, match="up to date"), writing(access) as writer:
        writer.write(file, [None] * file.file.chunks)
