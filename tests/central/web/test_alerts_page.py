"""Settings of an organisation: the receiver of alerts."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from django.test import Client
from pytest_django import Settings

from central.alerts.models import AlertDestination
from central.alerts.services.queue import send_alerts
from central.repositories.models import IndexProblem
from central.tenancy.models import AuditEntry, Membership, Role
from tests.central.alerts.receiver import Receiver, receiving
from tests.central.factories import MembershipFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

ALERTS = "/o/acme/settings/alerts"


@pytest.fixture
def grace(client: Client, settings: Settings) -> Membership:
    """An admin of acme, signed in; the operator allows receivers on this machine."""
    settings.ALERT_NETWORKS = (ip_network("127.0.0.0/8"),)
    membership = MembershipFactory.create(
        organization__slug="acme", user__username="grace", role=Role.ADMIN
    )
    client.force_login(membership.user)
    return membership


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with receiving() as running:
        yield running


def test_a_receiver_is_set_tested_and_removed(
    client: Client, grace: Membership, receiver: Receiver
) -> None:
    assert "No alerts are sent" in client.get(ALERTS).content.decode()
    made = client.post(ALERTS, {"address": receiver.address}).content.decode()
    assert "whsec_" in made
    assert receiver.address not in made
    tested = client.post(ALERTS, {"test": "1"}, follow=True).content.decode()
    assert "The test was delivered." in tested
    assert "whsec_" not in tested
    secret = made.partition('value="whsec_')[2].partition('"')[0]
    assert receiver.verified(0, f"whsec_{secret}")["type"] == "index.test"
    assert "Send no more alerts?" in client.get(f"{ALERTS}/remove").content.decode()
    assert AlertDestination.objects.exists()
    client.post(f"{ALERTS}/remove")
    assert not AlertDestination.objects.exists()
    actors = AuditEntry.objects.order_by("pk").values_list("actor", "action")
    assert list(actors) == [
        ("user grace", "alerts.destination_set"),
        ("user grace", "alerts.destination_removed"),
    ]


def test_what_is_wrong_is_listed(client: Client, grace: Membership, receiver: Receiver) -> None:
    client.post(ALERTS, {"address": receiver.address})
    assert "Nothing." in client.get(ALERTS).content.decode()
    RepositoryFactory.create(
        organization=grace.organization,
        name="shop",
        trouble=IndexProblem.FAILED,
        trouble_detail="The disk is <full>.",
    )
    receiver.statuses = [500]
    send_alerts()
    page = client.get(ALERTS).content.decode()
    assert "/o/acme/r/shop" in page
    assert "The disk is &lt;full&gt;." in page
    assert "it is sent again" in page
    assert "The receiver answered HTTP 500." in page


def test_an_address_that_cannot_be_is_refused_on_the_page(
    client: Client, grace: Membership
) -> None:
    for address, said in (("http://10.0.0.1/x", "private address"), ("", "required")):
        assert said in client.post(ALERTS, {"address": address}).content.decode()
    assert not AlertDestination.objects.exists()


def test_a_test_that_fails_says_why(client: Client, grace: Membership, receiver: Receiver) -> None:
    client.post(ALERTS, {"address": receiver.address})
    receiver.statuses = [404]
    page = client.post(ALERTS, {"test": "1"}, follow=True).content.decode()
    assert "The test was not delivered. The receiver answered HTTP 404." in page
    again = client.post(ALERTS, {"test": "1"}, follow=True).content.decode()
    assert "A test was sent moments ago" in again
