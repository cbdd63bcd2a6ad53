"""Repositories, as the admin shows them."""

import pytest
from django.utils import timezone

from tests.central.admin import superuser
from tests.central.factories import IndexRunFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

LIST = "/admin/repositories/repository/"


def test_the_list_is_filtered_by_the_state_that_the_status_says() -> None:
    admin = superuser()
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


def test_a_repository_leads_to_its_page_unless_it_is_gone() -> None:
    admin, repository = superuser(), RepositoryFactory.create(name="shop")
    link = f"/o/{repository.organization.slug}/r/shop"
    assert link in admin.get(f"{LIST}{repository.pk}/change/").content.decode()
    repository.retired_at = timezone.now()
    repository.save()
    assert link not in admin.get(f"{LIST}{repository.pk}/change/").content.decode()
