"""Bad input to Open and to uploads: a problem document with a stable code, nothing changed."""

import gzip
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import override_settings

from central.ingest.models import Batch
from central.repositories.models import Repository
from central.tenancy.models import Scope
from indexer.bundle.gzip import compress
from indexer.records.files import Removal, TreeEntry
from tests.central.factories import OrganizationFactory
from tests.central.protocol import (
    Api,
    api_of,
    file_record,
    tree_of,
    unit_vector,
)
from tests.central.refusals import assert_problem, snapshot

pytestmark = pytest.mark.django_db


@pytest.fixture
def unchanged(api: Api) -> Iterator[None]:
    """Nothing in the tables differs after the test from what was there before."""
    before = snapshot()
    yield
    assert snapshot() == before


# --- Open -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    ("members", "status", "code"),
    [
        ({"org_id": "nowhere"}, 404, "organization_not_found"),
        ({"org_id": "nowhere", "commit_sha": 7}, 404, "organization_not_found"),
        ({"org_id": 7}, 400, "invalid"),
        ({"org_id": None}, 400, "invalid"),
        ({"commit_sha": "xyz"}, 400, "invalid"),
        ({"commit_sha": "A" * 40}, 400, "invalid"),
        ({"commit_sha": "a" * 41}, 400, "invalid"),
        ({"commit_sha": "a" * 40 + "\n"}, 400, "invalid"),
        ({"commit_sha": 1234567890123456789012345678901234567890}, 400, "invalid"),
        ({"project_id": ""}, 400, "invalid"),
        ({"project_id": "../etc"}, 400, "invalid"),
        ({"project_id": "a\0b"}, 400, "invalid"),
        ({"project_id": 5}, 400, "invalid"),
        ({"ref": "main"}, 400, "invalid"),
        ({"ref": "refs/heads/a..b"}, 400, "invalid"),
        ({"ref": "refs/heads/\ud800"}, 400, "invalid"),
        ({"extractor": 1}, 400, "invalid"),
        ({"extractor": "x" * 201}, 400, "invalid"),
        ({"repository_id": "12"}, 400, "invalid"),
        ({"repository_id": True}, 400, "invalid"),
        ({"repository_id": 2**40}, 400, "invalid"),
        ({"default_branch": "a b"}, 400, "invalid"),
        ({"ref": "refs/heads/topic", "default_branch": "main"}, 403, "ref_not_tracked"),
    ],
)
def test_open_refuses(api: Api, members: dict[str, object], status: int, code: str) -> None:
    assert_problem(api.open(**members), status, code)


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"{", b"\xff", b'{"org_id": NaN}', b"[" * 9999])
def test_open_refuses_what_is_no_json_object(api: Api, body: bytes) -> None:
    response = api.client.post(
        "/api/v1/index/runs",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {api.token}"},
    )
    assert_problem(response, 400, "invalid")


@pytest.mark.usefixtures("unchanged")
def test_open_refuses_a_body_that_is_too_large_or_not_json_by_its_type(api: Api) -> None:
    huge = b'{"org_id": "' + b"x" * (2 * 1024 * 1024) + b'"}'
    assert_problem(
        api.client.post(
            "/api/v1/index/runs",
            huge,
            content_type="application/json",
            headers={"Authorization": f"Bearer {api.token}"},
        ),
        413,
        "too_large",
    )
    assert_problem(api.request("POST", "/api/v1/index/runs", b"{}"), 415, "unsupported_media_type")


@pytest.mark.usefixtures("unchanged")
def test_a_search_token_may_not_open(api: Api) -> None:
    reader = api_of(api.organization, scopes=[Scope.SEARCH])
    assert_problem(reader.open(), 403, "insufficient_scope")


