"""What becomes of the queue with its repository and its organisation; metrics of the queue."""

import json
import tarfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.utils import timezone

from central.maintenance.organization_deletion import (
    delete_scheduled_organizations,
    schedule_deletion,
)
from central.maintenance.organization_export import export_organization
from central.maintenance.repository_deletion import purge_repository
from central.onboarding.metrics import BackfillCollector
from central.onboarding.models import Backfill, BackfillRepository, ListState, WorkState
from central.repositories.models import Repository
from central.tenancy.models import Organization
from tests.central.onboarding.world import acme, backfill_of, queued
from tests.central.protocol import metrics


@pytest.mark.django_db(transaction=True)
def test_a_purged_repository_leaves_the_queue() -> None:
    organization = acme()
    gone = Repository.objects.create(
        organization=organization,
        name="gone~1",
        tracked_ref="refs/heads/main",
        retired_at=timezone.now(),
    )
    backfill = backfill_of(organization)
    queued(backfill, "gone", repository=gone)
    queued(backfill, "stays")
    purge_repository(repository_id=gone.pk)
    assert BackfillRepository.objects.get().name == "stays"


@pytest.mark.django_db(transaction=True)
def test_a_deleted_organisation_leaves_nothing() -> None:
    queued(backfill_of(acme()))
    schedule_deletion(slug="acme", actor="test")
    delete_scheduled_organizations()
    assert not Backfill.objects.exists()
    assert not BackfillRepository.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_export_has_the_queue_without_claims() -> None:
    queued(backfill_of(acme()), "shop")
    output = BytesIO()
    export_organization(acme(), output)
    output.seek(0)
    with tarfile.open(fileobj=output) as archive:
        member = archive.extractfile("backfill_repositories.ndjson")
        assert member is not None
        row = json.loads(member.read())
    assert row["name"] == "shop"
    assert "claim" not in row


@pytest.mark.django_db
def test_metrics_count_the_queue() -> None:
    backfill = backfill_of(acme())
    queued(backfill, due_at=timezone.now() - timedelta(minutes=5))
    queued(backfill, state=WorkState.DONE)
    states, age = BackfillCollector().collect()
    counts = {sample.labels["state"]: sample.value for sample in states.samples}
    assert counts == {"queued": 1, "running": 0, "done": 1, "failed": 0, "skipped": 0}
    assert age.samples[0].value >= 300
    assert "aeterna_backfill_repositories" in metrics()


@pytest.mark.django_db
@pytest.mark.parametrize("is_cancelled", [True, False])
def test_metrics_count_nothing_that_is_never_done(is_cancelled: bool) -> None:
    """Of a cancelled backfill, or of an organisation that is being deleted."""
    organization = acme()
    backfill = backfill_of(organization, ListState.CANCELLED if is_cancelled else ListState.LISTED)
    if not is_cancelled:
        Organization.objects.update(retired_at=timezone.now())
    queued(backfill, due_at=timezone.now() - timedelta(minutes=5))
    queued(backfill, state=WorkState.RUNNING)
    states, age = BackfillCollector().collect()
    assert sum(sample.value for sample in states.samples) == 0
    assert age.samples[0].value == 0
