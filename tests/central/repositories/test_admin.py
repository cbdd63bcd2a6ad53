"""Repositories in the admin: their states, and what is ordered for them, through its pages."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from central.repositories.models import Repository
from central.tenancy.models import AuditEntry
from tests.central.admin import act, staff, superuser
from tests.central.factories import IndexRunFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

LIST = "/admin/repositories/repository/"


@pytest.fixture
def admin() -> Client:
    return superuser()


def purge(client: Client, *repositories: Repository, **form: str) -> Any:
    return act(client, LIST, "purge", *repositories, **form)


def test_nothing_is_purged_before_it_is_confirmed(admin: Client) -> None:
    repository = RepositoryFactory.create(name="shop", chunks=7)
    page = purge(admin, repository).content.decode()
    assert f"{repository.organization}/shop: 7 chunks" in page
    assert '<input type="hidden" name="post" value="yes">' in page
    assert Repository.objects.get().retired_at is None


def test_what_is_confirmed_is_retired_and_nothing_else(admin: Client) -> None:
    one, other, kept = RepositoryFactory.create_batch(3)
    answer = purge(admin, one, other, post="yes")
    assert "2 repositories cannot be seen any more" in answer.content.decode()
    assert set(Repository.objects.filter(retired_at=None)) == {kept}
    assert set(
        Repository.objects.exclude(retired_at=None).values_list("generation", flat=True)
    ) == {1}


def test_whoever_may_only_change_repositories_may_not_purge_them() -> None:
    client = staff("repositories.view_repository", "repositories.change_repository")
    repository = RepositoryFactory.create()
    purge(client, repository, post="yes")
    assert Repository.objects.get().retired_at is None


def test_whoever_may_only_look_orders_nothing() -> None:
    client = staff("repositories.view_repository")
    repository = RepositoryFactory.create()
    for action in ("reindex_selected", "pause", "resume", "purge"):
        act(client, LIST, action, repository, post="yes")
    kept = Repository.objects.get()
    assert (kept.paused, kept.reindex_requested_at, kept.retired_at) == (False, None, None)


def test_a_re_index_is_requested_and_the_answer_says_when_it_happens(admin: Client) -> None:
    one, other = RepositoryFactory.create_batch(2)
    page = act(admin, LIST, "reindex_selected", one).content.decode()
    assert "the next merge" in page
    assert "Run workflow" in page
    assert set(Repository.objects.filter(reindex_requested_at=None)) == {other}
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action) == ("user root", "repository.reindex_requested")
    assert LogEntry.objects.get().object_id == str(one.pk)


def test_repositories_are_paused_and_resumed(admin: Client) -> None:
    repository = RepositoryFactory.create()
    act(admin, LIST, "pause", repository)
    assert Repository.objects.get().paused
    act(admin, LIST, "resume", repository)
    assert not Repository.objects.get().paused
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["repository.paused", "repository.resumed"]


def test_the_list_is_filtered_by_the_state_that_the_status_says(admin: Client) -> None:
    made = {
        "never": RepositoryFactory.create(),
        "current": RepositoryFactory.create(generation=1),
        "failed": RepositoryFactory.create(trouble="failed", trouble_detail="<b>no disk</b>"),
        "behind": RepositoryFactory.create(trouble="behind"),
        "paused": RepositoryFactory.create(paused=True),
        "indexing": IndexRunFactory.create().repository,
        "purging": RepositoryFactory.create(retired_at=timezone.now()),
    }
    for state, repository in made.items():
        rows = admin.get(LIST, {"state": state}).context["cl"].result_list
        assert list(rows) == [repository]
    page = admin.get(LIST, {"state": "failed"}).content.decode()
    assert "&lt;b&gt;no disk" in page
    assert "<b>no disk" not in page


def test_a_change_by_hand_is_noted_with_what_was_and_what_is(admin: Client) -> None:
    repository = RepositoryFactory.create(name="shop")
    form = {"tracked_ref": "refs/heads/trunk", "visibility": "internal", "web_url": ""}
    assert admin.post(f"{LIST}{repository.pk}/change/", form).status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target) == ("repository.changed", "shop")
    assert entry.organization == repository.organization.slug
    assert entry.detail == {
        "tracked_ref": {"before": "refs/heads/main", "after": "refs/heads/trunk"},
        "visibility": {"before": "private", "after": "internal"},
    }


def test_neither_repositories_nor_organisations_can_be_deleted(admin: Client) -> None:
    repository = RepositoryFactory.create()
    for path in (
        f"{LIST}{repository.pk}/delete/",
        f"/admin/tenancy/organization/{repository.organization_id}/delete/",
    ):
        assert admin.post(path, {"post": "yes"}).status_code == 403
    assert Repository.objects.filter(pk=repository.pk, retired_at=None).exists()


def test_a_repository_leads_to_its_page_unless_it_is_gone(admin: Client) -> None:
    repository = RepositoryFactory.create(name="shop")
    link = f"/o/{repository.organization.slug}/r/shop"
    assert link in admin.get(f"{LIST}{repository.pk}/change/").content.decode()
    purge(admin, repository, post="yes")
    assert link not in admin.get(f"{LIST}{repository.pk}/change/").content.decode()
