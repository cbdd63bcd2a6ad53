"""Runs wait for their turn by organisation: who queues a thousand keeps nobody waiting for them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from central import tasks
from central.ingest.models import IndexRun
from central.ingest.services.claims import RunClaim
from central.repositories.states import RunState
from central.tenancy.models import Organization
from tests.central.factories import IndexRunFactory, OrganizationFactory, RepositoryFactory
from tests.central.protocol import api_of

pytestmark = pytest.mark.django_db


def claim_next() -> RunClaim | None:
    """The claim on the run whose turn it is."""
    return RunClaim.take(RunClaim.in_turn("queued_at"))


START = timezone.now() - timedelta(hours=2)


def queue(organization: Organization, count: int, *, after: int) -> None:
    """Runs of a repository each, queued a second after one another."""
    for number in range(count):
        repository = RepositoryFactory.create(organization=organization)
        IndexRunFactory.create(
            repository=repository,
            state=RunState.QUEUED,
            queued_at=START + timedelta(seconds=after + number),
        )


def claimed(count: int, *, ends: bool) -> list[str]:
    """Whose runs are claimed one after another; `ends`: each has ended before the next."""
    slugs = []
    for _ in range(count):
        claim = claim_next()
        assert claim
        slugs.append(claim.row.repository.organization.slug)
        if ends:
            IndexRun.objects.filter(pk=claim.row.pk).update(state=RunState.APPLIED)
    return slugs


@pytest.fixture
def flood() -> Organization:
    organization = OrganizationFactory.create(slug="flood")
    queue(organization, 30, after=0)
    return organization


@pytest.mark.usefixtures("flood")
def test_who_comes_while_another_floods_is_served_next() -> None:
    claimed(20, ends=True)
    queue(OrganizationFactory.create(slug="late"), 1, after=100)
    assert claimed(2, ends=True) == ["late", "flood"]


def test_an_organisation_s_own_runs_are_applied_in_their_order(flood: Organization) -> None:
    first = [claim_next() for _ in range(30)]
    queued = [claim.row.queued_at for claim in first if claim]
    assert queued == sorted(queued)
    assert len(queued) == 30
    assert claim_next() is None


def test_a_message_of_a_flood_serves_whose_turn_it_is() -> None:
    """Messages come in the order in which they were sent."""
    flood, late = api_of(), api_of(OrganizationFactory.create(slug="late"))
    flooding = [flood.queue_full({"a.py": "a\n"}, project=f"shop-{n}") for n in range(3)]
    waiting = late.queue_full({"a.py": "a\n"})
    for run in flooding[:2]:
        tasks.apply_run(run["run_id"])
    assert [flood.state(run)["state"] for run in flooding] == ["applied", "queued", "queued"]
    assert late.state(waiting)["state"] == "applied"
