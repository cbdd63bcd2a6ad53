"""Vectors that somebody paid for are kept, however the run ended that brought them."""

import gzip
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from central import tasks
from central.corpus.backends import collection_of, vector_store
from central.corpus.embeddings import chunk_texts
from central.corpus.models import Chunk, Embedding
from central.ingest.models import Batch, IndexRun
from central.ingest.services import apply_run as applying
from central.ingest.services import salvage
from central.ingest.services.run_lifecycle import expire_runs
from central.ingest.services.salvage import salvage_uploads
from central.repositories.models import Repository
from indexer.errors import StoreError, StoreFullError, StoreUnavailableError
from indexer.records.vectors import embedder_input, embedding_digest
from tests.central.factories import OrganizationFactory
from tests.central.protocol import (
    Api,
    api_of,
    apply_queued,
    apply_run,
    claim_run,
    file_record,
    tree_of,
)

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n"}
PAID = "openai/text-embedding-3-small/256"


@pytest.fixture
def api() -> Api:
    """An organisation whose embedder costs money."""
    api = api_of()
    api.organization.embedder = PAID
    api.organization.save()
    return api


def send(api: Api) -> str:
    """An open run with its tree and a batch for each file."""
    run = api.open().json()
    api.put_tree(run, tree_of(FILES))
    for number, (path, text) in enumerate(FILES.items(), start=1):
        assert api.put_batch(run, number, [file_record(path, text)]).status_code == 204
    return str(run["run_id"])


def cancel(api: Api) -> None:
    path = f"/api/v1/index/runs/{send(api)}?reason=cancelled"
    assert api.request("DELETE", path).status_code == 204


def expire(api: Api) -> None:
    send(api)
    IndexRun.objects.update(touched_at=timezone.now() - timedelta(days=1))
    assert expire_runs() == 1


def overtake(api: Api) -> None:
    api.queue_full(FILES)
    Repository.objects.update(generation=7)
    assert apply_queued() == ["stale"]


