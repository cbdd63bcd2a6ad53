"""Direct runs: the client writes the points, central says where and looks at what it finds."""

from base64 import b64decode
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone

from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, Embedding
from central.corpus.vectors import collection_of, vector_store
from central.ingest.models import Batch, IndexRun
from central.ingest.services import applying, knowing
from central.ingest.services.applying import apply_run
from central.ingest.services.ending import expire_runs
from central.ingest.services.keeping import keep_uploads
from central.ingest.services.reconciling import reconcile
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from indexer.errors import DirectNotAvailableError, StoreUnavailableError
from tests.central.ingest.direct import (
    OpenStore,
    opened_store,
    queue_direct,
    write,
    written_points,
)
from tests.central.protocol import Api, apply_queued, commit_of, file_record, unit_vector
from tests.central.refusals import assert_problem, snapshot

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n"}


@pytest.fixture
def store(api: Api, monkeypatch: pytest.MonkeyPatch) -> OpenStore:
    return opened_store(api, monkeypatch)


def shop() -> Repository:
    return Repository.objects.select_related("organization").get(name="shop")


def points() -> set[UUID]:
    return {point for point, _ in vector_store().points(collection_of(shop()))}


def named_points() -> set[UUID]:
    return set(Chunk.objects.values_list("point", flat=True))


def known(api: Api, run: dict[str, str]) -> dict[str, list[str]]:
    digests = [bytes(digest).hex() for digest in Embedding.objects.values_list("digest", flat=True)]
    path = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    answer: dict[str, list[str]] = api.request("POST", path, {"digests": digests}).json()
    return answer


# --- Open -----------------------------------------------------------------------------------------


def test_open_says_where_the_client_writes_and_with_which_token(api: Api, store: OpenStore) -> None:
    answer = api.open(vectors="direct").json()["vector_store"]
    assert timezone.datetime.fromisoformat(answer.pop("expires_at")) > timezone.now()
    assert answer == {
        "url": "qdrant://vectors.example:6334",
        "collection": "codesearch_acme~1~builtin",
        "token": "a.b.c",
        "repository": shop().pk,
    }
    assert store.granted == [(collection_of(shop()), 6 * 3600, False)]
    assert IndexRun.objects.get().is_direct


@pytest.mark.usefixtures("store")
def test_a_client_with_a_secret_of_its_own_gets_no_token(api: Api) -> None:
    answer = api.open(vectors="direct", own_secret=True).json()["vector_store"]
    assert (answer["token"], answer["expires_at"]) == (None, None)


