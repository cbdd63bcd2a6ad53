"""Problems are reported once, and once more when they have ended; nothing is lost or repeated."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import ANY

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from central.alerts.messages import ALERT_DETAIL_CHARACTERS, ALERT_PROJECTS
from central.alerts.models import AlertDestination, Condition, RepositoryAlert
from central.alerts.services import queue
from central.alerts.services.destinations import send_test, set_destination
from central.alerts.services.detection import ALERT_WITHOUT_INDEX_HOURS, detect
from central.alerts.services.queue import (
    ALERT_ATTEMPTS,
    ALERT_INTERVAL_SECONDS,
    AlertClaim,
    send_alerts,
)
from central.alerts.signing import open_address, seal, signing_secret
from central.onboarding.models import WorkState
from central.repositories.expectations import note_no_index
from central.repositories.models import IndexedBy, IndexProblem, Repository
from central.tasks import send
from central.tenancy.models import Organization
from tests.central.alerts.receiver import Receiver
from tests.central.onboarding.world import acme, backfill_of, queued

pytestmark = pytest.mark.django_db


@pytest.fixture
def destination(receiver: Receiver) -> AlertDestination:
    return set_destination(organization=acme(), address=receiver.address, actor="test")


def repository(name: str = "shop", **members: Any) -> Repository:
    indexed = {"tracked_ref": "refs/heads/main", "generation": 1}
    return Repository.objects.create(organization=acme(), name=name, **indexed | members)


def failing(name: str = "shop", detail: str = "The disk is full.") -> Repository:
    return repository(name, trouble=IndexProblem.FAILED, trouble_detail=detail)


def mend(*repositories: Repository) -> None:
    keys = [one.pk for one in repositories]
    Repository.objects.filter(pk__in=keys).update(trouble="", trouble_detail="")


def go_on() -> None:
    """Let the pauses be over."""
    AlertDestination.objects.update(due_at=timezone.now(), lease_until=None)


def test_a_failure_and_its_end_are_reported_once_each(
    receiver: Receiver, destination: AlertDestination, settings: Settings
) -> None:
    settings.PUBLIC_URL = "https://code.example"
    shop = failing()
    repository("cart")
    for _ in range(3):
        send()
        go_on()
    (first,) = receiver.messages
    assert first == {
        "text": ANY,
        "type": "index.alert",
        "id": receiver.headers[0]["webhook-id"],
        "organization": "acme",
        "at": ANY,
        "failing_count": 1,
        "recovered_count": 0,
        "failing": [
            {
                "project": "shop",
                "condition": "failed",
                "since": ANY,
                "ended_at": None,
                "detail": "The disk is full.",
                "url": "https://code.example/o/acme/r/shop",
            }
        ],
        "recovered": [],
    }
    heading, line = first["text"].splitlines()
    assert heading == "*acme*: 1 repository with a problem"
    assert line.startswith("• <https://code.example/o/acme/r/shop|shop>: its last run failed, ")
    assert line.endswith(" UTC: The disk is full.")
    mend(shop)
    for _ in range(3):
        send()
        go_on()
    _, second = receiver.messages
    assert (second["failing"], second["recovered"][0]["project"]) == ([], "shop")
    assert second["recovered"][0]["ended_at"]
    assert second["text"].splitlines()[0] == "*acme*: 1 repository recovered"
    assert not RepositoryAlert.objects.exists()


def test_a_message_is_signed_as_standard_webhooks_say(
    receiver: Receiver, destination: AlertDestination
) -> None:
    failing()
    send_alerts()
    assert receiver.verified(0, signing_secret(destination))["type"] == "index.alert"


def test_after_a_change_of_the_secret_key_the_old_secret_still_verifies(
    receiver: Receiver, destination: AlertDestination, settings: Settings
) -> None:
    """And the address is encrypted under the new key, so that the old one can go."""
    failing()
    old, before = signing_secret(destination), settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new one", [before]
    new = signing_secret(destination)
    assert new != old
    send_alerts()
    for secret in (old, new):
        assert receiver.verified(0, secret)
    settings.SECRET_KEY_FALLBACKS = []
    go_on()
    failing("cart")
    send_alerts()
    assert receiver.verified(1, new)


def test_the_address_is_not_in_the_database(
    receiver: Receiver, destination: AlertDestination
) -> None:
    row = AlertDestination.objects.values().get()
    assert receiver.address not in str(row)
    assert "secret" not in row["sealed_address"]


def test_without_the_key_the_address_must_be_set_again(
    receiver: Receiver, destination: AlertDestination, settings: Settings
) -> None:
    settings.SECRET_KEY = "another"
    failing()
    send_alerts()
    assert not receiver.bodies
    row = AlertDestination.objects.get()
    assert row.suspended_at
    assert "SECRET_KEY" in row.error
    set_destination(organization=acme(), address=receiver.address, actor="test")
    send_alerts()
    assert [message["failing_count"] for message in receiver.messages] == [1]


def test_many_at_once_are_one_message(receiver: Receiver, destination: AlertDestination) -> None:
    made = [failing(f"r{number:02}") for number in range(ALERT_PROJECTS + 5)]
    send_alerts()
    mend(*made)
    go_on()
    send_alerts()
    began, ended = receiver.messages
    assert began["failing_count"] == ended["recovered_count"] == ALERT_PROJECTS + 5
    assert len(began["failing"]) == len(ended["recovered"]) == ALERT_PROJECTS
    assert (
        began["text"].splitlines()[0] == f"*acme*: {ALERT_PROJECTS + 5} repositories with a problem"
    )
    assert began["text"].splitlines()[-1] == "• and 5 more with a problem"
    assert ended["text"].splitlines()[-1] == "• and 5 more recovered"


def test_one_after_the_other_are_gathered(
    receiver: Receiver, destination: AlertDestination
) -> None:
    failing("a")
    send_alerts()
    row = AlertDestination.objects.get()
    assert row.due_at - row.delivered_at == timedelta(seconds=ALERT_INTERVAL_SECONDS)
    for name in ("b", "c"):
        failing(name)
        send_alerts()
    assert len(receiver.bodies) == 1
    go_on()
    send_alerts()
    assert [one["project"] for one in receiver.messages[1]["failing"]] == ["b", "c"]


def test_what_ends_before_it_is_reported_is_not_heard_of(
    receiver: Receiver, destination: AlertDestination
) -> None:
    AlertDestination.objects.update(due_at=timezone.now() + timedelta(minutes=5))
    shop = failing()
    send_alerts()
    mend(shop)
    send_alerts()
    go_on()
    send_alerts()
    assert not receiver.bodies
    assert not RepositoryAlert.objects.exists()


def test_what_comes_again_before_its_end_is_reported_is_the_same(
    receiver: Receiver, destination: AlertDestination
) -> None:
    shop = failing()
    send_alerts()
    mend(shop)
    detect(acme().pk)
    assert RepositoryAlert.objects.get().ended_at
    Repository.objects.update(trouble=IndexProblem.FAILED)
    go_on()
    send_alerts()
    assert len(receiver.bodies) == 1
    assert RepositoryAlert.objects.get().ended_at is None


def test_an_outdated_index_counts_after_the_time_of_a_push(
    receiver: Receiver, destination: AlertDestination, settings: Settings
) -> None:
    """A job that a newer push cancelled leaves it outdated for a moment."""
    repository(trouble=IndexProblem.BEHIND, trouble_detail="Commit abc is not indexed.")
    send_alerts()
    assert not receiver.bodies
    RepositoryAlert.objects.update(
        since=timezone.now() - timedelta(minutes=settings.BEHIND_MINUTES)
    )
    Repository.objects.update(trouble_detail="Commit def is not indexed.")
    send_alerts()
    (message,) = receiver.messages
    (found,) = message["failing"]
    assert (found["condition"], found["detail"]) == ("behind", "Commit def is not indexed.")


def test_a_clone_that_fails_is_reported(receiver: Receiver, destination: AlertDestination) -> None:
    shop = repository(indexed_by=IndexedBy.CENTRAL)
    cart = repository("cart")  # a workflow does it by now
    backfill = backfill_of(acme())
    for one in (shop, cart):
        queued(backfill, one.name, repository=one, state=WorkState.FAILED, error="fatal: gone")
    queued(backfill, "unknown", state=WorkState.FAILED)
    send_alerts()
    (message,) = receiver.messages
    assert [(one["project"], one["condition"]) for one in message["failing"]] == [
        ("shop", "not_cloned")
    ]
    assert "cannot clone and index it" in message["text"]


def test_one_that_waits_for_its_first_index_is_reported_after_a_day(
    receiver: Receiver, destination: AlertDestination
) -> None:
    waiting, young, dismissed, broken = (
        repository(name, generation=0) for name in ("shop", "young", "dismissed", "broken")
    )
    announced = timezone.now() - timedelta(hours=ALERT_WITHOUT_INDEX_HOURS)
    Repository.objects.exclude(pk=young.pk).update(created_at=announced)
    Repository.objects.filter(pk=dismissed.pk).update(not_expected_at=timezone.now())
    note_no_index(broken, error="fatal: gone")
    send_alerts()
    (message,) = receiver.messages
    assert {(one["project"], one["condition"]) for one in message["failing"]} == {
        ("shop", "unindexed"),
        ("broken", "not_cloned"),
    }
    assert "it has no index yet" in message["text"]
    go_on()
    Repository.objects.filter(pk=waiting.pk).update(generation=1)
    Repository.objects.filter(pk=broken.pk).update(not_expected_at=timezone.now())
    send_alerts()
    (recovered,) = receiver.messages[1]["recovered"]
    assert recovered["project"] == "shop"
    assert not RepositoryAlert.objects.exists()


@pytest.mark.parametrize("reported", [False, True])
def test_what_a_newer_version_has_noted_ends_in_this_one_by_its_name(
    receiver: Receiver, destination: AlertDestination, reported: bool
) -> None:
    now = timezone.now()
    RepositoryAlert.objects.create(
        organization=acme(),
        repository=repository(),
        condition="newer",
        since=now,
        reported_at=now if reported else None,
    )
    failing("bank")
    send_alerts()
    (message,) = receiver.messages
    assert [one["project"] for one in message["failing"]] == ["bank"]
    assert [one["condition"] for one in message["recovered"]] == ["newer"] * reported
    assert [one.condition for one in RepositoryAlert.objects.all()] == [Condition.FAILED]


def never_indexed() -> None:
    repository(generation=0)
    Repository.objects.update(created_at=timezone.now() - timedelta(days=2))


def never_cloned() -> None:
    shop = repository(indexed_by=IndexedBy.CENTRAL)
    queued(backfill_of(acme()), "shop", repository=shop, state=WorkState.FAILED, error="gone")


def outdated() -> None:
    repository(trouble=IndexProblem.BEHIND)


MADE = {
    Condition.FAILED: failing,
    Condition.BEHIND: outdated,
    Condition.NOT_CLONED: never_cloned,
    Condition.UNINDEXED: never_indexed,
}


@pytest.mark.parametrize("condition", Condition)
def test_an_organisation_with_one_problem_of_any_kind_is_told_of_it(
    receiver: Receiver, destination: AlertDestination, condition: Condition, settings: Settings
) -> None:
    settings.BEHIND_MINUTES = 0
    MADE[condition]()
    send_alerts()
    (message,) = receiver.messages
    assert [one["condition"] for one in message["failing"]] == [condition]


@pytest.mark.parametrize("change", [{"paused": True}, {"not_expected_at": timezone.now()}])
@pytest.mark.parametrize("trouble", ["", "failed"])
def test_for_what_is_not_reported_nobody_is_visited(
    destination: AlertDestination,
    change: dict[str, Any],
    trouble: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visited: list[int] = []
    monkeypatch.setattr(queue, "detect", visited.append)
    row = repository(generation=0, trouble=trouble)
    failed = repository("cart", generation=0, indexed_by=IndexedBy.CENTRAL)
    queued(backfill_of(acme()), "cart", repository=failed, state=WorkState.FAILED, error="gone")
    Repository.objects.update(created_at=timezone.now() - timedelta(days=2), **change)
    send_alerts()
    assert visited == []
    Repository.objects.filter(pk=row.pk).update(paused=False, not_expected_at=None)
    send_alerts()
    assert visited == [acme().pk]


@pytest.mark.parametrize(
    "change", [{"paused": True}, {"retired_at": datetime(2026, 1, 1, tzinfo=UTC)}]
)
def test_what_is_paused_or_gone_has_not_recovered(
    receiver: Receiver, destination: AlertDestination, change: dict[str, Any]
) -> None:
    failing()
    send_alerts()
    Repository.objects.update(**change)
    go_on()
    send_alerts()
    assert len(receiver.bodies) == 1
    assert not RepositoryAlert.objects.exists()


def test_an_error_cannot_call_a_channel(receiver: Receiver, destination: AlertDestination) -> None:
    failing(detail="<!channel> a & b\n" + "x" * 500)
    send_alerts()
    (message,) = receiver.messages
    assert "<!channel>" not in message["text"]
    assert "&lt;!channel&gt; a &amp; b x" in message["text"]
    assert len(message["failing"][0]["detail"]) == ALERT_DETAIL_CHARACTERS


def test_a_failed_attempt_is_repeated_with_the_same_id_and_body(
    receiver: Receiver, destination: AlertDestination
) -> None:
    receiver.statuses = [500, 429]
    failing()
    before = timezone.now()
    send_alerts()
    row = AlertDestination.objects.get()
    assert (row.attempts, row.error) == (1, "The receiver answered HTTP 500.")
    assert row.due_at >= before + timedelta(seconds=AlertClaim.pause_seconds(1))
    AlertDestination.objects.update(due_at=timezone.now() + timedelta(hours=1))
    send_alerts()
    assert len(receiver.bodies) == 1  # not before
    failing("cart")  # waits for its own message
    for _ in range(2):
        go_on()
        send_alerts()
    assert len(receiver.bodies) == 3
    assert len(set(receiver.bodies)) == 1
    assert len({headers["webhook-id"] for headers in receiver.headers}) == 1
    go_on()
    send_alerts()
    assert receiver.messages[3]["failing"][0]["project"] == "cart"
    assert AlertDestination.objects.get().error == ""


def test_after_the_last_attempt_it_waits_for_a_test(
    receiver: Receiver, destination: AlertDestination
) -> None:
    receiver.statuses = [500] * (ALERT_ATTEMPTS + 1)
    failing()
    for _ in range(ALERT_ATTEMPTS + 3):
        send_alerts()
        go_on()
    assert len(receiver.bodies) == ALERT_ATTEMPTS
    row = AlertDestination.objects.get()
    assert row.suspended_at
    assert send_test(organization=acme())  # still broken
    assert AlertDestination.objects.get().suspended_at
    AlertDestination.objects.update(tested_at=None)
    assert send_test(organization=acme()) is None
    send_alerts()
    assert receiver.bodies[-1] == receiver.bodies[0]
    assert AlertDestination.objects.get().message_id is None


def test_a_receiver_that_is_gone_is_suspended_at_once(
    receiver: Receiver, destination: AlertDestination
) -> None:
    receiver.statuses = [410]
    failing()
    send_alerts()
    assert AlertDestination.objects.get().suspended_at
    go_on()
    send_alerts()
    assert len(receiver.bodies) == 1


def test_a_crash_after_the_post_repeats_it_with_its_id(
    receiver: Receiver, destination: AlertDestination, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing()
    with monkeypatch.context() as patched:
        patched.setattr(AlertClaim, "finish", _crash)
        send_alerts()
    send_alerts()
    assert len(receiver.bodies) == 1  # the lease
    go_on()
    send_alerts()
    go_on()
    send_alerts()
    assert len(receiver.bodies) == 2
    assert receiver.headers[0]["webhook-id"] == receiver.headers[1]["webhook-id"]


def test_a_crash_before_the_commit_leaves_all_as_it_was(
    receiver: Receiver, destination: AlertDestination
) -> None:
    failing()
    with transaction.atomic():
        detect(acme().pk)
        assert AlertDestination.objects.get().message_id
        transaction.set_rollback(True)
    assert not RepositoryAlert.objects.exists()
    send_alerts()
    assert len(receiver.bodies) == 1


def _crash(*_: object, **__: object) -> None:
    raise ZeroDivisionError


def test_a_late_end_does_not_end_another_s_attempt(
    receiver: Receiver, destination: AlertDestination, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease ran out while it waited, and the address was changed."""
    failing()
    real = queue.post

    def post_slowly(*arguments: Any, **named: Any) -> Any:
        answered = real(*arguments, **named)
        AlertDestination.objects.update(claim=uuid.uuid4(), attempts=5)
        return answered

    monkeypatch.setattr(queue, "post", post_slowly)
    send_alerts()
    row = AlertDestination.objects.get()
    assert (row.attempts, row.message_id is None) == (5, False)


