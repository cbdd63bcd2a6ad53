"""Settings of an organisation: its tokens, and what to paste to use one."""

import html
import json
import re
import tomllib
from datetime import timedelta

import pytest
import yaml
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from aeterna_code_search.agents.configuration import AGENTS
from central.http.bearer import is_token
from central.onboarding.models import Backfill
from central.tenancy.models import ApiToken, AuditEntry, Membership
from central.tenancy.services.tokens import ORGANIZATION_TOKENS
from central.web.organization.snippets import Snippets, snippets_for
from tests.central.factories import (
    ApiTokenFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

TOKENS = "/o/acme/settings/tokens"
FORM = {"name": "agents", "scopes": ["search"], "repositories": "", "expires_days": "90"}


def shown_token(page: str) -> str:
    (token,) = {value for value in re.findall(r'value="([^"]+)"', page) if is_token(value)}
    return token


def test_a_new_token_is_shown_once_and_works(client: Client, grace: Membership) -> None:
    made = client.post(TOKENS, FORM)
    token = shown_token(made.content.decode())
    assert "no-store" in made["Cache-Control"]
    again = client.get(TOKENS).content.decode()
    assert token not in again
    assert token[:12] in again
    answer = Client().get(
        "/api/v1/index/status", {"org_id": "acme"}, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 200
    sessions = [session.get_decoded() for session in Session.objects.all()]
    stored = [*ApiToken.objects.values(), *AuditEntry.objects.values(), *sessions]
    assert token not in str(stored) + str(made.headers) + str(made.cookies)
    assert AuditEntry.objects.get().actor == "user grace"


def test_a_token_has_the_chosen_scopes_repositories_and_end(
    client: Client, grace: Membership
) -> None:
    client.post(
        TOKENS,
        {
            **FORM,
            "scopes": ["search", "index"],
            "repositories": "shop, till,,shop",
            "expires_days": "0",
        },
    )
    token = ApiToken.objects.get()
    assert (token.owner, token.scopes) == (None, ["index", "search"])
    assert (token.repositories, token.expires_at) == (["shop", "till"], None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"scopes": []}, "This field is required."),
        ({"scopes": ["root"]}, "Select a valid choice."),
        ({"name": "a\x1b[2Jb"}, "in plain characters"),
        ({"expires_days": "9999999"}, "Select a valid choice."),
        ({"repositories": "x" * 201}, "at most 200 characters"),
    ],
)
def test_a_token_that_cannot_be_is_not_made(
    client: Client, grace: Membership, change: dict[str, object], why: str
) -> None:
    assert why in client.post(TOKENS, {**FORM, **change}).content.decode()
    assert not ApiToken.objects.exists()


def test_there_is_an_end_to_the_tokens_of_an_organisation(
    client: Client, grace: Membership
) -> None:
    tokens = [
        ApiTokenFactory.build(organization=grace.organization) for _ in range(ORGANIZATION_TOKENS)
    ]
    ApiToken.objects.bulk_create(tokens)
    assert "revoke one that is no" in client.post(TOKENS, FORM).content.decode()
    assert ApiToken.objects.count() == ORGANIZATION_TOKENS


def test_tokens_are_listed_without_those_of_jobs_and_of_others(
    client: Client, grace: Membership
) -> None:
    acme = grace.organization
    ApiTokenFactory.create(organization=acme, name="nightly")
    ApiTokenFactory.create(organization=acme, name="laptop", owner=grace.user)
    ApiTokenFactory.create(organization=acme, name="a-job", is_short_lived=True)
    ApiTokenFactory.create(name="of-globex")
    page = client.get(TOKENS).content.decode()
    assert "2 valid tokens" in page
    assert "nightly" in page
    assert "laptop" in page
    assert "a-job" not in page
    assert "of-globex" not in page


