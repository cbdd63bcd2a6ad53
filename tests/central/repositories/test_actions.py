"""What administrators order: carried out once, each with its entry in the audit log."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from central.maintenance.organization_deletion import schedule_deletion
from central.repositories import actions
from central.repositories.models import InstalledRepository, Repository
from central.tenancy.audit import COMMAND
from central.tenancy.models import AuditEntry
from tests.central.factories import OrganizationFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

Order = Callable[..., bool]
ORDERS: list[tuple[Order, str]] = [
    (actions.request_reindex, "repository.reindex_requested"),
    (actions.pause, "repository.paused"),
    (actions.expect_no_index, "repository.not_expected"),
    (actions.purge, "repository.purged"),
]


@pytest.mark.parametrize(("order", "action"), ORDERS)
def test_an_order_is_carried_out_and_noted_once(order: Order, action: str) -> None:
    repository = RepositoryFactory.create(name="shop")
    assert order(repository, actor="user ada")
    assert not order(repository, actor="user ada")
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target) == ("user ada", action, "shop")
    assert entry.organization == repository.organization.slug


def test_what_is_paused_is_resumed_and_what_is_not_stays() -> None:
    repository = RepositoryFactory.create(paused=True)
    assert actions.resume(repository, actor=COMMAND)
    assert not actions.resume(repository, actor=COMMAND)
    assert not Repository.objects.get().paused


@pytest.mark.parametrize(
    "order",
    [
        actions.request_reindex,
        actions.pause,
        actions.resume,
        actions.expect_no_index,
        actions.expect_index,
    ],
)
def test_nothing_is_ordered_for_what_is_gone(order: Order) -> None:
    repository = RepositoryFactory.create(paused=order is actions.resume)
    actions.purge(repository, actor=COMMAND)
    assert not order(repository, actor=COMMAND)


def test_what_is_not_expected_is_expected_again() -> None:
    repository = RepositoryFactory.create(expected_by="")
    assert actions.expect_index(repository, actor=COMMAND)
    assert not actions.expect_index(repository, actor=COMMAND)
    assert actions.expect_no_index(repository, actor=COMMAND)
    assert actions.expect_index(repository, actor=COMMAND)
    recorded = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert recorded == ["repository.expected", "repository.not_expected", "repository.expected"]


def test_what_has_an_index_is_always_expected() -> None:
    repository = RepositoryFactory.create(generation=1)
    assert not actions.expect_no_index(repository, actor=COMMAND)
    assert not AuditEntry.objects.exists()


def expect(*arguments: str) -> str:
    out = StringIO()
    call_command("expect", "--organization", "acme", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_lists_and_changes_what_is_expected() -> None:
    acme = OrganizationFactory.create(slug="acme")
    RepositoryFactory.create(organization=acme, name="shop", generation=1)
    for name in ("till", "cart"):
        RepositoryFactory.create(organization=acme, name=name, trouble_detail="fatal: gone")
    RepositoryFactory.create(name="of-globex")
    first, second = expect().splitlines()
    assert first.startswith("cart: announced at ")
    assert second.endswith("fatal: gone")
    assert expect("--not", "--repository", "till", "shop") == "Changed for 1 of 2 repositories.\n"
    assert "till" not in expect()
    assert expect("--repository", "till") == "Changed for 1 of 1 repositories.\n"
    with pytest.raises(CommandError, match="has no repository of-globex"):
        expect("--not", "--repository", "cart", "of-globex")
    assert len(expect().splitlines()) == 2


def test_the_command_switches_what_installations_list() -> None:
    acme = OrganizationFactory.create(slug="acme")
    InstalledRepository.objects.create(
        organization=acme, installation_id=1, forge_key=7, name="till", visibility="private"
    )
    for _ in range(2):
        assert "lists are expected: on. Without an index are 1 of" in expect("--installation", "on")
    assert expect().startswith("till: announced at ")
    assert "expected: off. Without an index are 0 of" in expect("--installation", "off")
    assert expect() == ""


def test_a_repository_of_an_organisation_that_is_gone_is_gone() -> None:
    repository = RepositoryFactory.create()
    schedule_deletion(slug=repository.organization.slug, actor=COMMAND)
    assert not actions.purge(repository, actor=COMMAND)


def reindex(*arguments: str) -> str:
    out = StringIO()
    call_command("reindex", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_asks_for_all_or_for_some_of_an_organisation() -> None:
    shop = RepositoryFactory.create(name="shop")
    RepositoryFactory.create(name="web", organization=shop.organization)
    other = RepositoryFactory.create(name="shop")
    slug = shop.organization.slug
    reindex("--organization", slug, "--repository", "shop")
    assert set(Repository.objects.exclude(reindex_requested_at=None)) == {shop}
    assert "1 of 2 repositories" in reindex("--organization", slug)
    assert set(Repository.objects.filter(reindex_requested_at=None)) == {other}


def test_the_command_changes_nothing_where_a_name_is_unknown() -> None:
    shop = RepositoryFactory.create(name="shop")
    with pytest.raises(CommandError, match="has no repository shpo"):
        reindex("--organization", shop.organization.slug, "--repository", "shop", "shpo")
    assert Repository.objects.get().reindex_requested_at is None


def change(*arguments: str) -> str:
    out = StringIO()
    call_command("repository", "--organization", "acme", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_pauses_resumes_and_purges() -> None:
    acme = OrganizationFactory.create(slug="acme")
    for name in ("shop", "web"):
        RepositoryFactory.create(organization=acme, name=name)
    RepositoryFactory.create(name="of-globex")
    assert change("shop", "web", "--pause") == "Changed 2 of 2 repositories.\n"
    assert change("shop", "--resume") == "Changed 1 of 1 repositories.\n"
    assert change("shop", "--resume") == "Changed 0 of 1 repositories.\n"
    assert Repository.objects.get(paused=True).name == "web"
    for arguments in (("shop", "of-globex", "--purge"), ("shop", "--purge", "--pause")):
        with pytest.raises(CommandError, match=r"has no repository of-globex|not allowed with"):
            change(*arguments)
    assert not Repository.objects.exclude(retired_at=None).exists()
    assert change("shop", "--purge") == "Changed 1 of 1 repositories.\n"
    assert Repository.objects.exclude(retired_at=None).get().organization == acme


def test_the_command_corrects_what_the_forge_did_not_say() -> None:
    RepositoryFactory.create(organization=OrganizationFactory.create(slug="acme"), name="shop")
    facts = ("--tracked-ref", "refs/heads/trunk", "--visibility", "internal")
    assert change("shop", *facts) == "Changed 1 of 1 repositories.\n"
    assert change("shop", *facts) == "Changed 0 of 1 repositories.\n"
    with pytest.raises(CommandError, match="valid URL"):
        change("shop", "--web-url", "javascript:alert(1)", "--tracked-ref", "refs/heads/other")
    with pytest.raises(CommandError, match="full name of a ref"):
        change("shop", "--tracked-ref", "other")
    shop = Repository.objects.get()
    assert (shop.tracked_ref, shop.visibility, shop.web_url) == (
        *("refs/heads/trunk", "internal"),
        RepositoryFactory.build().web_url,
    )
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target) == ("command", "repository.changed", "shop")
    assert entry.detail == {
        "tracked_ref": {"before": "refs/heads/main", "after": "refs/heads/trunk"},
        "visibility": {"before": "private", "after": "internal"},
    }
