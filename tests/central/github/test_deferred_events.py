"""GitHub is answered while an apply holds a repository; what had to wait is done after it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction
from pytest_django import Settings

from central.github.models import GitHubDelivery
from central.github.services import deferred_events
from central.github.services.deferred_events import apply_deferred
from central.ingest.services.claims import sweep
from central.repositories.models import Push, Repository
from central.tenancy.models import Organization
from tests.central.factories import RepositoryFactory
from tests.central.github import payloads
from tests.central.github.payloads import APP_SECRET, GitHub

pytestmark = pytest.mark.django_db(transaction=True)

GITHUB_WAITS_SECONDS = 10
WAITING = "waiting: the index of the repository is being written"
BEHIND_ANOTHER = "waiting: so is a delivery that came before it"
WEB_ID = 9


LOCK_TIMEOUT = deferred_events._LOCK_TIMEOUT


@pytest.fixture(autouse=True)
def impatience(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.GITHUB_WEBHOOK_SECRET = APP_SECRET
    monkeypatch.setattr(deferred_events, "_LOCK_TIMEOUT", "50ms")


@pytest.fixture
def github() -> GitHub:
    return GitHub()


@pytest.fixture
def web(acme: Organization) -> Repository:
    return RepositoryFactory.create(organization=acme, name="web", forge_key=WEB_ID)


@contextmanager
def being_written(repository: Repository) -> Iterator[None]:
    """Another connection is in the last transaction of an apply."""
    with ThreadPoolExecutor(1) as thread:

        def begin() -> None:
            transaction.set_autocommit(False)
            Repository.objects.filter(pk=repository.pk).update(generation=1)

        def end() -> None:
            transaction.commit()
            connection.close()

        thread.submit(begin).result()
        try:
            yield
        finally:
            thread.submit(end).result()


def now(repository: Repository) -> Repository:
    return Repository.objects.get(pk=repository.pk)


def of_web(action: str, **members: Any) -> dict[str, Any]:
    told = payloads.repository("web", id=WEB_ID) | members
    return payloads.on_repository(action, repository=told)


Change = tuple[str, dict[str, Any], str, Callable[[Repository], bool]]
CHANGES: list[Change] = [
    ("repository", payloads.renamed("store"), "renamed", lambda row: row.name == "store"),
    (
        "repository",
        payloads.on_repository("deleted"),
        "retired: deleted",
        lambda row: row.retired_at is not None,
    ),
    (
        "repository",
        payloads.visibility("publicized", "public"),
        "visibility: public",
        lambda row: row.visibility == "public",
    ),
    (
        "repository",
        payloads.default_branch("main", "trunk"),
        "tracked branch changed",
        lambda row: row.tracked_ref == "refs/heads/trunk",
    ),
    (
        "installation",
        payloads.installation(
            "created",
            repositories=[payloads.listed("shop", payloads.REPOSITORY_ID, private=False)],
        ),
        "no policy to note the installation in, 1 known repositories",
        lambda row: row.visibility == "public",
    ),
]


@pytest.mark.parametrize(("event", "payload", "outcome", "is_done"), CHANGES)
def test_a_change_waits_for_the_apply_and_github_does_not(
    shop: Repository,
    github: GitHub,
    event: str,
    payload: dict[str, Any],
    outcome: str,
    is_done: Callable[[Repository], bool],
) -> None:
    with being_written(shop):
        assert github.told(event, payload) == WAITING
        assert apply_deferred() == 0
        assert not is_done(now(shop))
    assert apply_deferred() == 1
    assert is_done(now(shop))
    delivery = GitHubDelivery.objects.get()
    assert (delivery.outcome, delivery.waiting) == (outcome, None)
    assert apply_deferred() == 0


def test_github_is_answered_in_half_the_time_that_it_waits(
    shop: Repository, github: GitHub, django_assert_max_num_queries: Any
) -> None:
    with being_written(shop), django_assert_max_num_queries(100) as captured:
        assert github.told("repository", payloads.renamed("store")) == WAITING
    waits = sum("lock_timeout" in (query["sql"] or "") for query in captured.captured_queries)
    seconds = int(LOCK_TIMEOUT.removesuffix("s"))
    assert 0 < waits * seconds < GITHUB_WAITS_SECONDS / 2


@pytest.mark.parametrize(("event", "payload", "outcome", "is_done"), CHANGES)
def test_a_change_that_comes_after_the_apply_is_done_at_once(
    shop: Repository,
    github: GitHub,
    event: str,
    payload: dict[str, Any],
    outcome: str,
    is_done: Callable[[Repository], bool],
) -> None:
    with being_written(shop):
        pass
    assert github.told(event, payload) == outcome
    assert is_done(now(shop))
    assert apply_deferred() == 0


def test_what_comes_later_waits_for_its_turn_and_pushes_do_not(
    shop: Repository, web: Repository, github: GitHub
) -> None:
    with being_written(shop):
        assert github.told("repository", payloads.renamed("store")) == WAITING
        push = payloads.push(repository=payloads.repository("web", id=WEB_ID, pushed_at=1557933657))
        assert github.told("push", push) == "push noted"
        assert github.told("ping", payloads.ping()) == "pong"
        assert github.told("repository", of_web("deleted")) == BEHIND_ANOTHER
    assert github.told("repository", payloads.renamed("market")) == BEHIND_ANOTHER
    assert Push.objects.get().repository == web
    assert now(web).retired_at is None
    assert apply_deferred() == 3
    assert now(web).retired_at
    assert now(shop).name == "market"
    assert list(GitHubDelivery.objects.order_by("pk").values_list("outcome", flat=True)) == [
        "renamed",
        "push noted",
        "pong",
        "retired: deleted",
        "renamed",
    ]


def test_another_organisation_waits_for_nobody(shop: Repository, github: GitHub) -> None:
    globex = Organization.objects.create(slug="globex", github_owner_id=5)
    theirs = RepositoryFactory.create(organization=globex, forge_key=WEB_ID)
    with being_written(shop):
        assert github.told("repository", payloads.on_repository("deleted")) == WAITING
        deleted = of_web("deleted", owner=payloads.owner(5))
        assert github.told("repository", deleted) == "retired: deleted"
        assert now(theirs).retired_at


def test_an_open_of_the_organisation_does_not_wait_for_what_waits(
    shop: Repository, acme: Organization, github: GitHub
) -> None:
    with being_written(shop):
        github.told("repository", payloads.on_repository("deleted"))
        with transaction.atomic():
            assert Organization.objects.select_for_update(nowait=True).get() == acme


def test_who_holds_the_organisation_is_not_waited_for_either(
    acme: Organization, shop: Repository, github: GitHub
) -> None:
    with ThreadPoolExecutor(1) as thread, transaction.atomic():
        Organization.objects.select_for_update(no_key=True).get()

        def tell() -> str:
            try:
                return github.told("repository", payloads.on_repository("deleted"))
            finally:
                connection.close()

        assert thread.submit(tell).result(GITHUB_WAITS_SECONDS) == WAITING
    assert apply_deferred() == 1
    assert now(shop).retired_at


def test_the_same_delivery_again_while_it_waits_is_stored_once(
    shop: Repository, github: GitHub
) -> None:
    once = {"X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}
    with being_written(shop):
        for _ in range(2):
            assert github.told("repository", payloads.renamed("store"), **once) == WAITING
    sweep()
    assert github.told("repository", payloads.renamed("store"), **once) == "renamed"


def test_of_two_who_sweep_at_once_each_delivery_is_carried_out_by_one_and_in_order(
    shop: Repository, github: GitHub
) -> None:
    names = [f"store-{number}" for number in range(20)]
    with being_written(shop):
        for name in names:
            github.told("repository", payloads.renamed(name))
    barrier = Barrier(2)

    def carry_out() -> int:
        barrier.wait(30)
        try:
            return apply_deferred()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        counts = [threads.submit(carry_out) for _ in range(2)]
        assert sum(count.result() for count in counts) == len(names)
    assert now(shop).name == names[-1]


def test_what_cannot_be_carried_out_holds_up_nothing(
    acme: Organization, shop: Repository, github: GitHub
) -> None:
    """As after a return to an older version, which does not know the kind."""
    unknown = GitHubDelivery.objects.create(
        organization=acme, delivery_id="1", event="repository", waiting={"kind": "Starred"}
    )
    assert github.told("repository", payloads.on_repository("deleted")) == BEHIND_ANOTHER
    assert apply_deferred() == 2
    unknown.refresh_from_db()
    assert (unknown.outcome, unknown.waiting) == ("failed; the service's log has the reason", None)
    assert now(shop).retired_at
