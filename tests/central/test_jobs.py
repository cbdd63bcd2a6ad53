"""What every queue promises: claims by one clock, retries, and turns of organisations."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db.models.functions import Now
from django.utils import timezone

from central.alerts.models import AlertDestination
from central.alerts.services.queue import AlertClaim
from central.alerts.signing import seal
from central.ingest.services.claims import RunClaim
from central.jobs import Claim, ClaimLostError
from central.onboarding.models import ListState
from central.onboarding.services.listing import ListClaim
from central.onboarding.services.queue import CloneClaim
from central.repositories.states import RunState
from central.tenancy.models import Organization
from tests.central.factories import IndexRunFactory, OrganizationFactory, RepositoryFactory
from tests.central.onboarding.world import backfill_of, queued

pytestmark = pytest.mark.django_db


def put_run(organization: Organization) -> None:
    repository = RepositoryFactory.create(organization=organization)
    IndexRunFactory.create(repository=repository, state=RunState.QUEUED, queued_at=Now())


def put_clone(organization: Organization) -> None:
    queued(backfill_of(organization))


def put_list(organization: Organization) -> None:
    backfill_of(organization, ListState.LISTING)


def put_message(organization: Organization) -> None:
    AlertDestination.objects.create(
        organization=organization,
        sealed_address=seal("https://hooks.example"),
        message_id=uuid.uuid4(),
        due_at=Now(),
    )


Queue = type[Claim[Any]]
QUEUES: dict[Queue, Callable[[Organization], None]] = {
    RunClaim: put_run,
    CloneClaim: put_clone,
    ListClaim: put_list,
    AlertClaim: put_message,
}


@pytest.fixture(params=QUEUES, ids=lambda queue: queue.__name__)
def queue(request: pytest.FixtureRequest) -> Queue:
    """A queue in which one row of an organisation waits."""
    QUEUES[request.param](OrganizationFactory.create())
    claim: Queue = request.param
    return claim


def next_of(queue: Queue) -> Claim[Any] | None:
    return queue.take(queue.in_turn("pk"))


def taken(queue: Queue) -> Claim[Any]:
    claim = next_of(queue)
    assert claim
    return claim


def end_pauses(queue: Queue) -> None:
    queue.rows().update(**{"due_at" if queue.has_due_at else "lease_until": Now()})


@pytest.mark.parametrize("minutes", [-10, 0, 10])
def test_what_is_worked_on_is_not_taken_whatever_the_process_s_clock_says(
    queue: Queue, minutes: int
) -> None:
    claim = taken(queue)
    with time_machine.travel(timezone.now() + timedelta(minutes=minutes), tick=False):
        assert next_of(queue) is None
        assert queue.held().exists()
    claim.refresh()


def test_a_lost_process_s_row_is_taken_by_another_and_the_first_writes_nothing(
    queue: Queue,
) -> None:
    lost = taken(queue)
    queue.expire_leases()
    assert taken(queue).row.attempts == 2
    before = queue.rows().values().get()
    with pytest.raises(ClaimLostError):
        lost.refresh()
    for end in (lost.retry, lost.requeue, lost.fail):
        end("too late")
    assert queue.rows().values().get() == before


def test_a_lease_or_pause_of_a_clock_that_was_ahead_does_not_hold(queue: Queue) -> None:
    taken(queue)
    ahead = timezone.now() + timedelta(hours=2)
    queue.rows().update(lease_until=ahead)
    again = taken(queue)
    assert again.row.attempts == 2
    again.release()
    queue.rows().update(lease_until=ahead)
    taken(queue)


def test_a_row_that_ends_its_process_each_time_fails_at_last(queue: Queue) -> None:
    for _ in range(queue.most_attempts()):
        taken(queue)
        queue.expire_leases()
    QUEUES[queue](OrganizationFactory.create())
    assert taken(queue).row.attempts == 1  # it keeps nothing waiting
    assert next_of(queue) is None
    assert "without an answer" in queue.rows().get(attempts=queue.most_attempts()).error


def test_a_long_error_is_cut_to_what_its_row_holds(queue: Queue) -> None:
    taken(queue).retry("no " * 1_000)
    end_pauses(queue)
    claim = taken(queue)
    claim.fail("no " * 1_000)
    assert not claim.mine().exists()


def test_a_failed_attempt_is_repeated_after_a_longer_pause_and_at_last_fails(
    queue: Queue,
) -> None:
    pauses = []
    for attempt in range(1, queue.most_attempts()):
        taken(queue).retry("no")
        assert next_of(queue) is None
        row = queue.rows().get()
        assert row.attempts == attempt
        until = row.due_at if queue.has_due_at else row.lease_until
        pauses.append(round((until - timezone.now()).total_seconds()))
        end_pauses(queue)
    assert pauses == sorted(pauses)
    assert pauses[0] < pauses[-1] <= queue.longest_pause_seconds
    taken(queue).retry("no")
    end_pauses(queue)
    assert next_of(queue) is None


def test_a_process_that_stops_leaves_its_row_to_another_at_once_without_an_attempt(
    queue: Queue,
) -> None:
    taken(queue).release()
    assert taken(queue).row.attempts == 1


def test_waiting_for_a_service_that_is_unavailable_is_no_attempt(queue: Queue) -> None:
    taken(queue).requeue("unavailable", 3_600)
    assert next_of(queue) is None
    end_pauses(queue)
    assert taken(queue).row.attempts == 1


@pytest.mark.parametrize(("queue", "order"), [(RunClaim, "queued_at"), (CloneClaim, "due_at")])
@pytest.mark.parametrize("ends", [True, False], ids=["one worker", "a worker for each"])
def test_organisations_take_turns_whoever_queued_first(
    queue: Queue, order: str, ends: bool
) -> None:
    for slug, count in (("flood", 6), ("late", 3), ("later", 1)):
        organization = OrganizationFactory.create(slug=slug)
        for _ in range(count):
            QUEUES[queue](organization)
    slugs = []
    for _ in range(8):
        claim = queue.take(queue.in_turn(order))
        assert claim
        owner = claim.row.repository if queue is RunClaim else claim.row
        slugs.append(owner.organization.slug)
        if ends:
            claim.fail("no")
    assert slugs == ["flood", "late", "later", "flood", "late", "flood", "late", "flood"]
