"""Lists of an owner's repositories, read over HTTP and put into the queue."""

from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from pytest_django import Settings

from central.onboarding.models import Backfill, BackfillRepository, ListState, WorkState
from central.onboarding.services import listing
from central.onboarding.services.listing import list_next
from central.onboarding.services.requests import cancel_backfill
from central.repositories.expectations import without_index
from central.repositories.models import Repository
from indexer.forge.repositories import ForgeRepository
from indexer.forge.selection import Selection
from tests.central.onboarding.world import acme, backfill_of, queued, use
from tests.local_forge import OWNER_ID, LocalForge

pytestmark = pytest.mark.django_db


def listed(selection: Selection | None = None) -> Backfill:
    backfill = backfill_of(acme(), ListState.LISTING)
    backfill.selection = asdict(selection or Selection())
    backfill.save()
    assert list_next()
    backfill.refresh_from_db()
    return backfill


@pytest.mark.parametrize("app", [False, True])
def test_the_owner_s_repositories_are_queued(
    settings: Settings, forge: LocalForge, app: bool
) -> None:
    use(settings, forge, app=app)
    forge.page_size = 2
    ids = {forge.add(name).id for name in ("a", "b", "c")}
    forge.add("old", archived=True)
    forge.add("copy", fork=True)
    forge.add("theirs", owner="globex", owner_id=5)
    backfill = listed()
    assert backfill.state == ListState.LISTED
    assert backfill.left_out == {"archived": 1, "a fork": 1}
    queued = BackfillRepository.objects.filter(backfill=backfill, state=WorkState.QUEUED)
    assert set(queued.values_list("forge_key", flat=True)) == ids
    assert not list_next()


def test_what_is_chosen_is_expected_from_the_start(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge)
    forge.add("shop", visibility="public")
    forge.add("till", visibility="internal")
    forge.add("old", archived=True)
    backfill = listed()
    rows = Repository.objects.order_by("name")
    assert [(one.name, one.visibility, one.expected_by) for one in rows] == [
        ("shop", "public", "backfill"),
        ("till", "internal", "backfill"),
    ]
    assert {one.tracked_ref for one in rows} == {"refs/heads/main"}
    linked = BackfillRepository.objects.order_by("name").values_list("repository", flat=True)
    assert list(linked) == [one.pk for one in rows]
    cancel_backfill(backfill, actor="test")
    assert not without_index(Repository.objects.all()).exists()
    listed()
    assert without_index(Repository.objects.all()).count() == 2


def test_clones_that_failed_before_the_upgrade_are_announced_by_it() -> None:
    backfill = backfill_of(acme())
    queued(backfill, "till", forge_key=7, state=WorkState.FAILED, error="fatal: gone")
    queued(backfill, "shop", forge_key=8, state=WorkState.FAILED)
    queued(backfill, "done", state=WorkState.DONE)
    Repository.objects.create(organization=acme(), name="shop", generation=1)
    then = MigrationLoader(connection).project_state([("onboarding", "0003_announced")]).apps
    import_module("central.onboarding.migrations.0003_announced").announce(then, None)
    (announced,) = without_index(Repository.objects.all())
    assert (announced.name, announced.forge_key, announced.visibility) == ("till", 7, "private")
    assert (announced.trouble, announced.trouble_detail) == ("not_cloned", "fatal: gone")
    assert BackfillRepository.objects.get(name="till").repository == announced
    assert BackfillRepository.objects.get(name="shop").repository is None


def test_filters_choose(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge)
    forge.add("shop-api", topics=["backend"])
    forge.add("shop-web")
    forge.add("cart", topics=["backend"])
    listed(Selection(include=("shop-*",), topics=("backend",)))
    assert BackfillRepository.objects.get().name == "shop-api"


def test_the_same_request_again_adds_no_repository_twice(
    settings: Settings, forge: LocalForge
) -> None:
    use(settings, forge)
    forge.add("shop")
    forge.add("broken")
    listed()
    BackfillRepository.objects.filter(name="broken").update(
        state=WorkState.FAILED, attempts=5, error="no"
    )
    BackfillRepository.objects.filter(name="shop").update(
        state=WorkState.RUNNING, claimed_at=timezone.now()
    )
    forge.add("young")
    again = listed()
    rows = BackfillRepository.objects.filter(backfill=again).order_by("name")
    assert [(row.name, row.state, row.attempts) for row in rows] == [
        ("broken", WorkState.QUEUED, 0),
        ("shop", WorkState.RUNNING, 0),
        ("young", WorkState.QUEUED, 0),
    ]


def test_another_owner_of_the_same_name_is_refused(settings: Settings, forge: LocalForge) -> None:
    """A name can be given to another owner: the id is what counts."""
    use(settings, forge)
    forge.add("shop")
    acme()
    backfill = backfill_of(acme(), ListState.LISTING)
    Backfill.objects.update(owner_id=OWNER_ID + 1)
    assert list_next()
    backfill.refresh_from_db()
    assert backfill.state == ListState.FAILED
    assert "another owner" in backfill.error
    assert not BackfillRepository.objects.exists()


def test_a_backfill_that_is_cancelled_while_it_is_listed_stays_cancelled(
    settings: Settings, forge: LocalForge, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(settings, forge)
    forge.add("shop")
    read = listing.owners_repositories

    def cancelled_meanwhile(*arguments: Any) -> Iterator[ForgeRepository]:
        cancel_backfill(Backfill.objects.get(), actor="test")
        return read(*arguments)

    monkeypatch.setattr(listing, "owners_repositories", cancelled_meanwhile)
    assert listed().state == ListState.CANCELLED
    assert not BackfillRepository.objects.exists()


def test_an_app_that_is_not_installed_is_named(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge, app=True)
    backfill = backfill_of(acme(), ListState.LISTING)
    Backfill.objects.update(owner="globex")
    list_next()
    backfill.refresh_from_db()
    assert "The GitHub App is not installed for globex" in backfill.error


def test_a_wrong_private_key_is_named(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge, app_id="1", app_private_key="no key")
    assert "no private key" in listed().error


def test_an_unavailable_forge_is_asked_again_later(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge)
    forge.add("shop")
    forge.is_away = True
    backfill = listed()
    assert (backfill.state, backfill.attempts) == (ListState.LISTING, 1)
    assert "HTTP 503" in backfill.error
    assert not list_next()  # not yet
    forge.is_away = False
    Backfill.objects.update(lease_until=timezone.now())
    assert list_next()
    backfill.refresh_from_db()
    assert (backfill.state, backfill.error) == (ListState.LISTED, "")


def test_a_reached_limit_of_the_forge_is_no_failed_attempt(
    settings: Settings, forge: LocalForge
) -> None:
    use(settings, forge)
    forge.add("shop")
    forge.limited = 1
    backfill = listed()
    assert (backfill.state, backfill.attempts) == (ListState.LISTING, 0)