@pytest.mark.usefixtures("store")
def test_the_token_is_not_logged(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    api.open(vectors="direct")
    assert "direct_access_granted" in caplog.text
    assert "a.b.c" not in caplog.text


@pytest.mark.usefixtures("store")
def test_without_asking_for_it_vectors_are_relayed(api: Api) -> None:
    for members in ({}, {"vectors": "relay"}, {"vectors": None, "own_secret": None}):
        assert api.open(**members).json()["vector_store"] is None


def test_direct_mode_requires_the_organisation_s_setting(api: Api, store: OpenStore) -> None:
    api.organization.direct_uploads = False
    api.organization.save()
    before = snapshot()
    answer = api.open(vectors="direct")
    assert_problem(answer, 409, "direct_not_available")
    assert "direct_uploads" in answer.json()["detail"]
    assert snapshot() == before
    assert not store.granted


def test_direct_mode_requires_a_store_that_clients_can_write_to(api: Api) -> None:
    api.organization.direct_uploads = True
    api.organization.save()
    before = snapshot()
    answer = api.open(vectors="direct")
    assert_problem(answer, 409, "direct_not_available")
    assert "VECTOR_STORE_URL" in answer.json()["detail"]
    assert snapshot() == before


def test_what_the_store_has_against_it_is_told_and_nothing_changed(
    api: Api, store: OpenStore
) -> None:
    store.unavailable = DirectNotAvailableError("there is one collection per organisation.")
    before = snapshot()
    answer = api.open(vectors="direct")
    assert_problem(answer, 409, "direct_not_available")
    assert "one collection per organisation" in answer.json()["detail"]
    assert snapshot() == before


def test_a_store_that_is_away_leaves_no_open_run(api: Api, store: OpenStore) -> None:
    store.failure = StoreUnavailableError("connection refused")
    assert_problem(api.open(vectors="direct"), 503, "vector_store_unavailable")
    assert IndexRun.objects.get().state == "abandoned"
    store.failure = None
    assert api.open(vectors="direct").status_code == 201


def test_a_store_that_is_away_is_waited_for_once(api: Api, store: OpenStore) -> None:
    run = api.open(vectors="direct").json()
    records = [file_record(path, text, has_vectors=False) for path, text in FILES.items()]
    api.put_batch(run, 1, records)
    api.request("DELETE", f"/api/v1/index/runs/{run['run_id']}?reason=cancelled")
    store.failure = StoreUnavailableError("connection refused")
    assert_problem(api.open(vectors="direct"), 503, "vector_store_unavailable")
    assert Batch.objects.exists()  # its points have not been asked for


@pytest.mark.parametrize("members", [{"vectors": "both"}, {"vectors": 1}, {"own_secret": "yes"}])
def test_open_refuses_other_ways(api: Api, members: dict[str, object]) -> None:
    assert_problem(api.open(**members), 400, "invalid")


# --- Uploads --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("store")
def test_a_batch_with_vectors_is_refused(api: Api) -> None:
    run = api.open(vectors="direct").json()
    answer = api.put_batch(run, 1, [file_record("a.py", "def a\n")])
    assert_problem(answer, 400, "vector_in_direct_run")
    assert not Batch.objects.exists()


@pytest.mark.usefixtures("store")
def test_known_embeddings_come_with_their_vectors(api: Api) -> None:
    api.index(FILES)
    answer = known(api, api.open(vectors="direct").json())
    assert answer["vectors"].keys() == set(answer["known"]) != set()  # type: ignore[attr-defined]
    stored = {bytes(row.digest).hex(): bytes(row.vector) for row in Embedding.objects.all()}
    assert {key: b64decode(text) for key, text in answer["vectors"].items()} == stored  # type: ignore[attr-defined]
    assert known(api, api.open().json()).keys() == {"known"}


@pytest.mark.usefixtures("store")
def test_as_many_digests_are_answered_as_open_says(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowing, "_VECTOR_BYTES", 2 * 256 * 4)
    run = api.open(vectors="direct").json()
    assert run["limits"]["digests"] == 2
    path = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    assert api.request("POST", path, {"digests": ["0" * 64] * 2}).status_code == 200
    answer = api.request("POST", path, {"digests": ["0" * 64] * 3})
    assert_problem(answer, 400, "too_many_digests")


# --- Apply ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("store")
def test_a_direct_run_ends_where_a_relayed_one_does(api: Api) -> None:
    queue_direct(api, FILES)
    assert apply_queued() == ["applied"]
    api.index(FILES, project="relayed")
    relayed = Repository.objects.select_related("organization").get(name="relayed")
    assert dump_lines(shop()) == dump_lines(relayed)
    kept = Embedding.objects.filter(repository=shop())
    assert kept.count() == Chunk.objects.filter(repository=shop()).count() == 3
    assert reconcile(repair=False).is_clean


@pytest.mark.usefixtures("store")
def test_the_store_can_be_rebuilt_after_a_direct_run(api: Api) -> None:
    queue_direct(api, FILES)
    apply_queued()
    vector_store().drop(collection_of(shop()))
    (row,) = reconcile(repair=True).repositories
    assert (row.missing, row.unrepairable) == (3, 0)
    assert points() == named_points() != set()


@pytest.mark.usefixtures("store")
def test_an_apply_fails_if_points_are_not_there_and_what_is_there_is_kept(api: Api) -> None:
    run = queue_direct(api, FILES, left_out=2)
    assert apply_queued() == ["failed"]
    error = api.state(run)["error"]
    assert "2 are not in the vector store" in error
    assert "Run the indexer again" in error
    assert not Chunk.objects.exists()
    keep_uploads()
    assert not Batch.objects.exists()
    assert points() == set()
    assert len(known(api, api.open(vectors="direct").json())["known"]) == 1


@pytest.mark.usefixtures("store")
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
        patch.setattr(applying, "vector_store", lambda: wrong)
        assert apply_queued() == ["failed"]
    assert "3 have no vector of 256 numbers" in api.state(run)["error"]
    assert not Embedding.objects.exists()


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("step", ["adopt_points", "_commit", "_sweep_up"])
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


@pytest.mark.usefixtures("store")
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
    keep_uploads()
    assert points() == set()
    assert not Batch.objects.exists()
    assert len(known(api, api.open().json())["known"]) == 3


@pytest.mark.usefixtures("store")
def test_only_the_reconcile_finds_points_of_files_that_no_batch_names(api: Api) -> None:
    queue_direct(api, FILES)
    apply_queued()
    run = api.open(vectors="direct").json()
    write(run, written_points(run, {"new.py": "def n\n"}))
    reconcile(repair=True)
    assert len(points()) == 4  # its client may be about to name it
    IndexRun.objects.filter(pk=run["run_id"]).update(touched_at=timezone.now() - timedelta(days=1))
    expire_runs()
    keep_uploads()
    assert len(points()) == 4
    (row,) = reconcile(repair=True).repositories
    assert row.excess == 1
    assert points() == named_points()


@pytest.mark.usefixtures("store")
def test_points_beside_those_that_an_applied_run_names_go_too(api: Api) -> None:
    run = queue_direct(api, FILES)
    write(run, written_points(run, {"not-sent.py": "def n\n"}))
    assert apply_queued() == ["applied"]
    reconcile(repair=True)
    assert points() == named_points() != set()


@pytest.mark.usefixtures("store")
def test_uploads_of_a_retired_repository_are_left_to_the_purge(api: Api) -> None:
    run = queue_direct(api, FILES)
    retire_repository(Repository.objects.get())
    apply_queued()
    assert IndexRun.objects.get(pk=run["run_id"]).state == "abandoned"
    keep_uploads()
    assert not Embedding.objects.exists()


@pytest.mark.usefixtures("store")
def test_a_later_relayed_run_takes_up_what_a_direct_one_indexed(api: Api) -> None:
    queue_direct(api, FILES)
    apply_queued()
    after = FILES | {"b.py": "def b2\n"}
    api.queue_incremental(FILES, after)
    assert apply_queued() == ["applied"]
    assert shop().last_indexed_commit == commit_of(after)
    assert points() == named_points()
