"""People before the admin, and what its pages are asked."""

from typing import Any

from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.central.factories import UserFactory

NO_MEMBERS = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}


def signed_in(user: User) -> Client:
    """A browser of theirs."""
    client = Client()
    client.force_login(user)
    return client


def superuser(name: str = "root") -> Client:
    """Who may do everything."""
    return signed_in(UserFactory.create(username=name, is_staff=True, is_superuser=True))


def staff(*permissions: str) -> Client:
    """Who may do only that: "app.verb_model"."""
    user = UserFactory.create(is_staff=True)
    for permission in permissions:
        app, _, codename = permission.partition(".")
        user.user_permissions.add(
            Permission.objects.get(content_type__app_label=app, codename=codename)
        )
    return signed_in(user)


def act(client: Client, address: str, action: str, *chosen: Any, **form: str) -> Any:
    """Choose rows of a list, and an action; what comes after it."""
    keys = [row.pk for row in chosen]
    return client.post(address, {"action": action, "_selected_action": keys, **form}, follow=True)
