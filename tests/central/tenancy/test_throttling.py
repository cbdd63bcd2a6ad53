"""A caller who asks too much is told so, on every protocol, and others are not kept waiting."""

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from central.http import rate_limits
from central.settings.services import Rates
from central.tenancy.models import Organization
from tests.central.factories import ApiTokenFactory, MembershipFactory, OrganizationFactory

pytestmark = pytest.mark.django_db

STATUS = "/api/v1/index/status?org_id=acme"


@pytest.fixture(autouse=True)
def one_search_a_minute(settings: Settings) -> Iterator[None]:
    settings.RATES = Rates(search="1/minute", index="1/minute")
    rate_limits._limit.cache_clear()
    yield
    rate_limits._limit.cache_clear()


@pytest.fixture
def acme() -> Organization:
    return OrganizationFactory.create(slug="acme")


def headers_of(organization: Organization) -> dict[str, str]:
    token = f"aet_{organization.api_tokens.count():043d}"
    ApiTokenFactory.create(organization=organization, token=token)
    return {"Authorization": f"Bearer {token}"}


def test_too_many_requests_of_a_token_are_429_with_when_to_come_back(acme: Organization) -> None:
    client, headers = Client(), headers_of(acme)
    assert client.get(STATUS, headers=headers).status_code == 200
    refused = client.get(STATUS, headers=headers)
    assert refused.status_code == 429
    assert refused["Content-Type"] == "application/problem+json"
    assert refused.json()["code"] == "throttled"
    assert 1 <= int(refused["Retry-After"]) <= 60


def test_another_token_of_the_organisation_is_counted_for_itself(acme: Organization) -> None:
    client = Client()
    assert client.get(STATUS, headers=headers_of(acme)).status_code == 200
    assert client.get(STATUS, headers=headers_of(acme)).status_code == 200


def test_indexing_is_counted_apart_from_searching(acme: Organization) -> None:
    client, headers = Client(), headers_of(acme)
    assert client.get(STATUS, headers=headers).status_code == 200
    opened = client.post("/api/v1/index/runs", {}, "application/json", headers=headers)
    assert opened.status_code == 400
    refused = client.post("/api/v1/index/runs", {}, "application/json", headers=headers)
    assert refused.status_code == 429


def test_a_strangers_requests_count_for_nobody(acme: Organization) -> None:
    client = Client()
    for _ in range(3):
        assert client.get(STATUS).status_code == 401
    assert client.get(STATUS, headers=headers_of(acme)).status_code == 200


def test_a_person_is_counted_on_pages(acme: Organization) -> None:
    client = Client()
    client.force_login(MembershipFactory.create(organization=acme).user)
    assert client.get("/o/acme/symbol").status_code == 200
    assert client.get("/o/acme/symbol").status_code == 429
