"""What the admin lets people change, through its own pages."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from central.tenancy.models import ApiToken
from tests.central.factories import ApiTokenFactory, OrganizationFactory, RepositoryFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Client:
    """A superuser who is logged in."""
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def save_token(admin: Client, token: ApiToken, **changes: Any) -> ApiToken:
    form = {"name": "ci", "scopes": "index,search", "repositories": "", **changes}
    response = admin.post(f"/admin/tenancy/apitoken/{token.pk}/change/", form)
    assert response.status_code == 302
    token.refresh_from_db()
    return token


def test_saving_a_token_for_the_whole_organisation_leaves_it_that(admin: Client) -> None:
    token = save_token(admin, ApiTokenFactory.create(repositories=None))
    assert (token.name, token.repositories) == ("ci", None)


def test_saving_a_token_for_some_repositories_leaves_it_those(admin: Client) -> None:
    token = save_token(admin, ApiTokenFactory.create(), repositories="shop,web")
    assert token.repositories == ["shop", "web"]


def test_a_slug_is_given_once(admin: Client) -> None:
    """The vectors lie in collections that are named by it."""
    organization = OrganizationFactory.create(slug="acme")
    response = admin.post(
        f"/admin/tenancy/organization/{organization.pk}/change/",
        {"slug": "globex", "github_owner_id": "7", "embedder": organization.embedder},
    )
    assert response.status_code == 302
    organization.refresh_from_db()
    assert (organization.slug, organization.github_owner_id) == ("acme", 7)
    new = {"slug": "globex", "github_owner_id": "", "embedder": organization.embedder}
    assert admin.post("/admin/tenancy/organization/add/", new).status_code == 302


def test_nothing_that_has_vectors_is_deleted(admin: Client) -> None:
    """Their points would stay in the vector store."""
    repository = RepositoryFactory.create()
    for address in (
        f"/admin/repositories/repository/{repository.pk}/delete/",
        f"/admin/tenancy/organization/{repository.organization.pk}/delete/",
    ):
        assert admin.post(address, {"post": "yes"}).status_code == 403


def test_tokens_of_jobs_are_listed_when_asked_for(admin: Client) -> None:
    ApiTokenFactory.create(name="of-ci")
    ApiTokenFactory.create(name="of-a-job", is_short_lived=True)
    for made, listed in (("", {"of-ci"}), ("job", {"of-a-job"}), ("all", {"of-ci", "of-a-job"})):
        page = admin.get("/admin/tenancy/apitoken/", {"made": made} if made else {})
        text = page.content.decode()
        assert {name for name in ("of-ci", "of-a-job") if name in text} == listed


def test_what_a_job_s_token_is_bound_to_is_not_edited(admin: Client) -> None:
    token = ApiTokenFactory.create(is_short_lived=True, bound_repository_id=7, bound_commit="a")
    save_token(admin, token, bound_repository_id="8", bound_commit="b", visibilities="")
    assert (token.bound_repository_id, token.bound_commit) == (7, "a")
