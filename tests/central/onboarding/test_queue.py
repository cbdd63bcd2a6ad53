"""Claims, rates, retries and ends of the queue."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from central.jobs import ERROR_CHARACTERS, ClaimLostError
from central.onboarding.models import Backfill, BackfillRepository, ListState, WorkState
from central.onboarding.services.queue import CloneClaim, queue_pushed
from central.onboarding.services.requests import cancel_backfill
from central.repositories.models import IndexedBy, Push, Repository
from central.tenancy.models import Organization
from tests.central.onboarding.world import acme, backfill_of, queued

pytestmark = pytest.mark.django_db


@pytest.fixture
def backfill(settings: Settings) -> Backfill:
    settings.BACKFILL = replace(settings.BACKFILL, at_once=10)
    return backfill_of(acme())


def taken() -> CloneClaim:
    claim = CloneClaim.next()
    assert claim is not None
    return claim


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_lost_worker_s_repository_does_not_wait_for_a_clock_that_was_ahead(
    backfill: Backfill, settings: Settings, at_once: int
) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, at_once=at_once)
    queued(backfill)
    taken()
    BackfillRepository.objects.update(lease_until=timezone.now() + timedelta(hours=1))
    assert taken().row.attempts == 2


@given(st.text(st.characters()))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_reason_is_stored_as_one_short_line(backfill: Backfill, reason: str) -> None:
    BackfillRepository.objects.all().delete()
    queued(backfill)
    taken().retry(reason)
    BackfillRepository.objects.update(due_at=timezone.now())
    taken().fail(f"{reason}\0")
    error = BackfillRepository.objects.get().error
    assert error.isprintable()
    assert len(error) <= ERROR_CHARACTERS


def test_only_so_many_are_worked_on_at_once(backfill: Backfill, settings: Settings) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, at_once=1)
    queued(backfill)
    queued(backfill)
    first = taken()
    assert CloneClaim.next() is None
    first.skip("empty")
    assert CloneClaim.next() is not None


def test_an_organisation_has_so_many_an_hour(backfill: Backfill, settings: Settings) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, per_hour=1)
    queued(backfill)
    queued(backfill)
    other = queued(backfill_of(Organization.objects.create(slug="globex")))
    assert {taken().row.organization.slug, taken().row.organization.slug} == {"acme", "globex"}
    assert CloneClaim.next() is None
    hour = timezone.now() - timedelta(hours=1, seconds=1)
    BackfillRepository.objects.exclude(pk=other.pk).update(claimed_at=hour)
    assert taken().row.organization.slug == "acme"


@pytest.mark.parametrize("state", [ListState.CANCELLED, ListState.FAILED])
def test_nothing_of_an_ended_backfill_is_claimed(backfill: Backfill, state: ListState) -> None:
    queued(backfill)
    Backfill.objects.update(state=state)
    assert CloneClaim.next() is None


def test_running_work_ends_when_its_backfill_is_cancelled(backfill: Backfill) -> None:
    queued(backfill)
    claim = taken()
    cancel_backfill(backfill, actor="test")
    with pytest.raises(ClaimLostError):
        claim.refresh(stage="indexing")
    claim.retry("too late")
    assert BackfillRepository.objects.get().state == WorkState.SKIPPED


def test_a_cancelled_backfill_takes_no_place_of_another(
    backfill: Backfill, settings: Settings
) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, at_once=1)
    queued(backfill)
    taken()
    queued(backfill_of(acme()), "next")
    assert CloneClaim.next() is None
    cancel_backfill(backfill, actor="test")
    assert taken().row.name == "next"


def test_nothing_of_a_retired_organisation_is_claimed(backfill: Backfill) -> None:
    queued(backfill)
    Organization.objects.update(retired_at=timezone.now())
    assert CloneClaim.next() is None


def indexed(backfill: Backfill, **members: object) -> BackfillRepository:
    """A repository that central has indexed."""
    repository = Repository.objects.create(
        organization=backfill.organization,
        name="shop",
        tracked_ref="refs/heads/main",
        indexed_by=IndexedBy.CENTRAL,
        last_indexed_commit="a" * 40,
        generation=1,
        **members,
    )
    return queued(backfill, "shop", state=WorkState.DONE, repository=repository)


def pushed(row: BackfillRepository, commit: str) -> None:
    Push.objects.update_or_create(
        repository=row.repository, defaults={"commit_sha": commit, "pushed_at": timezone.now()}
    )


def test_a_push_queues_a_repository_without_a_workflow_once(backfill: Backfill) -> None:
    row = indexed(backfill)
    assert queue_pushed() == 0
    pushed(row, "b" * 40)
    assert queue_pushed() == 1
    assert queue_pushed() == 0
    claim = taken()
    assert row.repository is not None
    claim.finish(commit_sha="b" * 40, repository=row.repository)
    assert queue_pushed() == 0
    pushed(row, "c" * 40)
    assert queue_pushed() == 1


def test_a_push_during_the_work_is_worked_on_after_it(backfill: Backfill) -> None:
    row = indexed(backfill)
    pushed(row, "b" * 40)
    queue_pushed()
    claim = taken()
    pushed(row, "c" * 40)
    assert queue_pushed() == 1
    assert row.repository is not None
    claim.finish(commit_sha="b" * 40, repository=row.repository)
    again = taken()
    assert (again.row.name, again.row.attempts) == ("shop", 1)


def test_a_failed_repository_is_tried_again_after_a_push(backfill: Backfill) -> None:
    row = indexed(backfill)
    pushed(row, "b" * 40)
    queue_pushed()
    taken().fail("no")
    pushed(row, "c" * 40)
    assert queue_pushed() == 1
    assert taken().row.attempts == 1


@pytest.mark.parametrize(
    "change",
    [
        {"indexed_by": IndexedBy.ACTION},
        {"paused": True},
        {"retired_at": timezone.now()},
        {"last_indexed_commit": "b" * 40},
    ],
)
def test_a_push_is_left_alone_if_it_is_not_central_s(
    backfill: Backfill, change: dict[str, object]
) -> None:
    row = indexed(backfill)
    pushed(row, "b" * 40)
    Repository.objects.update(**change)
    assert queue_pushed() == 0


def test_a_push_of_a_cancelled_backfill_is_not_followed(backfill: Backfill) -> None:
    pushed(indexed(backfill), "b" * 40)
    Backfill.objects.update(state=ListState.CANCELLED)
    assert queue_pushed() == 0
