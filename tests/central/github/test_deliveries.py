"""The same delivery, sent twice at once, is carried out once; nobody waits for an apply."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from central.github.models import GitHubDelivery
from central.github.services import deferred_events, deliveries
from central.github.services.deliveries import deliver
from central.repositories.models import Push, Repository
from central.tenancy.models import Organization
from tests.central.github import payloads

pytestmark = pytest.mark.django_db(transaction=True)

TOGETHER = 4
WAIT_SECONDS = 20


@contextmanager
def elsewhere() -> Iterator[ThreadPoolExecutor]:
    """Threads, each with a connection of its own, closed in the end."""
    with ThreadPoolExecutor(TOGETHER) as threads:
        yield threads
        barrier = Barrier(TOGETHER)

        def close() -> None:
            barrier.wait(WAIT_SECONDS)
            connection.close()

        for done in [threads.submit(close) for _ in range(TOGETHER)]:
            done.result()


def send(event: str = "repository", payload: object = None) -> str:
    return deliver(
        organization=None,
        delivery_id="72d3162e-cc78-11e3-81ab-4c9367dc0958",
        event=event,
        payload=payload or payloads.on_repository("deleted"),  # type: ignore[arg-type]
    )


def test_of_the_same_delivery_at_once_one_is_carried_out_and_all_are_told_its_outcome(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    barrier = Barrier(TOGETHER)
    real = deliveries.read_event

    def read_together(*arguments: object) -> object:
        barrier.wait(WAIT_SECONDS)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(deliveries, "read_event", read_together)
    with elsewhere() as threads:
        outcomes = [threads.submit(send) for _ in range(TOGETHER)]
        assert {outcome.result() for outcome in outcomes} == {"retired: deleted"}
    shop.refresh_from_db()
    assert shop.generation == 1
    assert GitHubDelivery.objects.count() == 1


def test_a_push_is_noted_while_an_apply_holds_the_repository(shop: Repository) -> None:
    with elsewhere() as threads, transaction.atomic():
        Repository.objects.filter(pk=shop.pk).update(generation=1)
        Organization.objects.select_for_update(no_key=True).get()
        outcome = threads.submit(send, "push", payloads.push())
        assert outcome.result(WAIT_SECONDS) == "push noted"
    assert Push.objects.get().repository == shop


def test_an_installation_that_tells_nothing_new_waits_for_no_apply(shop: Repository) -> None:
    payload = payloads.installation(
        "created", repositories=[payloads.listed("shop", payloads.REPOSITORY_ID)]
    )
    with elsewhere() as threads, transaction.atomic():
        Repository.objects.filter(pk=shop.pk).update(generation=1)
        outcome = threads.submit(send, "installation", payload)
        assert (
            outcome.result(WAIT_SECONDS)
            == "no policy to note the installation in, 1 known repositories"
        )


def test_an_installation_locks_the_organisation_before_its_policy(shop: Repository) -> None:
    """As who sets the policy does; in the other order each could wait for the other."""
    with CaptureQueriesContext(connection) as seen:
        send("installation", payloads.installation("created"))
    statements = [query["sql"] for query in seen]
    (locked,) = (at for at, sql in enumerate(statements) if "FOR NO KEY UPDATE" in sql)
    (noted,) = (
        at
        for at, sql in enumerate(statements)
        if sql.startswith("UPDATE") and "_githubpolicy" in sql
    )
    assert locked < noted


def test_what_fails_is_not_remembered_and_can_be_sent_again(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**arguments: object) -> str:
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(deferred_events, "apply_event", fail)
        with pytest.raises(ConnectionError):
            send()
    assert not GitHubDelivery.objects.exists()
    assert send() == "retired: deleted"


def test_a_large_installation_costs_no_query_for_what_is_not_known(shop: Repository) -> None:
    def queries(count: int) -> int:
        GitHubDelivery.objects.all().delete()
        listed = [payloads.listed(f"unknown-{number}", number) for number in range(1, count)]
        with CaptureQueriesContext(connection) as seen:
            send("installation", payloads.installation("created", repositories=listed))
        return len(seen)

    assert queries(2) == queries(1000)
    assert Repository.objects.count() == 1
