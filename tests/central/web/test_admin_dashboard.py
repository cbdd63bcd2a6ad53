"""The admin's front page and frame: what stands there, for whom, and at what cost."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from central.ingest.models import IndexRun
from central.repositories.states import RunState
from central.web import admin_dashboard
from tests.central.admin import staff, superuser
from tests.central.factories import IndexRunFactory, RepositoryFactory, UserFactory

pytestmark = pytest.mark.django_db

MOST_QUERIES = 12


@pytest.fixture
def admin() -> Client:
    return superuser()


def fill() -> dict[str, Any]:
    """An index with every state, a queue, and a failure."""
    now = timezone.now()
    current = RepositoryFactory.create(
        name="shop",
        generation=3,
        indexed_at=now - timedelta(hours=2),
        files=1_500,
        chunks=9_000,
        embedder="builtin/aeterna-static-1/256",
    )
    failed = RepositoryFactory.create(name="web", trouble="failed")
    run = IndexRunFactory.create(
        repository=failed, state="failed", error="<i>The disk is full.</i>", ended_at=now
    )
    IndexRunFactory.create(
        repository=current,
        state="applied",
        ended_at=now,
        stats={"files_changed": 12, "chunks": 3_400, "seconds": {"process": 1.5}},
    )
    queued = IndexRunFactory.create(state="queued", queued_at=now - timedelta(minutes=9))
    return {"failed": run, "queued": queued}


def test_it_says_what_is_fresh_what_waits_and_what_failed(admin: Client) -> None:
    made = fill()
    page = admin.get("/admin/").content.decode()
    for said in ("3 repositories", "9,000 chunks", "1 queued", "9 minutes", "3,400"):
        assert said in page.replace("\xa0", " ")
    assert f"/admin/ingest/indexrun/{made['failed'].pk}/change/" in page
    assert "&lt;i&gt;The disk is full." in page
    assert "is one running?" in page


def test_an_empty_service_has_a_front_page(admin: Client) -> None:
    page = admin.get("/admin/").content.decode()
    assert "0 repositories" in page
    assert "Nothing waits." in page


def test_it_takes_as_many_queries_whatever_there_is(admin: Client) -> None:
    admin.get("/admin/")
    counts = []
    for _ in range(2):
        fill()
        with CaptureQueriesContext(connection) as queries:
            admin.get("/admin/")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= MOST_QUERIES


def test_figures_are_for_those_who_may_see_what_they_are_of() -> None:
    fill()
    runs = staff("ingest.view_indexrun").get("/admin/").content.decode()
    assert "1 queued" in runs
    assert "9,000 chunks" not in runs
    nothing = staff().get("/admin/").content.decode()
    assert "may not see repositories or runs" in nothing
    assert "Audit log" not in nothing


def test_the_admin_is_for_staff_alone() -> None:
    member = Client()
    member.force_login(UserFactory.create())
    for client in (Client(), member):
        answer = client.get("/admin/")
        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/")
    assert Client().get("/admin/login/")["Location"] == "/sign-in?next=/admin/"
    assert member.get("/admin/login/").status_code == 403


def test_only_the_admin_s_pages_may_evaluate_and_have_styles_inline(admin: Client) -> None:
    page = admin.get("/admin/")
    policy = page["Content-Security-Policy"]
    assert "script-src 'self' 'unsafe-eval';" in f"{policy};"
    assert "style-src 'self' 'unsafe-inline';" in f"{policy};"
    assert "<script>" not in page.content.decode()
    assert " onclick=" not in page.content.decode()


def test_a_label_says_which_service_this_is(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("central.settings.admin.ENVIRONMENT", "staging")
    assert "staging" in admin.get("/admin/").content.decode()


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("edge:/data/edge", "Qdrant Edge, in the service's process"),
        ("postgresql:", "PostgreSQL with pgvector"),
        ("qdrant://user:secret@store:6334", "Qdrant at store"),
    ],
)
def test_the_store_is_named_without_what_is_secret(settings: Any, url: str, name: str) -> None:
    settings.VECTOR_STORE_URL = url
    assert admin_dashboard.store_name() == name


def test_a_day_counts_runs_by_how_they_ended_and_what_those_wrote_that_were_applied() -> None:
    now = timezone.now()
    for state in (RunState.APPLIED, RunState.FAILED, RunState.STALE):
        IndexRunFactory.create(state=state, stats={"chunks": 5, "files_changed": 2})
    IndexRun.objects.filter(pk=IndexRunFactory.create(state=RunState.APPLIED).pk).update(
        opened_at=now - timedelta(days=20)
    )
    today, *before = admin_dashboard.days()
    assert (today.applied, today.failed, today.others) == (1, 1, 1)
    assert (today.files, today.chunks, today.percent) == (2, 5, 100)
    assert len(before) == admin_dashboard.DAYS - 1
    assert not any(day.applied for day in before)


def test_a_claim_that_holds_is_a_worker_s_sign_of_life() -> None:
    now = timezone.now()
    assert admin_dashboard.queue().worker_seen_at is None
    IndexRunFactory.create(state="applying", lease_until=now + timedelta(seconds=5))
    waiting = admin_dashboard.queue()
    assert waiting.is_worked_on
    assert waiting.worker_seen_at is not None
    assert waiting.worker_seen_at < now
