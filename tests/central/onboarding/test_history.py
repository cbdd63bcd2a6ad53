"""`manage.py backfill ORGANISATION --history`: runs that bring the past, once each."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from central.onboarding.models import Backfill, BackfillRepository, WorkState
from central.onboarding.services.queue import CloneClaim
from central.repositories.models import IndexedBy, Repository
from central.tenancy.audit import COMMAND
from central.tenancy.models import AuditEntry, Organization
from tests.central.onboarding.world import acme, backfill_of, queued

pytestmark = pytest.mark.django_db


@pytest.fixture
def backfill() -> Backfill:
    return backfill_of(acme())


def bring(organization: str = "acme") -> list[str]:
    out = StringIO()
    call_command("backfill", organization, "--history", stdout=out)
    return out.getvalue().splitlines()


def indexed(backfill: Backfill, name: str, **members: object) -> Repository:
    """One that the service has indexed."""
    values = {"generation": 1, "indexed_by": IndexedBy.CENTRAL, "tracked_ref": "refs/heads/main"}
    repository = Repository.objects.create(
        organization=backfill.organization, name=name, **values | members
    )
    queued(backfill, name, state=WorkState.DONE, repository=repository)
    return repository


def test_each_repository_is_queued_once_and_its_run_brings_the_past(backfill: Backfill) -> None:
    shop = indexed(backfill, "shop")
    indexed(backfill, "paused", paused=True)
    indexed(backfill, "never", generation=0)
    assert bring()[0] == "acme: 1 queued, 0 in the queue, 0 brought."
    assert bring()[0] == "acme: 0 queued, 1 in the queue, 0 brought."
    claim = CloneClaim.next()
    assert claim is not None
    assert (claim.row.name, claim.row.history_due) == ("shop", True)
    assert bring()[0] == "acme: 0 queued, 1 in the queue, 0 brought."
    claim.finish(commit_sha="1" * 40, repository=shop)
    row = BackfillRepository.objects.get(name="shop")
    assert (row.state, row.history_due, row.history_at is None) == (WorkState.DONE, False, False)
    assert bring()[0] == "acme: 0 queued, 0 in the queue, 1 brought."
    entry = AuditEntry.objects.get(action="index.history_requested")
    assert (entry.actor, entry.detail) == (COMMAND, {"repositories": 1})


def test_a_run_of_an_older_process_does_not_count(backfill: Backfill) -> None:
    indexed(backfill, "shop")
    bring()
    BackfillRepository.objects.update(state=WorkState.DONE, ended_at=timezone.now())
    assert bring() == ["acme: 1 queued, 0 in the queue, 0 brought."]


def test_what_is_not_cloned_here_is_counted_and_other_organisations_are_left(
    backfill: Backfill,
) -> None:
    indexed(backfill, "shop", indexed_by=IndexedBy.ACTION)
    other = backfill_of(Organization.objects.create(slug="other"))
    indexed(other, "cart")
    first, second = bring()
    assert first == "acme: 0 queued, 0 in the queue, 0 brought."
    assert second.startswith("1 repository is not cloned by this service")
    assert not BackfillRepository.objects.filter(history_due=True).exists()
