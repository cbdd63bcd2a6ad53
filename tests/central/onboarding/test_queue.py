"""Claims, rates, retries and ends of the queue."""

from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from central.jobs import ERROR_CHARACTERS, ClaimLostError
from central.onboarding.models import Backfill, BackfillRepository, ListState, WorkState
from central.onboarding.services import queue
from central.onboarding.services.queue import BACKFILL_ATTEMPTS, CloneClaim, queue_pushed
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


def test_a_repository_is_claimed_once(backfill: Backfill) -> None:
    queued(backfill, "shop")
    assert taken().row.name == "shop"
    assert CloneClaim.next() is None


def test_a_lost_worker_s_repository_is_claimed_again(backfill: Backfill) -> None:
    queued(backfill)
    lost = taken()
    BackfillRepository.objects.update(lease_until=timezone.now())
    again = taken()
    assert again.row.attempts == 2
    with pytest.raises(ClaimLostError):
        lost.refresh(stage="indexing")
    lost.fail("too late")
    assert BackfillRepository.objects.get().state == WorkState.RUNNING


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_lost_worker_s_repository_does_not_wait_for_a_clock_that_was_ahead(
    backfill: Backfill, settings: Settings, at_once: int
) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, at_once=at_once)
    queued(backfill)
    taken()
    BackfillRepository.objects.update(lease_until=timezone.now() + timedelta(hours=1))
    assert taken().row.attempts == 2


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_worker_whose_clock_is_wrong_takes_no_repository_from_another(
    backfill: Backfill, minutes: int
) -> None:
    queued(backfill)
    claim = taken()
    with time_machine.travel(timezone.now() + timedelta(minutes=minutes), tick=False):
        assert CloneClaim.next() is None
        assert queue.is_live(claim.row.claim)
    claim.refresh(stage="indexing")


def test_a_repository_that_kills_its_worker_fails_at_last(backfill: Backfill) -> None:
    queued(backfill)
    for _ in range(BACKFILL_ATTEMPTS):
        taken()
        BackfillRepository.objects.update(lease_until=timezone.now())
    queued(backfill, "next")
    assert taken().row.name == "next"  # it keeps nothing waiting
    row = BackfillRepository.objects.exclude(name="next").get()
    assert row.state == WorkState.FAILED
    assert "ended without an answer" in row.error


def test_a_failed_attempt_is_repeated_later_and_at_last_fails(backfill: Backfill) -> None:
    queued(backfill)
    pauses = []
    for _ in range(BACKFILL_ATTEMPTS - 1):
        taken().retry("x" * 1_000)
        row = BackfillRepository.objects.get()
        assert row.state == WorkState.QUEUED
        assert len(row.error) == ERROR_CHARACTERS
        pauses.append((row.due_at - timezone.now()).total_seconds())
        BackfillRepository.objects.update(due_at=timezone.now())
    assert pauses == sorted(pauses)
    taken().retry("no")
    assert BackfillRepository.objects.get().state == WorkState.FAILED


@given(st.text(st.characters()))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_reason_is_stored_as_one_line(backfill: Backfill, reason: str) -> None:
    BackfillRepository.objects.all().delete()
    queued(backfill)
    taken().retry(reason)
    BackfillRepository.objects.update(due_at=timezone.now())
    taken().fail(f"{reason}\0")
    assert BackfillRepository.objects.get().error.isprintable()


def test_waiting_for_an_unavailable_server_is_no_attempt(backfill: Backfill) -> None:
    queued(backfill)
    taken().requeue("the forge limits requests", 120)
    row = BackfillRepository.objects.get()
    assert (row.state, row.attempts) == (WorkState.QUEUED, 0)
    assert row.due_at > timezone.now() + timedelta(seconds=100)
    assert CloneClaim.next() is None


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


def test_a_large_organisation_does_not_keep_a_small_one_waiting(backfill: Backfill) -> None:
    for _ in range(3):
        queued(backfill)
    taken()
    queued(backfill_of(Organization.objects.create(slug="globex")), "small")
    assert taken().row.name == "small"


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