def test_revoking_is_confirmed_and_audited(client: Client, grace: Membership) -> None:
    token = ApiTokenFactory.create(organization=grace.organization, name="nightly")
    address = f"{TOKENS}/{token.pk}/revoke"
    assert "Revoke the token" in client.get(address).content.decode()
    token.refresh_from_db()
    assert token.revoked_at is None
    assert client.post(address)["Location"] == TOKENS
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert AuditEntry.objects.get().action == "token.revoked"
    assert client.post(address).status_code == 404


def test_tokens_of_others_and_of_jobs_are_not_found(client: Client, grace: Membership) -> None:
    others = (
        ApiTokenFactory.create(),
        ApiTokenFactory.create(organization=grace.organization, is_short_lived=True),
        ApiTokenFactory.create(
            organization=grace.organization, expires_at=timezone.now() - timedelta(days=1)
        ),
    )
    for token in others:
        assert client.post(f"{TOKENS}/{token.pk}/revoke").status_code == 404
    assert not ApiToken.objects.exclude(revoked_at=None).exists()


# --- What to paste ------------------------------------------------------------------------------

URL = "https://codesearch.example.com"
SECRET = "aet_" + "s" * 43


def snippets(*scopes: str) -> Snippets:
    return snippets_for(url=URL, organization="acme", token=SECRET, scopes=scopes, owner="acme-inc")


def test_the_command_line_gets_the_three_variables() -> None:
    environment, first = snippets("search").commands
    assert environment.text.splitlines() == [
        f"export AETERNA_URL={URL}",
        "export AETERNA_ORGANIZATION=acme",
        f"export AETERNA_TOKEN={SECRET}",
    ]
    assert first.text.startswith("codesearch search ")


def test_each_agent_gets_its_own_file_without_the_token() -> None:
    found = snippets("search").agents
    assert [one.title for one in found] == [agent.title for agent in AGENTS.values()]
    for one, agent in zip(found, AGENTS.values(), strict=True):
        is_toml = agent.user_file.endswith(".toml")
        content = tomllib.loads(one.text) if is_toml else json.loads(one.text)
        server = content[agent.servers_key]["codesearch"]
        assert f"{URL}/mcp" in server.values() or server["command"] == "codesearch"
        assert SECRET not in one.text


def test_jobs_get_the_workflow_for_tokens_that_index() -> None:
    assert snippets("search").jobs == []
    assert snippets("index").agents == []
    secret, workflow = snippets("index").jobs
    assert secret.text == "gh secret set AETERNA_TOKEN --org acme-inc --visibility all"
    job = yaml.safe_load(workflow.text)["jobs"]["index"]
    assert job["with"]["central-url"] == URL
    assert (job["with"]["organization"], job["with"]["owner"]) == ("acme", "acme-inc")


def test_the_page_of_a_new_token_has_them_with_buttons_to_copy(
    client: Client, grace: Membership
) -> None:
    Backfill.objects.create(organization=grace.organization, owner="acme-inc")
    made = client.post(TOKENS, {**FORM, "scopes": ["search", "index"]}).content.decode()
    token = shown_token(made)
    copied = [html.unescape(text) for text in re.findall(r'data-copy="([^"]*)"', made)]
    assert copied[0] == token
    shown = snippets_for(
        url="http://testserver",
        organization="acme",
        token=token,
        scopes=["search", "index"],
        owner="acme-inc",
    )
    assert copied[1:] == [one.text for one in (*shown.commands, *shown.agents, *shown.jobs)]
    texts = [html.unescape(text) for text in re.findall("<pre[^>]*>([^<]*)</pre>", made)]
    assert texts == copied[1:]  # without JavaScript, too


def test_a_personal_token_comes_with_them_as_well(client: Client) -> None:
    user = UserFactory.create()
    MembershipFactory.create(user=user, organization=OrganizationFactory.create(slug="acme"))
    client.force_login(user)
    form = {"name": "editor", "organization": "acme", "scopes": ["search"], "expires_days": "90"}
    made = client.post("/account/tokens", form).content.decode()
    assert shown_token(made) in made
    assert "Claude Code" in made