def fail(api: Api) -> None:
    """Fail in the last transaction, when the points are written already."""
    api.queue_full(FILES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(applying, "commit_run", _full)
        assert apply_queued() == ["failed"]


def refuse(api: Api) -> None:
    """Have a store that takes nothing, such as one whose key has changed, until that is final."""
    run = UUID(api.queue_full(FILES)["run_id"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(applying, "commit_run", _refused)
        for _ in range(settings.RUN_MAX_ATTEMPTS - 1):
            with pytest.raises(StoreError):
                apply_run(run_id=run)
            IndexRun.objects.update(lease_until=None)
        assert apply_queued() == ["failed"]
    assert IndexRun.objects.get(pk=run).error == "Qdrant does not accept the API key."


def _refused(*_: object) -> None:
    raise StoreError("Qdrant does not accept the API key.")


def _full(*_: object) -> None:
    raise StoreFullError("no space left")


def points() -> list[object]:
    repository = Repository.objects.select_related("organization").get()
    return list(vector_store().points(collection_of(repository)))


ENDS = [cancel, expire, overtake, fail, refuse]


def known(api: Api) -> int:
    digests = [bytes(digest).hex() for digest in Embedding.objects.values_list("digest", flat=True)]
    run = api.open().json()
    path = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    return len(api.request("POST", path, {"digests": digests}).json()["known"])


@pytest.mark.parametrize("end", ENDS)
def test_what_a_run_brought_that_was_not_applied_is_known_to_the_next(
    api: Api, end: Callable[[Api], None]
) -> None:
    end(api)
    assert Batch.objects.exists()  # nobody waits until they are gone through
    salvage_uploads()
    assert not Batch.objects.exists()
    assert known(api) == 3
    assert not points()
    assert not Chunk.objects.exists()


@pytest.mark.parametrize("end", ENDS)
def test_what_costs_nothing_is_not_kept(api: Api, end: Callable[[Api], None]) -> None:
    api.organization.embedder = "builtin/aeterna-static-1/256"
    api.organization.save()
    end(api)
    assert not Batch.objects.filter(file_vectors=None).exists()
    salvage_uploads()  # deletes the points that were written
    assert not Batch.objects.exists()
    assert not points()


def test_a_run_that_is_opened_at_once_knows_them(api: Api) -> None:
    digests = digests_of_cancelled(api)
    run = api.open().json()
    path = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    assert api.request("POST", path, {"digests": digests}).json() == {"known": digests}


def digests_of_cancelled(api: Api) -> list[str]:
    """Cancel a run; the digests of its chunks."""
    cancel(api)
    return [
        embedding_digest(embedder_input(path=path, container="", text=line)).hex()
        for path, text in FILES.items()
        for line in chunk_texts(file_record(path, text))
    ]


def test_another_organisation_does_not_know_them(api: Api) -> None:
    cancel(api)
    salvage_uploads()
    other = api_of(OrganizationFactory.create(embedder=PAID))
    assert (known(api), known(other)) == (3, 0)


def test_nor_does_a_credential_that_does_not_see_the_repository(api: Api) -> None:
    cancel(api)
    salvage_uploads()
    narrow = api_of(api.organization, repositories=["other"])
    digests = [bytes(row.digest).hex() for row in Embedding.objects.all()]
    run = narrow.open("other").json()
    path = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    assert narrow.request("POST", path, {"digests": digests}).json() == {"known": []}


def test_work_stops_when_its_time_is_over_and_goes_on_later(api: Api) -> None:
    cancel(api)
    assert salvage_uploads(seconds=0)
    assert Batch.objects.count() == 3
    assert not salvage_uploads()
    assert not Batch.objects.exists()


def test_a_crash_between_two_batches_loses_nothing(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel(api)
    original = salvage.save_embeddings

    def dies(**arguments: object) -> None:
        original(**arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(salvage, "save_embeddings", dies)
        with pytest.raises(KeyboardInterrupt):
            salvage_uploads()
    salvage_uploads()
    assert known(api) == 3


def test_a_store_that_is_away_leaves_it_for_later(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(api)
    with monkeypatch.context() as patch:
        patch.setattr(salvage, "delete_points", _away)
        assert not salvage_uploads()
    assert Batch.objects.exists()
    salvage_uploads()
    assert known(api) == 3


def test_what_cannot_be_kept_stops_neither_the_next_run_nor_other_work(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel(api)
    with monkeypatch.context() as patch:
        patch.setattr(salvage, "save_embeddings", _deadlocked)
        assert not salvage_uploads()
        assert api.open().status_code == 201
    assert Batch.objects.exists()
    salvage_uploads()
    assert known(api) == 3


def _deadlocked(**_: object) -> None:
    raise OperationalError("deadlock detected")


def test_embeddings_are_kept_in_one_order_so_that_two_cannot_wait_for_each_other(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = api.open().json()
    text = "".join(f"def f{number}\n" for number in range(1200))
    assert api.put_batch(run, 1, [file_record("a.py", text)]).status_code == 204
    api.request("DELETE", f"/api/v1/index/runs/{run['run_id']}?reason=cancelled")
    saved: list[list[bytes]] = []

    def record(*, vectors: dict[bytes, object], **_: object) -> None:
        saved.append(sorted(vectors))  # as save_embeddings locks them

    monkeypatch.setattr(salvage, "save_embeddings", record)
    salvage_uploads()
    assert len(saved) > 1
    locked = [digest for part in saved for digest in part]
    assert locked == sorted(locked)


def _away(**_: object) -> None:
    raise StoreUnavailableError("connection refused")


@pytest.mark.parametrize(
    "spoilt", [{"body": b"not gzip", "rows_format": ""}, {"rows": gzip.compress(b"no rows")}]
)
def test_an_upload_that_cannot_be_read_any_more_is_dropped(
    api: Api, spoilt: dict[str, object]
) -> None:
    cancel(api)
    Batch.objects.filter(number=1).update(**spoilt)
    salvage_uploads()
    assert known(api) == 1
    assert not Batch.objects.exists()


def test_what_ended_every_process_that_went_through_it_is_not_gone_through_again(api: Api) -> None:
    run = UUID(api.queue_full(FILES)["run_id"])
    IndexRun.objects.update(attempts=99)
    assert claim_run(run_id=run) is None
    assert IndexRun.objects.get().state == "failed"
    assert not Batch.objects.exists()


def test_the_task_works_all_off(api: Api) -> None:
    cancel(api)
    tasks.keep()
    assert not Batch.objects.exists()
