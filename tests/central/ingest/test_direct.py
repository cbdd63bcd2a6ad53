"""Direct runs up to the webhook: whether there are any, where to write, what is sent and asked."""

from base64 import b64decode

import pytest
from django.utils import timezone

from central.corpus.backends import collection_of
from central.corpus.models import Embedding
from central.ingest.models import Batch, IndexRun
from central.ingest.services import known_embeddings
from central.tenancy.models import ApiToken
from indexer.errors import DirectNotAvailableError, StoreUnavailableError
from tests.central.ingest.direct import (
    FILES,
    OpenStore,
    known,
    opened_store,
    shop,
)
from tests.central.protocol import Api, api_of, apply_queued, commit_of, file_record, tree_of
from tests.central.refusals import assert_problem, snapshot

pytestmark = pytest.mark.django_db


@pytest.fixture
def store(api: Api, monkeypatch: pytest.MonkeyPatch) -> OpenStore:
    return opened_store(api, monkeypatch)


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


@pytest.mark.parametrize(
    "members", [{"vectors": "both"}, {"vectors": "direct_refused"}, {"own_secret": "yes"}]
)
def test_open_refuses_other_ways(api: Api, members: dict[str, object]) -> None:
    assert_problem(api.open(**members), 400, "invalid")


@pytest.mark.parametrize(
    ("members", "vectors"),
    [
        ({}, "relay"),
        ({"direct_refused": None}, "relay"),
        ({"direct_refused": True}, "direct_refused"),
        ({"vectors": "direct", "direct_refused": True}, "direct"),
    ],
)
@pytest.mark.usefixtures("store")
def test_a_run_says_how_its_vectors_travel(
    api: Api, members: dict[str, object], vectors: str
) -> None:
    run = api.open(**members).json()
    assert api.request("GET", f"/api/v1/index/runs/{run['run_id']}").json()["vectors"] == vectors


def test_the_status_says_that_a_direct_upload_was_refused(api: Api) -> None:
    assert_problem(api.open(vectors="direct"), 409, "direct_not_available")
    run = api.open(direct_refused=True, commit_sha=commit_of(FILES)).json()
    api.put_tree(run, tree_of(FILES))
    records = [file_record(path, text) for path, text in FILES.items()]
    assert api.put_batch(run, 1, records).status_code == 204
    assert api.deliver(run, api.announcement(run, commit_sha=commit_of(FILES))).status_code == 202
    apply_queued()
    (project,) = api.status().json()["projects"]
    assert (project["state"], project["vectors"]) == ("current", "direct_refused")


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
    monkeypatch.setattr(known_embeddings, "_VECTOR_BYTES", 2 * 256 * 4)
    run = api.open(vectors="direct").json()
    assert run["limits"]["digests"] == 2
    path = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    assert api.request("POST", path, {"digests": ["0" * 64] * 2}).status_code == 200
    answer = api.request("POST", path, {"digests": ["0" * 64] * 3})
    assert_problem(answer, 400, "too_many_digests")


def test_a_limited_client_is_given_the_collection_of_its_own_repository_whatever_id_it_says(
    api: Api, store: OpenStore
) -> None:
    api.open("vault", repository_id=77)
    limited = api_of(api.organization, repositories=["shop"])
    answer = limited.open("shop", repository_id=77, vectors="direct").json()
    assert answer["vector_store"]["repository"] == shop().pk
    assert store.granted == [(collection_of(shop()), 6 * 3600, False)]


def test_a_client_is_given_no_collection_of_a_repository_that_it_may_not_see(
    api: Api, store: OpenStore
) -> None:
    api.open("vault", repository_id=77)
    limited = api_of(api.organization)
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(visibilities=["public"])
    before = snapshot()
    for name in ("vault", "nothing"):
        assert_problem(limited.open(name, vectors="direct"), 404, "repository_not_found")
    assert store.granted == []
    assert snapshot() == before
