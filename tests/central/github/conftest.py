"""An organisation of an owner at GitHub, and a local GitHub whose jobs it lets in."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from central.github.models import GitHubPolicy
from central.repositories.models import Repository
from central.tenancy.models import Organization
from tests.central.factories import RepositoryFactory
from tests.central.github import payloads
from tests.central.github.job import AUDIENCE
from tests.local_github import LocalGitHub, job_claims


@pytest.fixture(scope="session")
def issuer() -> Iterator[LocalGitHub]:
    """One for all tests: making its key takes longer than most of them."""
    with LocalGitHub() as github:
        yield github


@pytest.fixture
def github(issuer: LocalGitHub, settings: Settings) -> LocalGitHub:
    """GitHub, running a push job of acme/shop; this service trusts it."""
    issuer.claims = job_claims()
    settings.PUBLIC_URL = AUDIENCE
    settings.GITHUB_OIDC_ISSUER = issuer.issuer
    return issuer


@pytest.fixture
def policy(github: LocalGitHub) -> GitHubPolicy:
    """What acme allows: the defaults."""
    owner_id = int(github.claims["repository_owner_id"])
    acme = Organization.objects.create(slug="acme", github_owner_id=owner_id)
    return GitHubPolicy.objects.create(organization=acme)


@pytest.fixture
def acme() -> Organization:
    """The organisation of which GitHub's webhooks tell."""
    return Organization.objects.create(slug="acme", github_owner_id=payloads.OWNER_ID)


@pytest.fixture
def shop(acme: Organization) -> Repository:
    """Its repository that they are about."""
    return RepositoryFactory.create(
        organization=acme, name="shop", forge_key=payloads.REPOSITORY_ID
    )
