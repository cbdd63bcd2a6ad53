"""Saved searches: whose they are, who sees them, how many there may be."""

import json
import tarfile
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User

from central.errors import ConflictError, InvalidError, NotFoundError
from central.maintenance.organization_export import export_organization
from central.saved_searches.models import SavedSearch
from central.saved_searches.services import saved
from central.saved_searches.services.saved import (
    change_search,
    delete_search,
    save_search,
    saved_search,
    visible_searches,
)
from central.tenancy.credentials import Credential, credential_of_member
from central.tenancy.models import AuditEntry, Membership, Role
from tests.central.factories import MembershipFactory, OrganizationFactory, UserFactory
from tests.central.search.corpus import organization_of

pytestmark = pytest.mark.django_db

EXACT = {"query": '"to_do("', "mode": "hybrid"}
RANKED = {"query": "what to do", "mode": "hybrid"}


def person(name: str, **limits: Any) -> User:
    user = UserFactory.create(username=name)
    MembershipFactory.create(user=user, organization=organization_of("acme"), **limits)
    return user


def credential(user: User) -> Credential:
    return credential_of_member(user=user, slug="acme")


def save(user: User, name: str = "To do", **members: Any) -> SavedSearch:
    return save_search(
        credential=credential(user), user=user, name=name, **{"request": EXACT, **members}
    )


def seen_by(user: User) -> list[str]:
    return [one.name for one in visible_searches(credential=credential(user), user=user)]


def test_a_private_one_is_its_owners_alone() -> None:
    ada, grace = person("ada"), person("grace", role=Role.ADMIN)
    made = save(ada)
    assert seen_by(ada) == ["To do"]
    assert seen_by(grace) == []
    for attempt in (
        lambda: saved_search(credential=credential(grace), user=grace, search_id=made.pk),
        lambda: change_search(search=made, user=grace, name="x", is_shared=False, is_watched=False),
        lambda: delete_search(search=made, user=grace, credential=credential(grace)),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    assert SavedSearch.objects.get().name == "To do"


def test_a_shared_one_is_seen_by_who_sees_the_whole_organisation() -> None:
    """Its text may name what others do not see."""
    ada, grace, limited = person("ada"), person("grace"), person("lim", visibilities=["public"])
    made = save(ada, is_shared=True)
    assert seen_by(grace) == ["To do"]
    assert seen_by(limited) == []
    assert save(limited, "Mine").name in seen_by(limited)
    with pytest.raises(NotFoundError):
        delete_search(search=made, user=grace, credential=credential(grace))


def test_an_administrator_deletes_what_was_shared() -> None:
    ada, grace = person("ada"), person("grace", role=Role.ADMIN)
    made = save(ada, is_shared=True)
    delete_search(search=made, user=grace, credential=credential(grace))
    assert not SavedSearch.objects.exists()


def test_another_organisation_s_is_not_found() -> None:
    ada = person("ada")
    made = save(ada, is_shared=True)
    globex = OrganizationFactory.create(slug="globex")
    MembershipFactory.create(user=ada, organization=globex)
    elsewhere = credential_of_member(user=ada, slug="globex")
    with pytest.raises(NotFoundError):
        saved_search(credential=elsewhere, user=ada, search_id=made.pk)


def test_changes_are_audited_without_the_query() -> None:
    ada = person("ada")
    made = save(ada)
    change_search(search=made, user=ada, name="Done", is_shared=True, is_watched=True)
    delete_search(search=made, user=ada, credential=credential(ada))
    entries = AuditEntry.objects.order_by("pk").values_list("actor", "action", "target")
    assert list(entries) == [
        ("user ada", "saved_search.created", "To do"),
        ("user ada", "saved_search.changed", "Done"),
        ("user ada", "saved_search.deleted", "To do"),
    ]
    details = json.dumps(list(AuditEntry.objects.values_list("detail", flat=True)))
    assert "to_do" not in details


def test_only_what_has_lines_can_be_watched() -> None:
    ada = person("ada")
    with pytest.raises(InvalidError, match="Put the text in quotes"):
        save(ada, request=RANKED, is_watched=True)
    of_commits = {"query": 'type:diff "to_do"'}
    with pytest.raises(InvalidError, match="without type:commit"):
        save(ada, "commits", request=of_commits, is_watched=True)
    assert not save(ada, "commits", request=of_commits).is_watched
    ranked = save(ada, request=RANKED)
    with pytest.raises(InvalidError):
        change_search(search=ranked, user=ada, name="x", is_shared=False, is_watched=True)
    for number, request in enumerate(
        ({"query": "lang:go file:_test"}, {"query": "lang:go f($A)", "mode": "structural"}, EXACT)
    ):
        assert save(ada, f"{number}", request=request, is_watched=True).is_watched


@pytest.mark.parametrize(
    "members",
    [
        {"name": ""},
        {"name": " \n"},
        {"name": "a\nb"},
        {"name": "x" * 101},
        {"request": {"query": '"open'}},
        {"request": {"query": "lang:cobol x"}},
        {"request": {"query": "lang:markdown f($A)", "mode": "structural"}, "is_watched": True},
    ],
)
def test_bad_input_is_refused_and_changes_nothing(members: dict[str, Any]) -> None:
    with pytest.raises(InvalidError):
        save(person("ada"), **members)
    assert not SavedSearch.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_name_is_used_once_by_a_person() -> None:
    ada, grace = person("ada"), person("grace")
    save(ada)
    other = save(ada, "Other")
    save(grace)
    with pytest.raises(ConflictError) as refused:
        save(ada)
    assert refused.value.code == "saved_search_exists"
    with pytest.raises(ConflictError):
        change_search(search=other, user=ada, name="To do", is_shared=False, is_watched=False)


@pytest.mark.parametrize("limit", ["SAVED_SEARCHES_OF_PERSON", "SAVED_SEARCHES_OF_ORGANIZATION"])
def test_there_are_only_so_many(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, limit, 2)
    ada, grace = person("ada"), person("grace")
    save(ada)
    save(grace if "ORGANIZATION" in limit else ada, "Other")
    with pytest.raises(ConflictError) as refused:
        save(ada, "Third")
    assert refused.value.code == "too_many_saved_searches"
    assert SavedSearch.objects.count() == 2


def test_who_is_no_member_any_more_keeps_nothing_open() -> None:
    ada = person("ada")
    save(ada, is_shared=True)
    Membership.objects.all().delete()
    with pytest.raises(NotFoundError):
        credential(ada)


def test_the_export_of_an_organisation_has_them() -> None:
    made = save(person("ada"))
    packed = BytesIO()
    export_organization(made.organization, packed)
    packed.seek(0)
    with tarfile.open(fileobj=packed, mode="r:gz") as archive:
        member = archive.extractfile("saved_searches.ndjson")
        assert member
        (row,) = map(json.loads, member.read().splitlines())
    assert (row["name"], row["request"]) == ("To do", EXACT)


def test_former_members_searches_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "SAVED_SEARCHES_OF_ORGANIZATION", 3)
    ada, former = person("ada"), person("former")
    save(former, "Private")
    save(former, "Shared", is_shared=True)
    save(ada, "First")
    with pytest.raises(ConflictError):
        save(ada, "Second")
    Membership.objects.filter(user=former).delete()
    save(ada, "Second")
    assert set(SavedSearch.objects.values_list("name", flat=True)) == {"Shared", "First", "Second"}
    with pytest.raises(ConflictError):
        save(ada, "Third")
