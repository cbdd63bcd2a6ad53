"""Watched searches: what is new since the generation before, with their owners' rights."""

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from central.alerts.models import AlertDestination
from central.alerts.services.destinations import set_destination
from central.alerts.services.queue import send_alerts
from central.corpus.models import File
from central.corpus.replace import Replacement
from central.maintenance.repository_deletion import purge_repository
from central.repositories.models import Repository, Visibility
from central.saved_searches.models import SavedSearch, WatchedFile, WatchedRepository
from central.saved_searches.services import watching
from central.saved_searches.services.saved import change_search, save_search
from central.saved_searches.services.watching import look_at_watched
from central.tenancy.credentials import credential_of_member
from central.tenancy.models import Membership
from tests.central.alerts.receiver import Receiver
from tests.central.factories import MembershipFactory, UserFactory
from tests.central.search.corpus import apply_files, index_repository, organization_of

pytestmark = pytest.mark.django_db

ONE = "def f():\n    to_do(1)\n"
FILES = {"a.py": ONE, "b.py": "def g():\n    pass\n"}


@pytest.fixture
def ada() -> User:
    user = UserFactory.create(username="ada")
    MembershipFactory.create(user=user, organization=organization_of("acme"))
    return user


@pytest.fixture
def shop() -> Repository:
    return index_repository(organization_of("acme"), "shop", FILES)


def watch(user: User, query: str = '"to_do("', name: str = "To do", **more: Any) -> SavedSearch:
    return save_search(
        credential=credential_of_member(user=user, slug="acme"),
        user=user,
        name=name,
        request={"query": query, **more},
        is_watched=True,
    )


def look() -> dict[str, int]:
    """Look at everything; what is found and not yet reported, by name."""
    look_at_watched(organization_of("acme").pk, until=time.monotonic() + 60)
    return dict(SavedSearch.objects.values_list("name", "found"))


def change(repository: Repository, files: dict[str, str], *removed: str) -> None:
    """Apply another generation."""
    with transaction.atomic():
        Replacement(repository.pk).remove_files([*files, *removed])
        apply_files(
            repository, files, commit=f"{Repository.objects.get(pk=repository.pk).generation:040}"
        )


def test_what_is_there_when_the_watch_begins_is_not_new(ada: User, shop: Repository) -> None:
    watch(ada)
    assert look() == {"To do": 0}
    change(shop, {"b.py": "def g():\n    pass\n# Changed.\n"})
    assert look() == {"To do": 0}


def test_a_line_more_is_counted_once(ada: User, shop: Repository) -> None:
    watch(ada)
    look()
    change(shop, {"b.py": "def g():\n    to_do(2)\n    to_do(2)\n"})
    assert look() == look() == {"To do": 2}


def test_lines_that_moved_or_went_are_not_new(ada: User, shop: Repository) -> None:
    watch(ada)
    look()
    change(shop, {"a.py": f"# A line before.\n\n{ONE}"})
    assert look() == {"To do": 0}
    change(shop, {"a.py": "def f():\n    pass\n"})
    assert look() == {"To do": 0}
    assert not WatchedFile.objects.exists()
    change(shop, {"a.py": ONE})
    assert look() == {"To do": 1}, "it was gone, and is there again"


def test_a_removed_file_is_forgotten(ada: User, shop: Repository) -> None:
    watch(ada)
    look()
    change(shop, {}, "a.py")
    look()
    assert not WatchedFile.objects.exists()


@pytest.mark.parametrize(
    ("request_", "content", "count"),
    [
        ({"query": "lang:python to_do($A)", "mode": "structural"}, "to_do(2)\nx = 'to_do(3)'\n", 1),
        ({"query": r"/to_do\(\d/"}, "to_do(2)\nto_do(x)\n", 1),
        ({"query": "file:b.py lang:python"}, "x = 1\n", 0),
        ({"query": "sym:found_here"}, "def found_here():\n    pass\n", 1),
    ],
)
def test_every_kind_of_search_without_rank_is_watched(
    ada: User, shop: Repository, request_: dict[str, str], content: str, count: int
) -> None:
    watch(ada, **request_)
    look()
    change(shop, {"b.py": content})
    assert look() == {"To do": count}


def test_of_filters_alone_a_file_is_what_is_new(ada: User, shop: Repository) -> None:
    watch(ada, "lang:python file:new")
    look()
    change(shop, {"new/c.py": "x = 1\n", "new/d.py": "", "e.py": "x = 1\n"})
    assert look() == {"To do": 2}


def test_a_new_repository_has_no_generation_before(ada: User, shop: Repository) -> None:
    watch(ada)
    look()
    index_repository(organization_of("acme"), "site", {"x.py": ONE})
    assert look() == {"To do": 0}


