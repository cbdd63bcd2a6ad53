"""The token that this machine's command line is given."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from central.tenancy.models import ApiToken, Organization
from central.tenancy.tokens import credential_of
from tests.central.refusals import assert_problem

KEY = "k" * 40

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(settings: Settings, tmp_path: Path) -> Any:
    """POSTs to the route with the key of the data directory."""
    settings.DATA_DIR = tmp_path
    (tmp_path / "server_key").write_text(KEY)
    client = Client(headers={"X-Aeterna-Server-Key": KEY})

    def post(**arguments: object) -> Any:
        return client.post("/internal/local-token", arguments, "application/json")

    return post


def test_it_indexes_and_searches_for_a_day(ask: Any) -> None:
    answer = ask(organization="local").json()
    credential = credential_of(answer["access_token"])
    assert (credential.organization.slug, credential.scopes) == ("local", {"index", "search"})
    stored = ApiToken.objects.get()
    assert (stored.is_short_lived, stored.is_local) == (True, True)
    assert stored.expires_at is not None
    assert timedelta(hours=23) < stored.expires_at - timezone.now() <= timedelta(days=1)
    assert answer["expires_in"] == 86_400


def test_an_organisation_that_is_there_is_not_made_again(ask: Any) -> None:
    acme = Organization.objects.create(slug="acme")
    for name in ("acme", "org-acme"):
        credential = credential_of(ask(organization=name).json()["access_token"])
        assert credential.organization == acme
    assert Organization.objects.count() == 1


@pytest.mark.parametrize(
    "name", ["", "Acme", "a_b", "org-", "org-org-x", "../x", "a\0", "a" * 64, None, 7, ["acme"]]
)
def test_what_is_no_name_of_an_organisation_makes_none(ask: Any, name: object) -> None:
    assert_problem(ask(organization=name), 400, "invalid")
    assert not Organization.objects.exists()
    assert not ApiToken.objects.exists()
