"""The API of alerts and its command: who may set what, and what they answer."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from central.alerts.delivery import ALERT_ADDRESS_CHARACTERS
from central.alerts.models import AlertDestination, RepositoryAlert
from central.alerts.services.destinations import ALERT_TEST_SECONDS
from central.alerts.services.queue import send_alerts
from central.alerts.status import ALERT_ROWS
from central.repositories.models import IndexProblem, Repository
from central.tenancy.models import AuditEntry, Organization, Scope
from tests.central.alerts.receiver import Receiver
from tests.central.onboarding.world import acme
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

URL = "/api/v1/alerts"


def admin(organization: Organization | None = None, **limits: Any) -> Api:
    return api_of(organization or acme(), scopes=[Scope.ADMIN], **limits)


def put(api: Api, address: object, **members: object) -> Any:
    body = {"org_id": api.organization.slug, "address": address, **members}
    return api.request("PUT", URL, body)


def sent_test(api: Api) -> Any:
    return api.request("POST", f"{URL}/test", {"org_id": api.organization.slug})


def test_an_administrator_sets_tests_and_removes_the_receiver(receiver: Receiver) -> None:
    api = admin()
    assert api.request("GET", f"{URL}?org_id=acme").json() == {
        "org_id": "acme",
        "destination": None,
        "count": 0,
        "alerts": [],
    }
    made = put(api, receiver.address)
    assert made.status_code == 200
    host = receiver.address.split("/")[2]
    assert made.json()["destination"] == {
        "address": f"http://{host}/…",
        "state": "working",
        "error": None,
        "delivered_at": None,
    }
    assert sent_test(api).json() == {"delivered": True, "error": None}
    assert receiver.verified(0, made.json()["secret"])["type"] == "index.test"
    assert api.request("GET", URL).json()["destination"]["delivered_at"]
    assert api.request("DELETE", f"{URL}?org_id=acme").status_code == 204
    assert not AlertDestination.objects.exists()
    actions = AuditEntry.objects.order_by("pk").values_list("action", "target")
    assert list(actions) == [
        ("alerts.destination_set", f"http://{host}/…"),
        ("alerts.destination_removed", "alerts of acme"),
    ]


def test_what_is_wrong_is_listed(receiver: Receiver) -> None:
    api = admin()
    put(api, receiver.address)
    for number in range(ALERT_ROWS + 1):
        Repository.objects.create(
            organization=acme(),
            name=f"r{number}",
            tracked_ref="refs/heads/main",
            trouble=IndexProblem.FAILED,
            trouble_detail="The disk is full.",
        )
    receiver.statuses = [500]
    send_alerts()
    status = api.request("GET", URL).json()
    assert status["count"] == ALERT_ROWS + 1
    assert len(status["alerts"]) == ALERT_ROWS
    first = status["alerts"][0]
    assert (first["condition"], first["detail"]) == ("failed", "The disk is full.")
    assert first["reported_at"]
    assert status["destination"]["state"] == "retrying"
    assert status["destination"]["error"] == "The receiver answered HTTP 500."
    AlertDestination.objects.update(suspended_at=timezone.now())
    assert api.request("GET", URL).json()["destination"]["state"] == "suspended"


def test_the_secret_stays_until_another_is_asked_for(receiver: Receiver) -> None:
    api = admin()
    secrets = [
        put(api, receiver.address, new_secret=is_new).json()["secret"]
        for is_new in (False, False, True)
    ]
    assert secrets[0] == secrets[1] != secrets[2]
    other = admin(Organization.objects.create(slug="globex"))
    assert put(other, receiver.address).json()["secret"] not in secrets


def test_a_test_that_fails_says_why_and_is_not_repeated_at_once(receiver: Receiver) -> None:
    api = admin()
    assert_problem(sent_test(api), 404, "alert_destination_not_found")
    put(api, receiver.address)
    receiver.statuses = [404]
    assert sent_test(api).json() == {
        "delivered": False,
        "error": "The receiver answered HTTP 404.",
    }
    again = sent_test(api)
    assert_problem(again, 429, "throttled")
    assert again["Retry-After"] == str(ALERT_TEST_SECONDS)
    assert len(receiver.bodies) == 1


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("http://10.0.0.1/x", "alert_address_refused"),
        ("https://nobody.invalid/x", "alert_address_refused"),
        ("gopher://127.0.0.1", "alert_address_refused"),
        ("https://h/" + "a" * ALERT_ADDRESS_CHARACTERS, "invalid"),
        (5, "invalid"),
        (None, "invalid"),
    ],
)
def test_an_address_that_cannot_be_is_refused(address: object, code: str) -> None:
    assert_problem(put(admin(), address), 400, code)
    assert not AlertDestination.objects.exists()


def test_a_limited_token_may_not(receiver: Receiver) -> None:
    limited, searching = admin(repositories=["shop"]), api_of(acme(), scopes=[Scope.SEARCH])
    for api, code in ((limited, "whole_organization_required"), (searching, "insufficient_scope")):
        assert_problem(put(api, receiver.address), 403, code)
        assert_problem(sent_test(api), 403, code)
        for method in ("GET", "DELETE"):
            assert_problem(api.request(method, f"{URL}?org_id=acme"), 403, code)


def alerts(*arguments: str) -> str:
    out = StringIO()
    call_command("alerts", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_does_the_same(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    acme()
    assert alerts("acme") == "No receiver is set.\n"
    monkeypatch.setattr("sys.stdin", StringIO(f"{receiver.address}\n"))
    secret = alerts("acme", "--address", "-").strip()
    assert alerts("acme", "--test") == "The test was delivered.\n"
    assert receiver.verified(0, secret)["organization"] == "acme"
    Repository.objects.create(
        organization=acme(), name="shop", tracked_ref="refs/heads/main", trouble="failed"
    )
    send_alerts()
    state, shop = alerts("acme").splitlines()
    assert state.endswith("/… working")
    assert shop.startswith("shop failed since ")
    assert shop.endswith(" UTC (reported)")
    assert alerts("acme", "--address", receiver.address, "--new-secret").strip() != secret
    receiver.statuses = [500]
    AlertDestination.objects.update(tested_at=None)
    with pytest.raises(CommandError, match="HTTP 500"):
        alerts("acme", "--test")
    assert alerts("acme", "--remove") == "acme gets no more alerts.\n"
    assert not RepositoryAlert.objects.exists()


def test_an_operator_s_network_that_is_none_is_named(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    from django.core.exceptions import ImproperlyConfigured

    from central.settings import env

    monkeypatch.setenv("AETERNA_ALERT_NETWORKS", "10.0.0.0/8, inside")
    with pytest.raises(ImproperlyConfigured, match="AETERNA_ALERT_NETWORKS: 'inside'"):
        env.networks("AETERNA_ALERT_NETWORKS")
