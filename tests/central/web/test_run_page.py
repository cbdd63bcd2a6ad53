"""The page of a run, and its progress while it lasts."""

import uuid
from datetime import timedelta

import pytest
from django.contrib.admin import site
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from central.ingest.admin import IndexRunAdmin
from central.ingest.models import IndexRun
from central.tenancy.models import Membership
from tests.central.factories import (
    ApiTokenFactory,
    IndexRunFactory,
    MembershipFactory,
    RepositoryFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(client: Client) -> IndexRun:
    """A run that is being applied, and somebody signed in who sees its repository."""
    membership = MembershipFactory.create(organization__slug="acme")
    client.force_login(membership.user)
    repository = RepositoryFactory.create(organization=membership.organization, name="shop")
    return IndexRunFactory.create(
        repository=repository,
        state="applying",
        mode="full",
        reason="first_index",
        progress={"stage": "points", "done": 30, "total": 120, "percent": 25},
        stats={"files_changed": 12, "chunks": 34, "seconds": {"process": 3.0, "open": 1.0}},
        api_token=ApiTokenFactory.create(
            organization=membership.organization, name="ci", token="aet_visible_is_this_much"
        ),
    )


def page(client: Client, run: IndexRun) -> str:
    response = client.get(f"/o/acme/runs/{run.pk}")
    assert response.status_code == 200
    return response.content.decode()


def end(state: str, **members: object) -> None:
    IndexRun.objects.update(state=state, ended_at=timezone.now(), **members)


def test_a_run_that_lasts_shows_how_far_it_is_and_asks_again_each_second(
    run: IndexRun, client: Client
) -> None:
    html = page(client, run)
    assert "points: 25 %" in html
    assert 'value="25"' in html
    assert f'hx-get="/o/acme/runs/{run.pk}/progress?state=applying" hx-trigger="every 1s"' in html
    assert "Load it again" in html  # without JavaScript


def test_its_stages_follow_each_other_in_the_order_of_a_run(run: IndexRun, client: Client) -> None:
    html = page(client, run)
    assert html.index('x="0.0" width="25.0"') < html.index('x="25.0" width="75.0"')


def test_it_says_who_ran_it_and_why_in_its_mode(run: IndexRun, client: Client) -> None:
    html = page(client, run)
    assert "token ci (aet_visible_…)" in html
    assert "full: this is the repository&#x27;s first index" in html


def test_it_says_how_the_vectors_came(run: IndexRun, client: Client) -> None:
    assert "sent to the service</dd>" in page(client, run)
    IndexRun.objects.update(is_direct_refused=True)
    assert "QDRANT_URL asked for direct uploads, which the service refused" in page(client, run)
    IndexRun.objects.update(is_direct=True)
    assert "written to Qdrant by the indexer" in page(client, run)


def test_a_keyless_job_is_said_to_be_one(run: IndexRun, client: Client) -> None:
    token = run.api_token
    assert token is not None
    token.bound_repository_id = 7
    token.bound_project, token.bound_ref = "shop", "refs/heads/main"
    token.save()
    assert "a keyless job of shop on refs/heads/main" in page(client, run)


def test_this_machines_own_short_lived_token_is_no_keyless_job(
    run: IndexRun, client: Client
) -> None:
    token = run.api_token
    assert token is not None
    token.is_short_lived = True
    token.save()
    assert "token ci (aet_visible_…)" in page(client, run)


def test_progress_is_asked_for_until_the_state_is_another(run: IndexRun, client: Client) -> None:
    address = f"/o/acme/runs/{run.pk}/progress?state=applying"
    response = client.get(address)
    assert response.status_code == 200
    assert "<html" not in response.content.decode()
    assert "every 1s" in response.content.decode()
    end("applied", progress={"stage": "applied", "percent": 100})
    response = client.get(address)
    assert response.status_code == 286  # htmx asks no more
    assert response["HX-Retarget"] == "#run"
    assert "every 1s" not in response.content.decode()
    assert "applied" in response.content.decode()


def test_when_the_session_has_ended_the_browser_goes_to_the_sign_in_page_and_comes_back(
    run: IndexRun, client: Client
) -> None:
    client.logout()
    address = f"/o/acme/runs/{run.pk}"
    asked_by_htmx = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{address}"}
    response = client.get(f"{address}/progress?state=applying", headers=asked_by_htmx)
    assert response["HX-Redirect"] == f"/sign-in?next={address}"
    assert response.content == b""


@pytest.mark.parametrize("elsewhere", ["https://evil.example/o/acme/", ""])
def test_an_address_elsewhere_is_not_come_back_to(
    run: IndexRun, client: Client, elsewhere: str
) -> None:
    client.logout()
    response = client.get(
        f"/o/acme/runs/{run.pk}/progress",
        headers={"HX-Request": "true", "HX-Current-URL": elsewhere},
    )
    assert response["HX-Redirect"] == "/sign-in?next=/"


def test_a_run_that_goes_on_in_another_state_is_followed_further(
    run: IndexRun, client: Client
) -> None:
    response = client.get(f"/o/acme/runs/{run.pk}/progress?state=open")
    assert response.status_code == 200
    assert response["HX-Retarget"] == "#run"
    assert "progress?state=applying" in response.content.decode()


@pytest.mark.parametrize(
    ("state", "members", "said"),
    [
        ("failed", {"error": "The disk is <full>."}, "The disk is &lt;full&gt;."),
        ("failed", {}, "run the job again"),
        ("stale", {}, "Another run was applied"),
        ("abandoned", {"reason": "up_to_date"}, "There was nothing to do."),
        ("abandoned", {"reason": "cancelled"}, "cancelled the run"),
        ("expired", {}, "stopped sending"),
    ],
)
def test_each_end_says_what_it_means(
    run: IndexRun, client: Client, state: str, members: dict[str, str], said: str
) -> None:
    end(state, **members)
    html = page(client, run)
    assert said in html
    assert "every 1s" not in html
    shown = "nothing to do" if members.get("reason") == "up_to_date" else state
    assert f'">{shown}</span>' in html
    in_the_admin = IndexRunAdmin(IndexRun, site).run_state(IndexRun.objects.get(pk=run.pk))
    assert in_the_admin == shown


def test_a_run_that_waits_for_something_that_is_away_says_what(
    run: IndexRun, client: Client
) -> None:
    progress = {"stage": "waiting", "reason": "The vector store does not answer."}
    IndexRun.objects.update(state="queued", progress=progress)
    html = page(client, run)
    assert "retried automatically" in html
    assert "The vector store does not answer." in html


def test_long_runs_say_minutes_and_hours(run: IndexRun, client: Client) -> None:
    now = timezone.now()
    IndexRun.objects.update(opened_at=now - timedelta(seconds=7_505))
    end("applied")
    assert "2 h 5 min" in page(client, run)


def test_queries_are_bounded(
    run: IndexRun, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page(client, run)  # the session notes the organisation
    # session, user, organisation, membership, organisations of the frame, run, token
    with django_assert_num_queries(7):
        page(client, run)
    with django_assert_num_queries(5):
        client.get(f"/o/acme/runs/{run.pk}/progress?state=applying")


def test_runs_of_repositories_out_of_sight_are_not_there(run: IndexRun, client: Client) -> None:
    elsewhere = IndexRunFactory.create()
    for pk in (uuid.uuid4(), elsewhere.pk):
        assert client.get(f"/o/acme/runs/{pk}").status_code == 404
        assert client.get(f"/o/acme/runs/{pk}/progress").status_code == 404
    Membership.objects.update(visibilities=["public"])
    assert client.get(f"/o/acme/runs/{run.pk}").status_code == 404
