"""People in the admin: who may change whom, and that it is noted."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client

from central.tenancy.models import AuditEntry, Membership
from tests.central.admin import staff, superuser
from tests.central.factories import MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db

USERS = "/admin/auth/user/"
PASSWORD = "another horse, another staple"


@pytest.fixture
def admin() -> Client:
    return superuser()


def test_making_a_person_is_noted_without_the_password(admin: Client) -> None:
    form = {"username": "ada", "password1": PASSWORD, "password2": PASSWORD}
    form |= {"usable_password": "true"}
    assert admin.post(f"{USERS}add/", form).status_code == 302
    assert User.objects.get(username="ada").check_password(PASSWORD)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target) == ("user root", "user.created", "ada")
    assert entry.detail == {"username": "ada"}


def test_a_change_is_noted_with_what_was_and_what_is(admin: Client) -> None:
    ada = UserFactory.create(username="ada")
    group = Group.objects.create(name="readers")
    form = {"username": "ada", "is_staff": "on", "is_active": "on", "groups": [group.pk]}
    assert admin.post(f"{USERS}{ada.pk}/change/", form).status_code == 302
    assert AuditEntry.objects.get().detail == {
        "is_staff": {"before": False, "after": True},
        "groups": {"before": [], "after": ["readers"]},
    }


def test_a_new_password_is_noted_and_told_to_nobody(admin: Client) -> None:
    ada = UserFactory.create(username="ada")
    form = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    assert admin.post(f"{USERS}{ada.pk}/password/", form).status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target, entry.detail) == ("user.password", "ada", {})


def test_a_password_that_is_refused_is_no_change(admin: Client) -> None:
    ada = UserFactory.create()
    form = {"password1": PASSWORD, "password2": "other", "usable_password": "true"}
    assert admin.post(f"{USERS}{ada.pk}/password/", form).status_code == 200
    assert not AuditEntry.objects.exists()


def test_deleting_a_person_is_noted_with_what_goes_too(admin: Client) -> None:
    membership = MembershipFactory.create(user__username="ada")
    answer = admin.post(f"{USERS}{membership.user.pk}/delete/", {"post": "yes"})
    assert answer.status_code == 302
    assert not Membership.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target) == ("user.deleted", "ada")
    assert entry.detail == {"rows": {"tenancy.Membership": 1, "auth.User": 1}}


def test_who_may_not_delete_memberships_deletes_nobody_who_has_one() -> None:
    client = staff("auth.view_user", "auth.delete_user")
    for factory, status in ((MembershipFactory, 403), (UserFactory, 302)):
        person = getattr(made := factory.create(), "user", made)
        answer = client.post(f"{USERS}{person.pk}/delete/", {"post": "yes"})
        assert answer.status_code == status


def test_whoever_may_change_people_gives_no_rights_in_the_admin() -> None:
    client = staff("auth.view_user", "auth.change_user")
    ada = UserFactory.create(username="ada")
    form = {"username": "ada", "email": "ada@example.org", "is_active": "on"}
    form |= {"is_staff": "on", "is_superuser": "on"}
    assert client.post(f"{USERS}{ada.pk}/change/", form).status_code == 302
    ada.refresh_from_db()
    assert (ada.email, ada.is_staff, ada.is_superuser) == ("ada@example.org", False, False)


@pytest.mark.parametrize("is_superuser", [True, False])
def test_only_a_superuser_changes_who_has_rights_in_the_admin(is_superuser: bool) -> None:
    """Whose password one may set, one may be."""
    client = staff("auth.view_user", "auth.change_user", "auth.delete_user")
    other = UserFactory.create(is_staff=True, is_superuser=is_superuser)
    form = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    assert client.post(f"{USERS}{other.pk}/password/", form).status_code == 403
    assert client.post(f"{USERS}{other.pk}/change/", {"username": "x"}).status_code == 403
    assert client.post(f"{USERS}{other.pk}/delete/", {"post": "yes"}).status_code == 403


def test_one_s_own_password_is_changed_on_the_page_that_notes_it(admin: Client) -> None:
    changing = admin.get("/admin/password_change/")
    assert (changing.status_code, changing["Location"]) == (302, "/account/password")
    form = {"old_password": "x", "new_password1": PASSWORD, "new_password2": PASSWORD}
    assert admin.post("/admin/password_change/", form)["Location"] == "/account/password"


def test_a_change_that_cannot_be_noted_is_not_made(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("central.tenancy.admin.record", full)
    ada = UserFactory.create(username="ada")
    chosen = {"action": "delete_selected", "_selected_action": [ada.pk], "post": "yes"}
    for address, form in (
        (f"{USERS}{ada.pk}/change/", {"username": "eve"}),
        (f"{USERS}{ada.pk}/delete/", {"post": "yes"}),
        (USERS, chosen),
    ):
        with pytest.raises(OSError, match="no space"):
            admin.post(address, form)
    ada.refresh_from_db()
    assert ada.username == "ada"
    assert not LogEntry.objects.exists()
