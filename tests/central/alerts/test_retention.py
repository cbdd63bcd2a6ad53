"""What becomes of alerts with their repository and their organisation."""

import tarfile
from io import BytesIO

import pytest
from django.utils import timezone

from central.alerts.models import AlertDestination, Condition, RepositoryAlert
from central.alerts.services.destinations import set_destination
from central.maintenance.organization_deletion import (
    delete_scheduled_organizations,
    schedule_deletion,
)
from central.maintenance.organization_export import export_organization
from central.maintenance.repository_deletion import purge_repository
from central.repositories.models import Repository
from tests.central.alerts.receiver import Receiver
from tests.central.onboarding.world import acme

pytestmark = pytest.mark.django_db(transaction=True)


def alert_of(repository: Repository) -> RepositoryAlert:
    return RepositoryAlert.objects.create(
        organization=repository.organization,
        repository=repository,
        condition=Condition.FAILED,
        since=timezone.now(),
    )


def test_a_purged_repository_s_alerts_are_deleted(receiver: Receiver) -> None:
    gone = Repository.objects.create(
        organization=acme(), name="gone~1", tracked_ref="r", retired_at=timezone.now()
    )
    alert_of(gone)
    purge_repository(repository_id=gone.pk)
    assert not RepositoryAlert.objects.exists()


def test_a_deleted_organisation_leaves_nothing(receiver: Receiver) -> None:
    set_destination(organization=acme(), address=receiver.address, actor="test")
    schedule_deletion(slug="acme", actor="test")
    delete_scheduled_organizations()
    assert not AlertDestination.objects.exists()


def test_an_export_has_no_address(receiver: Receiver) -> None:
    destination = set_destination(organization=acme(), address=receiver.address, actor="test")
    alert_of(Repository.objects.create(organization=acme(), name="shop", tracked_ref="r"))
    output = BytesIO()
    export_organization(acme(), output)
    output.seek(0)
    with tarfile.open(fileobj=output) as archive:
        texts = {
            name: member.read().decode()
            for name in ("alert_destinations.ndjson", "alerts.ndjson")
            if (member := archive.extractfile(name))
        }
    assert '"failed"' in texts["alerts.ndjson"]
    assert "secret_version" in texts["alert_destinations.ndjson"]
    assert destination.sealed_address not in texts["alert_destinations.ndjson"]
