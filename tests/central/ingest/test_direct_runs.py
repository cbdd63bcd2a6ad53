"""Direct runs from the webhook on: their points are looked at, kept, or gone in the end."""

from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone

from central.corpus.backends import collection_of, vector_store
from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, Embedding
from central.ingest.models import Batch, IndexRun
from central.ingest.services import apply_run as applying
from central.ingest.services import vectors
from central.ingest.services.run_lifecycle import expire_runs
from central.ingest.services.salvage import salvage_uploads
from central.maintenance.reconcile import reconcile
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from tests.central.ingest.direct import (
    FILES,
    OpenStore,
    known,
    named_points,
    opened_store,
    points,
    queue_direct,
    shop,
    write,
    written_points,
)
from tests.central.protocol import Api, apply_queued, apply_run, commit_of, file_record, unit_vector

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("store")]


@pytest.fixture
def store(api: Api, monkeypatch: pytest.MonkeyPatch) -> OpenStore:
    return opened_store(api, monkeypatch)


# --- Applied --------------------------------------------------------------------------------------


def test_a_direct_run_ends_where_a_relayed_one_does(api: Api) -> None:
    queue_direct(api, FILES)
    assert apply_queued() == ["applied"]
    api.index(FILES, project="relayed")
    relayed = Repository.objects.select_related("organization").get(name="relayed")
    assert dump_lines(shop()) == dump_lines(relayed)
    kept = Embedding.objects.filter(repository=shop())
    assert kept.count() == Chunk.objects.filter(repository=shop()).count() == 3
    assert reconcile(repair=False).is_clean


def test_the_store_can_be_rebuilt_after_a_direct_run(api: Api) -> None:
    queue_direct(api, FILES)
    apply_queued()
    vector_store().drop(collection_of(shop()))
    (row,) = reconcile(repair=True).repositories
    assert (row.missing, row.unrepairable) == (3, 0)
    assert points() == named_points() != set()


def test_an_apply_fails_if_points_are_not_there_and_what_is_there_is_kept(api: Api) -> None:
    run = queue_direct(api, FILES, left_out=2)
    assert apply_queued() == ["failed"]
    error = api.state(run)["error"]
    assert "2 are not in the vector store" in error
    assert "Run the indexer again" in error
    assert not Chunk.objects.exists()
    salvage_uploads()
    assert not Batch.objects.exists()
    assert points() == set()
    assert len(known(api, api.open(vectors="direct").json())["known"]) == 1


@pytest.mark.parametrize(
    "vector", [np.full(256, 0.5, "<f4"), unit_vector("x")[:255], np.full(256, np.nan, "<f4")]
)
def test_an_apply_fails_if_a_vector_is_not_what_the_embedder_makes(
    api: Api, monkeypatch: pytest.MonkeyPatch, vector: np.ndarray
) -> None:
    run = queue_direct(api, FILES)
    wrong = OpenStore(vector_store())
    wrong.vectors = lambda _, ids: dict.fromkeys(ids, vector)  # type: ignore[attr-defined]
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "vector_store", lambda: wrong)
        assert apply_queued() == ["failed"]
    assert "3 have no vector of 256 numbers" in api.state(run)["error"]
    assert not Embedding.objects.exists()


@pytest.mark.parametrize("step", ["prepare_vectors", "commit_run", "settle_points"])
def test_an_apply_that_died_is_done_again(
    api: Api, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    class Killed(BaseException):
        pass

    original = getattr(applying, step)

    def dies(*args: object, **kwargs: object) -> None:
        original(*args, **kwargs)
        raise Killed

    run = queue_direct(api, FILES)
    with monkeypatch.context() as patch:
        patch.setattr(applying, step, dies)
        with pytest.raises(Killed):
            apply_run(run_id=UUID(run["run_id"]))
    IndexRun.objects.filter(state="applying").update(lease_until=timezone.now())
    apply_queued()
    assert api.state(run)["state"] == "applied"
    assert points() == named_points() != set()


# --- Runs that end otherwise ----------------------------------------------------------------------


@pytest.mark.parametrize("end", ["cancelled", "expired", "stale"])
def test_points_of_a_run_that_was_not_applied_go_and_their_vectors_are_known(
    api: Api, end: str
) -> None:
    run = api.open(vectors="direct").json() if end != "stale" else queue_direct(api, FILES)
    if end == "stale":
        Repository.objects.update(generation=7)
        assert apply_queued() == ["stale"]
    else:
        write(run, written_points(run, FILES))
        records = [file_record(path, text, has_vectors=False) for path, text in FILES.items()]
        api.put_batch(run, 1, records)
    if end == "cancelled":
        api.request("DELETE", f"/api/v1/index/runs/{run['run_id']}?reason=cancelled")
    if end == "expired":
        IndexRun.objects.update(touched_at=timezone.now() - timedelta(days=1))
        assert expire_runs() == 1
    assert len(points()) == 3  # no request waits until they are gone
    salvage_uploads()
    assert points() == set()
    assert not Batch.objects.exists()
    assert len(known(api, api.open().json())["known"]) == 3


def test_only_the_reconcile_finds_points_of_files_that_no_batch_names(api: Api) -> None:
    queue_direct(api, FILES)
    apply_queued()
    run = api.open(vectors="direct").json()
    write(run, written_points(run, {"new.py": "def n\n"}))
    reconcile(repair=True)
    assert len(points()) == 4  # its client may be about to name it
    IndexRun.objects.filter(pk=run["run_id"]).update(touched_at=timezone.now() - timedelta(days=1))
    expire_runs()
    salvage_uploads()
    assert len(points()) == 4
    (row,) = reconcile(repair=True).repositories
    assert row.excess == 1
    assert points() == named_points()


def test_points_beside_those_that_an_applied_run_names_go_too(api: Api) -> None:
    run = queue_direct(api, FILES)
    write(run, written_points(run, {"not-sent.py": "def n\n"}))
    assert apply_queued() == ["applied"]
    reconcile(repair=True)
    assert points() == named_points() != set()


def test_uploads_of_a_retired_repository_are_left_to_the_purge(api: Api) -> None:
    run = queue_direct(api, FILES)
    retire_repository(Repository.objects.get())
    apply_queued()
    assert IndexRun.objects.get(pk=run["run_id"]).state == "abandoned"
    salvage_uploads()
    assert not Embedding.objects.exists()


def test_a_later_relayed_run_takes_up_what_a_direct_one_indexed(api: Api) -> None:
    queue_direct(api, FILES)
    apply_queued()
    after = FILES | {"b.py": "def b2\n"}
    api.queue_incremental(FILES, after)
    assert apply_queued() == ["applied"]
    assert shop().last_indexed_commit == commit_of(after)
    assert points() == named_points()
