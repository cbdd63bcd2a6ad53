"""API tokens: who is let in, and what a stranger learns."""

import io
from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from central.http.turns import Caller, caller_of
from central.tenancy.models import ApiToken, Organization, Scope
from central.tenancy.tokens import new_token
from tests.central.factories import ApiTokenFactory, OrganizationFactory, RepositoryFactory
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db


def ask(header: str | None) -> Response:
    api = api_of()
    headers = {} if header is None else {"Authorization": header}
    return api.client.get("/api/v1/index/status", {"org_id": "acme"}, headers=headers)


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "unauthenticated"),
        ("", "invalid_token"),
        ("Basic YTpi", "invalid_token"),
        ("Bearer", "invalid_token"),
        ("Bearer x", "invalid_token"),
        ("Bearer é", "invalid_token"),
        ("Bearer " + "aet_" + "a" * 43, "invalid_token"),
        ("Bearer " + "aet_" + "a" * 44, "invalid_token"),
    ],
)
def test_a_stranger_gets_401_with_the_scheme(header: str | None, code: str) -> None:
    response = ask(header)
    assert response.status_code == 401
    assert response.json()["code"] == code
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_token_works_until_it_expires() -> None:
    token = new_token()
    ApiTokenFactory.create(
        organization=api_of().organization,
        token=token,
        expires_at=timezone.now() + timedelta(days=1),
    )
    assert ask(f"Bearer {token}").status_code == 200
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=False):
        response = ask(f"Bearer {token}")
    assert (response.status_code, response.json()["code"]) == (401, "token_expired")


def test_a_revoked_token_sees_nothing() -> None:
    token = new_token()
    ApiTokenFactory.create(
        organization=api_of().organization, token=token, revoked_at=timezone.now()
    )
    response = ask(f"Bearer {token}")
    assert (response.status_code, response.json()["code"]) == (401, "token_revoked")


def test_a_revoked_token_has_no_turn_of_its_organisation_any_more() -> None:
    api, token = api_of(), new_token()
    ApiTokenFactory.create(organization=api.organization, token=token)
    header = f"Bearer {token}"
    ask(header)
    assert caller_of(header, "10.0.0.1") == Caller(f"organization {api.organization.pk}")
    ApiToken.objects.update(revoked_at=timezone.now())
    ask(header)
    assert caller_of(header, "10.0.0.1") == Caller("address 10.0.0.1")


def test_use_is_noted_once_a_minute() -> None:
    api = api_of()

    def used() -> object:
        api.status()
        return ApiToken.objects.get(prefix=api.token[:12]).last_used_at

    now = timezone.now()
    with time_machine.travel(now, tick=False):
        first = used()
    with time_machine.travel(now + timedelta(seconds=59), tick=False):
        assert used() == first
    with time_machine.travel(now + timedelta(seconds=61), tick=False):
        assert used() == now + timedelta(seconds=61)


class Undeclared(APIView):
    """A view whose author forgot its scope."""

    def get(self, request: object) -> Response:
        """Never reached."""
        del request
        return Response({})


def test_a_view_without_a_scope_is_refused() -> None:
    api = api_of(scopes=list(Scope))
    request = APIRequestFactory().get("/", headers={"Authorization": f"Bearer {api.token}"})
    assert Undeclared.as_view()(request).status_code == 403
    assert Undeclared.as_view()(APIRequestFactory().get("/")).status_code == 401


def test_the_token_command_prints_the_token_alone(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_organization", "umbrella", "--github-owner-id", "9")
    assert capsys.readouterr().out == "umbrella\n"
    call_command(
        *["create_token", "--organization", "umbrella", "--scopes", "index,search"],
        *["--repositories", "a,b", "c", "--expires-days", "3"],
    )
    token = capsys.readouterr().out.strip()
    stored = ApiToken.objects.get()
    assert (stored.scopes, stored.repositories) == (["index", "search"], ["a", "b", "c"])
    assert token not in str(ApiToken.objects.values())
    api = Api(Organization.objects.get(), token)
    assert api.status().status_code == 200


def test_a_token_that_cannot_index_names_only_repositories_that_exist() -> None:
    billing = RepositoryFactory.create(organization__slug="umbrella", name="Billing")
    RepositoryFactory.create(
        organization=billing.organization, name="bilings", retired_at="2026-01-01T00:00:00Z"
    )
    command = ["create_token", "--organization", "umbrella", "--repositories", "biling", "--scopes"]
    with pytest.raises(CommandError, match=r"no repository biling yet\. Near names: Billing\."):
        call_command(*command, "search")
    assert not ApiToken.objects.exists()
    said = io.StringIO()
    call_command(*command, "index,search", stderr=said)
    assert ApiToken.objects.get().repositories == ["biling"]
    assert "Near names: Billing. The token may create it" in said.getvalue()


@pytest.mark.parametrize(
    "command",
    [
        ["create_organization", "org-x"],
        ["create_organization", "A_b"],
        ["create_organization", "taken"],
        ["create_token", "--organization", "nowhere", "--scopes", "index"],
        ["create_token", "--organization", "taken", "--scopes", "root"],
        ["create_token", "--organization", "taken", "--scopes", ","],
        ["create_token", "--organization", "taken", "--scopes", "index", "--expires-days", "0"],
        ["create_token", "--organization=taken", "--scopes=index", "--expires-days=10000000000"],
        ["create_organization", "evil\n"],
    ],
)
def test_the_commands_refuse_with_a_sentence(command: list[str]) -> None:
    OrganizationFactory.create(slug="taken")
    with pytest.raises(CommandError, match=r"\."):
        call_command(*command)
    assert Organization.objects.count() == 1
    assert not ApiToken.objects.exists()


def test_the_token_command_takes_an_organisation_as_workspaces_write_it() -> None:
    OrganizationFactory.create(slug="acme")
    call_command("create_token", "--organization", "org-acme", "--scopes", "search")
    assert ApiToken.objects.get().organization.slug == "acme"
