"""Batches as they are read again: what they take, stored and in memory."""

from dataclasses import replace

import pytest
from msgspec import msgpack

from central.ingest.models import Batch, IndexRun
from central.ingest.services import stored_batches
from central.ingest.services.stored_batches import StoredBatches, unpack_rows
from indexer.records.files import FileRecord
from tests.central.protocol import api_of, file_record

pytestmark = pytest.mark.django_db


def put(*records: FileRecord) -> None:
    """Each in a batch of an open run."""
    api = api_of()
    run = api.open().json()
    for number, record in enumerate(records, start=1):
        assert api.put_batch(run, number, [record]).status_code == 204


@pytest.mark.parametrize("character", ["x", "\N{PILE OF POO}"])
def test_batches_that_are_kept_count_as_large_as_they_are_in_memory(
    monkeypatch: pytest.MonkeyPatch, character: str
) -> None:
    """Gzip makes a thousandth of them."""
    text = character * 500_000
    put(*(replace(file_record(path, ""), content=text, size=len(text)) for path in "abc"))
    stored = sum(len(batch.rows) for batch in Batch.objects.all())
    assert stored < 20_000
    monkeypatch.setattr(stored_batches, "_KEPT_BYTES", 2 * len(text.encode()) + 100_000)
    batches = StoredBatches(IndexRun.objects.get())
    assert len(list(batches)) == 3
    assert [len(group) for group in batches.groups()] == [2, 1]


def test_batches_stay_in_order_if_one_is_too_large_to_be_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"a": 100_000, "b": 500_000, "c": 100_000}
    put(
        *(
            replace(file_record(path, ""), content="x" * size, size=size)
            for path, size in sizes.items()
        )
    )
    monkeypatch.setattr(stored_batches, "_KEPT_BYTES", 300_000)
    batches = StoredBatches(IndexRun.objects.get())
    assert len(list(batches)) == 3
    numbers = [[batch.number for batch in group] for group in batches.groups()]
    assert numbers == [[1], [2], [3]]


def test_the_path_of_a_file_is_stored_once_for_all_its_chunks() -> None:
    path = "a/long/path.py"
    put(file_record(path, "def a\n" * 3))
    [batch] = Batch.objects.all()
    assert msgpack.encode(unpack_rows(bytes(batch.rows))).count(path.encode()) == 1
