"""The webhook: signed, consistent with its run, and answered alike when it comes again."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from central.ingest.models import IndexRun
from central.ingest.services import batches, queue_run
from central.repositories.models import Repository
from central.repositories.services import free_name, rename_repository
from tests.central.protocol import (
    Api,
    apply_queued,
    file_record,
    signature,
    tree_of,
)
from tests.central.refusals import assert_problem, snapshot

pytestmark = pytest.mark.django_db


@pytest.fixture
def uploaded(api: Api, run: dict[str, Any]) -> dict[str, Any]:
    api.put_tree(run, tree_of({"a.py": "def a\n"}))
    api.put_batch(run, 1, [file_record("a.py", "def a\n")])
    return run


@pytest.mark.parametrize(
    ("members", "status", "code"),
    [
        ({"org_id": "nowhere", "mode": 7}, 404, "organization_not_found"),
        ({"project_id": "no name"}, 400, "invalid"),
        ({"commit_sha": "b" * 40}, 400, "run_mismatch"),
        ({"run_id": str(uuid4())}, 400, "run_mismatch"),
        ({"base_commit": "b" * 40}, 400, "base_mismatch"),
        ({"mode": "incremental"}, 400, "mode_impossible"),
        ({"mode": "none"}, 400, "invalid"),
        ({"reason": "up_to_date"}, 400, "invalid"),
        ({"batches": 2}, 409, "batches_missing"),
        ({"batches": 0}, 409, "batches_missing"),
        ({"batches": "1"}, 400, "invalid"),
        ({"batches": -1}, 400, "invalid"),
        ({"stats": {"chunks": "7"}}, 400, "invalid"),
        ({"stats": {"seconds": {"a\0b": 1}}}, 400, "invalid"),
        ({"stats": {"seconds": {"\ud800": 1}}}, 400, "invalid"),
        ({"stats": {"seconds": {"é": 1}}}, 400, "invalid"),
        ({"unknown": ["\udfff"]}, 400, "invalid"),
        ({"indexed_at": "yesterday"}, 400, "invalid"),
    ],
)
def test_a_webhook_is_refused(
    api: Api, uploaded: dict[str, Any], members: dict[str, object], status: int, code: str
) -> None:
    before = snapshot()
    assert_problem(api.deliver(uploaded, api.announcement(uploaded, **members)), status, code)
    assert snapshot() == before


def test_a_webhook_that_is_not_signed_stale_or_altered_is_401(
    api: Api, uploaded: dict[str, Any]
) -> None:
    before = snapshot()
    body = json.dumps(api.announcement(uploaded)).encode()
    url = "/api/v1/index/updated"
    assert_problem(api.request("POST", url, body), 401, "webhook_signature_missing")
    for minutes in (-6, 6):
        stale = signature(uploaded, body, datetime.now(UTC) + timedelta(minutes=minutes))
        assert_problem(api.request("POST", url, body, **stale), 401, "webhook_stale")
    good = signature(uploaded, body)
    altered = [
        (body + b" ", good),
        (b"\xff", good),
        (body, good | {"webhook-id": str(uuid4())}),
        (body, good | {"webhook-id": "x"}),
        (body, good | {"webhook-signature": "v1,AAAA"}),
        (body, good | {"webhook-signature": "nonsense"}),
        (body, good | {"webhook-signature": "v2," + good["webhook-signature"][3:]}),
    ]
    for data, headers in altered:
        response = api.request("POST", url, data, **headers)
        assert_problem(response, 401, "webhook_signature_invalid")
        assert response["WWW-Authenticate"].startswith("Bearer")
    nobody = api.client.post(url, body, content_type="application/json", headers=good)
    assert_problem(nobody, 401, "unauthenticated")
    assert snapshot() == before


@pytest.mark.parametrize("change", [free_name, lambda row: rename_repository(row, "b")])
def test_a_repository_that_is_called_otherwise_since_the_run_was_opened_loses_nothing(
    api: Api, uploaded: dict[str, Any], change: Callable[[Repository], None]
) -> None:
    change(Repository.objects.get())
    for members in ({"commit_sha": "b" * 40}, {"run_id": str(uuid4())}):
        told = api.announcement(uploaded, **members)
        assert_problem(api.deliver(uploaded, told), 400, "run_mismatch")
    assert api.deliver(uploaded, api.announcement(uploaded)).status_code == 202
    assert apply_queued() == ["applied"]


def test_a_gap_in_the_batches_is_refused(api: Api, run: dict[str, Any]) -> None:
    api.put_tree(run, tree_of({"a.py": "def a\n"}))
    api.put_batch(run, 2, [file_record("a.py", "def a\n")])
    assert_problem(api.deliver(run, api.announcement(run)), 409, "batches_missing")


def test_mode_and_tree_must_fit(api: Api, run: dict[str, Any]) -> None:
    api.put_batch(run, 1, [file_record("a.py", "def a\n")])
    assert_problem(api.deliver(run, api.announcement(run)), 400, "tree_missing")
    api.index({"a.py": "def a\n"}, project="other")
    again = api.open("other").json()
    api.put_tree(again, tree_of({"a.py": "def a\n"}))
    members = {"project_id": "other", "mode": "incremental", "batches": 0}
    assert_problem(api.deliver(again, api.announcement(again, **members)), 400, "tree_unexpected")


def test_the_same_delivery_is_answered_alike_and_another_body_is_a_conflict(
    api: Api, uploaded: dict[str, Any]
) -> None:
    body = json.dumps(api.announcement(uploaded)).encode()
    first = api.deliver(uploaded, body)
    assert first.status_code == 202
    assert api.deliver(uploaded, body).json() == first.json()
    assert apply_queued() == ["applied"]
    before = snapshot()
    assert api.deliver(uploaded, body).json() == first.json()
    assert_problem(api.deliver(uploaded, body + b"\n"), 409, "delivery_conflict")
    assert snapshot() == before
    assert first.json()["status_url"].endswith(f"/api/v1/index/runs/{uploaded['run_id']}")
    assert first.json()["page_url"].endswith(f"/runs/{uploaded['run_id']}")


def locks_taken(api: Api, run: dict[str, Any], body: bytes) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert api.deliver(run, body).status_code == 202
    return sum("FOR NO KEY UPDATE" in (query["sql"] or "") for query in queries)


def test_a_repeated_delivery_waits_for_no_apply(api: Api, uploaded: dict[str, Any]) -> None:
    body = json.dumps(api.announcement(uploaded)).encode()
    assert locks_taken(api, uploaded, body) == 1
    assert locks_taken(api, uploaded, body) == 0


def test_nothing_is_taken_after_the_webhook(api: Api, uploaded: dict[str, Any]) -> None:
    api.deliver(uploaded, api.announcement(uploaded))
    before = snapshot()
    url = f"/api/v1/index/runs/{uploaded['run_id']}"
    assert_problem(api.put_batch(uploaded, 2, []), 409, "run_not_open")
    assert_problem(api.put_tree(uploaded, []), 409, "run_not_open")
    assert_problem(api.request("DELETE", url), 409, "run_not_open")
    assert_problem(api.request("POST", f"{url}/embeddings", {"digests": []}), 409, "run_not_open")
    assert snapshot() == before


@pytest.mark.parametrize("module", [batches, queue_run])
def test_a_run_that_goes_with_its_branch_during_a_request_is_not_found(
    api: Api, uploaded: dict[str, Any], monkeypatch: pytest.MonkeyPatch, module: object
) -> None:
    locked = module.locked_run  # type: ignore[attr-defined]

    def gone(run: IndexRun) -> IndexRun:
        IndexRun.objects.filter(pk=run.pk).delete()
        found: IndexRun = locked(run)
        return found

    monkeypatch.setattr(module, "locked_run", gone)
    if module is batches:
        answer = api.put_batch(uploaded, 2, [])
    else:
        answer = api.deliver(uploaded, api.announcement(uploaded))
    assert_problem(answer, 404, "run_not_found")
