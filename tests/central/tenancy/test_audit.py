"""Every command, and GitHub, leave what they change in the audit log, with no secret in it."""

import pytest
from django.core.management import call_command
from django.test import Client

from central.github.signatures import organization_secret
from central.tenancy.models import AuditEntry, Organization
from central.tenancy.services.tokens import create_local_token, create_token
from tests.central.factories import MembershipFactory, OrganizationFactory, RepositoryFactory
from tests.central.github import payloads

pytestmark = pytest.mark.django_db


def log() -> list[tuple[str, str, str, str, dict[str, object]]]:
    """Who, what, whose and of what, oldest first."""
    return [
        (entry.actor, entry.action, entry.organization, entry.target, entry.detail)
        for entry in AuditEntry.objects.order_by("pk")
    ]


def test_an_organization_and_what_is_changed_of_it() -> None:
    call_command("create_organization", "acme")
    call_command("direct_uploads", "--organization", "acme", "on")
    call_command("direct_uploads", "--organization", "acme", "on")  # changes nothing
    call_command("set_embedder", "--organization", "acme", "builtin/aeterna-static-1/256")
    assert log() == [
        (
            *("command", "organization.created", "acme", "acme"),
            {"embedder": "builtin/aeterna-static-1/256", "github_owner_id": None},
        ),
        (
            *("command", "organization.changed", "acme", "acme"),
            {"direct_uploads": {"before": False, "after": True}},
        ),
    ]


def test_a_token_without_its_secret() -> None:
    OrganizationFactory.create(slug="acme")
    token = create_token(
        organization_slug="acme", scopes=["search"], actor="command", name="nightly"
    )
    ((actor, action, slug, target, detail),) = log()
    assert (actor, action, slug) == ("command", "token.created", "acme")
    assert target == f"{token[:12]}… nightly"
    assert detail["scopes"] == ["search"]
    assert token[12:] not in str(log())


def test_what_the_command_line_of_this_machine_makes() -> None:
    create_local_token(organization_slug="home", actor="command")
    create_local_token(organization_slug="home", actor="command")
    assert [entry[1] for entry in log()] == [
        "organization.created",
        "token.created",
        "token.created",
    ]


def test_a_policy_of_github_s_jobs() -> None:
    OrganizationFactory.create(slug="acme")
    call_command("github_policy", "--organization", "acme", "--owner-id", "9919", "--enable")
    call_command("github_policy", "--organization", "acme")  # only asks
    assert log() == [
        (
            *("command", "github_policy.changed", "acme", "acme"),
            {"enabled": True, "owner_id": 9919},
        )
    ]


@pytest.mark.parametrize(
    ("payload", "action", "target"),
    [
        (payloads.renamed("till"), "repository.renamed", "till"),
        (payloads.on_repository("deleted"), "repository.retired", "shop"),
        (payloads.visibility("publicized", "public"), "repository.visibility", "shop"),
    ],
)
def test_what_github_tells(payload: dict[str, object], action: str, target: str) -> None:
    acme = Organization.objects.create(slug="acme", github_owner_id=payloads.OWNER_ID)
    RepositoryFactory.create(organization=acme, name="shop", forge_key=payloads.REPOSITORY_ID)
    github = payloads.GitHub(organization_secret(acme), "acme")
    github.told("repository", payload)
    assert [entry[:4] for entry in log()] == [("github", action, "acme", target)]


def test_an_entry_knows_the_request_that_made_it(client: Client) -> None:
    membership = MembershipFactory.create(organization__slug="acme")
    client.force_login(membership.user)
    form = {"name": "a", "organization": "acme", "scopes": ["search"], "expires_days": "7"}
    client.post("/account/tokens", form, headers={"X-Request-Id": "request-of-this-test"})
    assert AuditEntry.objects.get().request_id == "request-of-this-test"