def test_one_organisation_s_receiver_holds_up_no_other(
    receiver: Receiver, destination: AlertDestination, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Organization.objects.create(slug="globex")
    AlertDestination.objects.create(
        organization=other,
        sealed_address=seal("http://127.0.0.1:9/"),
        due_at=timezone.now() - timedelta(hours=1),
        message_id=uuid.uuid4(),
        message={"text": "earlier"},
    )
    failing()
    assert send_alerts() == 1
    assert len(receiver.bodies) == 1
    assert "could not be reached" in AlertDestination.objects.get(organization=other).error


def test_an_organisation_without_a_problem_costs_nothing(
    receiver: Receiver, destination: AlertDestination, monkeypatch: pytest.MonkeyPatch
) -> None:
    visited: list[int] = []
    monkeypatch.setattr(queue, "detect", visited.append)
    shop = repository()
    send_alerts()
    assert visited == []
    Repository.objects.update(trouble=IndexProblem.FAILED)
    send_alerts()
    mend(shop)
    send_alerts()
    assert visited == [acme().pk]
    RepositoryAlert.objects.create(
        organization=acme(), repository=shop, condition="failed", since=timezone.now()
    )
    send_alerts()
    assert visited == [acme().pk] * 2


def test_an_idle_organisation_s_address_is_encrypted_anew(
    receiver: Receiver, destination: AlertDestination, settings: Settings
) -> None:
    before = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new one", [before]
    send_alerts()
    settings.SECRET_KEY_FALLBACKS = []
    assert open_address(AlertDestination.objects.get()) == receiver.address


def test_a_new_address_is_told_of_what_is_wrong_and_an_old_one_no_more(
    receiver: Receiver, destination: AlertDestination
) -> None:
    failing()
    send_alerts()
    set_destination(organization=acme(), address=receiver.address, actor="test")
    send_alerts()
    assert len(receiver.bodies) == 1
    set_destination(organization=acme(), address=f"{receiver.address}2", actor="test")
    send_alerts()
    assert [message["failing_count"] for message in receiver.messages] == [1, 1]
    assert len({message["id"] for message in receiver.messages}) == 2


def test_a_retired_organisation_is_silent(
    receiver: Receiver, destination: AlertDestination
) -> None:
    failing()
    Organization.objects.update(retired_at=timezone.now())
    send_alerts()
    assert not receiver.bodies
