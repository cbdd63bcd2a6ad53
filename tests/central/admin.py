"""People before the admin."""

from django.contrib.auth.models import Permission, User
from django.test import Client

from tests.central.factories import UserFactory


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