@pytest.mark.usefixtures("run")
def test_a_limited_token_may_create_none_but_the_repositories_it_names(api: Api) -> None:
    limited = api_of(api.organization, repositories=["billing"])
    before = snapshot()
    assert_problem(limited.open("other"), 404, "repository_not_found")
    assert_problem(limited.open("shop"), 404, "repository_not_found")
    assert snapshot() == before
    assert limited.open("billing").status_code == 201


def test_a_limited_token_cannot_take_a_hidden_repository_by_its_github_id(api: Api) -> None:
    api.open("secret", repository_id=77)
    limited = api_of(api.organization, repositories=["billing"])
    assert limited.open("billing", repository_id=77).status_code == 201
    assert set(Repository.objects.values_list("name", "forge_key")) == {
        ("secret", 77),
        ("billing", None),
    }


def test_a_foreign_owner_is_refused() -> None:
    api = api_of(OrganizationFactory.create(github_owner_id=5))
    assert_problem(api.open(owner_id=6), 403, "owner_mismatch")
    assert not Repository.objects.exists()


def test_a_paused_repository_and_a_busy_one_are_refused(api: Api, run: dict[str, Any]) -> None:
    Repository.objects.update(paused=True)
    assert_problem(api.open(), 409, "repository_paused")
    Repository.objects.update(paused=False)
    queued = api.queue_full({"a.py": "def a\n"})
    response = api.open()
    assert_problem(response, 409, "run_in_progress")
    assert response.json()["run_id"] == queued["run_id"]


# --- Batches --------------------------------------------------------------------------------------

LINE: dict[str, Any] = {"path": "a.py", "removed": True}


def gzipped(*lines: object) -> bytes:
    return compress("".join(json.dumps(line) + "\n" for line in lines).encode())


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (b"not gzip", 400, "batch_not_gzip"),
        (gzip.compress(b"{}\n", mtime=0)[:-4], 400, "batch_not_gzip"),
        (compress(b"not json\n"), 400, "batch_malformed"),
        (compress(b"\xff\xfe\n"), 400, "batch_malformed"),
        (gzipped([]), 400, "batch_malformed"),
        (gzipped({"path": "a\0b", "removed": True}), 400, "batch_malformed"),
        (gzipped({"path": "../a", "removed": True}), 400, "batch_path_invalid"),
        (gzipped({"path": "/a", "removed": True}), 400, "batch_path_invalid"),
        (gzipped({"path": "a//b", "removed": True}), 400, "batch_path_invalid"),
        (gzipped({"path": "é" * 513, "removed": True}), 400, "batch_path_invalid"),
        (gzipped(LINE, LINE), 400, "batch_duplicate_path"),
    ],
)
def test_a_batch_is_refused(
    api: Api, run: dict[str, Any], data: bytes, status: int, code: str
) -> None:
    before = snapshot()
    assert_problem(api.put_bytes(run, 1, data), status, code)
    assert snapshot() == before


def test_a_batch_that_is_too_large_is_refused_before_and_after_inflating(
    api: Api, run: dict[str, Any]
) -> None:
    before = snapshot()
    with override_settings(BATCH_MAX_BYTES=1000, BATCH_MAX_FILES=2):
        assert_problem(api.put_bytes(run, 1, b"x" * 5000), 413, "batch_too_large")
        assert_problem(api.put_bytes(run, 1, compress(b"x" * 1001)), 413, "batch_too_large")
        lines = [{"path": f"{n}.py", "removed": True} for n in range(3)]
        assert_problem(api.put_bytes(run, 1, gzipped(*lines)), 413, "batch_too_many_files")
    assert snapshot() == before