def test_only_changed_files_are_read(
    ada: User, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(ada)
    look()
    read = []
    seen = watching._digests

    def noted(hit: Any, **options: Any) -> bytes:
        read.append(hit.file.path)
        return seen(hit, **options)

    monkeypatch.setattr(watching, "_digests", noted)
    change(shop, {"b.py": "to_do(2)\n"})
    look()
    assert read == ["b.py"]


def test_it_looks_with_the_rights_that_the_owner_has_then(ada: User, shop: Repository) -> None:
    watch(ada)
    look()
    Repository.objects.update(visibility=Visibility.PRIVATE)
    Membership.objects.update(visibilities=[Visibility.PUBLIC])
    change(shop, {"b.py": "to_do(2)\n"})
    assert look() == {"To do": 0}
    Membership.objects.all().delete()
    assert look() == {"To do": 0}
    assert SavedSearch.objects.get().problem == "Its owner is no longer a member."
    MembershipFactory.create(user=ada, organization=organization_of("acme"))
    assert look() == {"To do": 1}
    assert not SavedSearch.objects.get().problem


def test_a_look_that_is_repeated_after_a_crash_counts_once(
    ada: User, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = watch(ada)
    look()
    change(shop, {"b.py": "to_do(2)\n"})
    with monkeypatch.context() as patch:
        patch.setattr(watching, "_note", crash)
        patch.setattr(SavedSearch.objects, "filter", crash_after(SavedSearch.objects.filter))
        with pytest.raises(SystemExit):
            look_at_watched(search.organization_id, until=time.monotonic() + 60)
    assert look() == {"To do": 1}


def crash(*_: Any, **__: Any) -> None:
    raise SystemExit


def crash_after(filtered: Any) -> Any:
    """The second query of searches, which notes what was counted, does not come back."""
    calls = []

    def once(*args: Any, **options: Any) -> Any:
        calls.append(options)
        if len(calls) > 1:
            raise SystemExit
        return filtered(*args, **options)

    return once


def test_another_process_that_has_looked_meanwhile_is_not_counted_twice(
    ada: User, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = watch(ada)
    look()
    change(shop, {"b.py": "to_do(2)\n"})
    write = watching._write

    def twice(search: SavedSearch, look: Any) -> None:
        write(search, look)
        write(search, look)

    monkeypatch.setattr(watching, "_write", twice)
    look_at_watched(search.organization_id, until=time.monotonic() + 60)
    assert SavedSearch.objects.get().found == 1


def test_what_finds_too_much_is_not_counted_and_says_so(
    ada: User, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "WATCH_LINES", 3)
    watch(ada)
    look()
    change(shop, {"b.py": "to_do(2)\n" * 5})
    assert look() == {"To do": 0}
    assert "too many lines in shop" in SavedSearch.objects.get().problem
    change(shop, {"b.py": "to_do(2)\n"})
    look()
    assert not SavedSearch.objects.get().problem
    change(shop, {"b.py": "to_do(2)\nto_do(3)\n"})
    assert look() == {"To do": 1}


def test_all_reasons_why_not_all_was_looked_at_are_named(
    ada: User, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(shop, {"CODEOWNERS": "* @ann\n"})
    File.objects.filter(path="CODEOWNERS").update(skipped="too_large")
    monkeypatch.setattr(watching, "WATCH_SECONDS", 0)
    watch(ada, '"to_do(" OR owner:ann')
    look()
    problem = SavedSearch.objects.get().problem
    assert problem == "Not all of shop was looked at (owners_unread, timeout)."


def test_a_change_elsewhere_does_not_hide_that_a_repository_is_not_counted(
    ada: User, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "WATCH_LINES", 1)
    index_repository(organization_of("acme"), "large", {"x.py": "to_do(1)\nto_do(2)\n"})
    watch(ada)
    look()
    change(shop, {"b.py": "pass\n"})
    assert look() == {"To do": 0}
    assert "too many lines in large" in SavedSearch.objects.get().problem
    Membership.objects.update(repositories=["shop"])
    change(shop, {"b.py": "x = 1\n"})
    look()
    assert not SavedSearch.objects.get().problem, "it names what the owner no longer sees"


def test_without_a_watch_nothing_is_kept(ada: User, shop: Repository) -> None:
    search = watch(ada)
    look()
    change_search(search=search, user=ada, name="To do", is_shared=False, is_watched=False)
    assert not WatchedRepository.objects.exists()
    assert not WatchedFile.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_it_goes_with_a_purged_repository(ada: User, shop: Repository) -> None:
    watch(ada)
    look()
    Repository.objects.update(retired_at="2026-01-01T00:00:00Z")
    purge_repository(repository_id=shop.pk)
    assert not WatchedRepository.objects.exists()
    assert SavedSearch.objects.exists()


def test_the_receiver_gets_name_count_and_link_once(
    ada: User,
    shop: Repository,
    receiver: Receiver,
    settings: Any,
) -> None:
    settings.PUBLIC_URL = "https://code.example"
    set_destination(organization=organization_of("acme"), address=receiver.address, actor="test")
    search = watch(ada, name="To <do>")
    send_alerts()
    change(shop, {"b.py": "to_do('secret')\n"})
    receiver.statuses = [500]
    for _ in range(4):
        AlertDestination.objects.update(due_at="2026-01-01T00:00:00Z", lease_until=None)
        send_alerts()
    first, second = receiver.messages
    assert first == second, "the attempt that failed has the same id"
    address = f"https://code.example/o/acme/searches/{search.pk}"
    assert first["type"] == "search.alert"
    assert first["text"].splitlines() == [
        "*acme*: watched searches find something new",
        f"• <{address}|To &lt;do&gt;>: 1 new line",
    ]
    (entry,) = first["searches"]
    assert (entry["name"], entry["count"], entry["url"]) == ("To <do>", 1, address)
    assert first["search_count"] == 1
    assert b"secret" not in receiver.bodies[0]
    assert b"to_do" not in receiver.bodies[0]


def test_a_search_that_fails_holds_up_no_other(
    ada: User, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned, _ = watch(ada, name="Poisoned"), watch(ada)
    look()
    change(shop, {"b.py": "to_do(2)\n"})
    seen = watching._next_look

    def failing(search: SavedSearch, asked: set[int]) -> Any:
        if search.pk == poisoned.pk:
            raise RuntimeError
        return seen(search, asked)

    monkeypatch.setattr(watching, "_next_look", failing)
    assert look() == {"Poisoned": 0, "To do": 1}
