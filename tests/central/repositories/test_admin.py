"""Purging repositories in the admin, through its own pages."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from central.repositories.models import Repository
from tests.central.factories import RepositoryFactory

pytestmark = pytest.mark.django_db

LIST = "/admin/repositories/repository/"


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def admin() -> Client:
    return logged_in(User.objects.create_superuser("root"))


def purge(client: Client, *repositories: Repository, **form: str) -> Any:
    chosen = [repository.pk for repository in repositories]
    return client.post(LIST, {"action": "purge", "_selected_action": chosen, **form}, follow=True)


def test_nothing_is_purged_before_it_is_confirmed(admin: Client) -> None:
    repository = RepositoryFactory.create(name="shop", chunks=7)
    page = purge(admin, repository).content.decode()
    assert f"{repository.organization}/shop: 7 chunks" in page
    assert '<input type="hidden" name="post" value="yes">' in page
    assert Repository.objects.get().retired_at is None


def test_what_is_confirmed_is_retired_and_nothing_else(admin: Client) -> None:
    one, other, kept = RepositoryFactory.create_batch(3)
    answer = purge(admin, one, other, post="yes")
    assert "2 repositories are gone." in answer.content.decode()
    assert set(Repository.objects.filter(retired_at=None)) == {kept}
    assert set(
        Repository.objects.exclude(retired_at=None).values_list("generation", flat=True)
    ) == {1}


def test_whoever_may_only_change_repositories_may_not_purge_them() -> None:
    user = User.objects.create_user("someone", is_staff=True)
    user.user_permissions.add(
        *Permission.objects.filter(codename__endswith="e_repository").exclude(
            codename="delete_repository"
        )
    )
    repository = RepositoryFactory.create()
    purge(logged_in(user), repository, post="yes")
    assert Repository.objects.get().retired_at is None


def test_neither_repositories_nor_organisations_can_be_deleted(admin: Client) -> None:
    repository = RepositoryFactory.create()
    for path in (
        f"{LIST}{repository.pk}/delete/",
        f"/admin/tenancy/organization/{repository.organization_id}/delete/",
    ):
        assert admin.post(path, {"post": "yes"}).status_code == 403
    assert Repository.objects.filter(pk=repository.pk, retired_at=None).exists()