def test_vectors_of_other_dimensions_are_an_embedder_mismatch(
    api: Api, run: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot()
    monkeypatch.setattr("tests.central.protocol.unit_vector", lambda text: unit_vector(text)[:8])
    response = api.put_batch(run, 1, [file_record("a.py", "def a\n")])
    assert_problem(response, 400, "embedder_mismatch")
    assert snapshot() == before


def test_a_chunk_without_a_vector_that_nobody_holds_is_refused(
    api: Api, run: dict[str, Any]
) -> None:
    before = snapshot()
    bare = file_record("a.py", "def unheard of\n", has_vectors=False)
    assert_problem(api.put_batch(run, 1, [bare]), 409, "embedding_unknown")
    assert snapshot() == before


def test_batches_must_be_consistent_with_one_another(api: Api, run: dict[str, Any]) -> None:
    assert api.put_batch(run, 1, [file_record("a.py", "def a\n")]).status_code == 204
    before = snapshot()
    assert_problem(api.put_batch(run, 2, [Removal("a.py")]), 409, "path_repeated")
    assert_problem(api.put_batch(run, 1, [Removal("b.py")]), 409, "batch_conflict")
    assert_problem(api.put_batch(run, 0, [Removal("b.py")]), 400, "invalid")
    assert_problem(api.put_batch(run, 100_001, [Removal("b.py")]), 400, "invalid")
    assert snapshot() == before
    assert api.put_batch(run, 1, [file_record("a.py", "def a\n")]).status_code == 204
    assert Batch.objects.count() == 1


def test_a_full_run_takes_no_removals_whichever_comes_first(api: Api, run: dict[str, Any]) -> None:
    api.put_tree(run, tree_of({"a.py": "def a\n"}))
    before = snapshot()
    assert_problem(api.put_batch(run, 1, [Removal("b.py")]), 400, "removal_in_full_run")
    assert snapshot() == before
    other = api.open().json()
    api.put_batch(other, 1, [Removal("b.py")])
    assert_problem(api.put_tree(other, tree_of({"a.py": "x"})), 400, "removal_in_full_run")


def test_a_tree_is_refused(api: Api, run: dict[str, Any]) -> None:
    url = f"/api/v1/index/runs/{run['run_id']}/tree"
    before = snapshot()
    assert_problem(api.request("PUT", url, b"x"), 400, "batch_malformed")
    assert_problem(
        api.put_tree(run, [TreeEntry("../x", "100644", "a" * 40, 1)]), 400, "batch_path_invalid"
    )
    with override_settings(TREE_MAX_BYTES=100):
        assert_problem(api.request("PUT", url, b" " * 5000), 413, "tree_too_large")
        assert_problem(api.request("PUT", url, b" " * 101), 413, "tree_too_large")
        assert_problem(api.request("PUT", url, compress(b" " * 101)), 413, "tree_too_large")
    assert snapshot() == before
    api.put_tree(run, tree_of({"a.py": "x"}))
    assert_problem(api.put_tree(run, tree_of({"b.py": "x"})), 409, "tree_conflict")
    assert api.put_tree(run, tree_of({"a.py": "x"})).json() == {"changed": ["a.py"], "removed": 0}


def test_an_unknown_run_is_not_found_whatever_is_asked_of_it(api: Api) -> None:
    ghost = {"run_id": str(uuid4()), "base_commit": None, "webhook_secret": ""}
    url = f"/api/v1/index/runs/{ghost['run_id']}"
    assert_problem(api.request("GET", url), 404, "run_not_found")
    assert_problem(api.request("DELETE", url), 404, "run_not_found")
    assert_problem(api.put_tree(ghost, []), 404, "run_not_found")
    assert_problem(api.put_batch(ghost, 1, []), 404, "run_not_found")
    assert_problem(api.request("POST", f"{url}/embeddings", {"digests": []}), 404, "run_not_found")
    assert_problem(api.request("GET", "/api/v1/index/runs/7"), 404, "not_found")


@pytest.mark.parametrize("digests", [None, "a", [7], ["xyz"], ["A" * 64], {}])
def test_digests_are_lower_case_sha256(api: Api, run: dict[str, Any], digests: object) -> None:
    url = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    assert_problem(api.request("POST", url, {"digests": digests}), 400, "invalid")
