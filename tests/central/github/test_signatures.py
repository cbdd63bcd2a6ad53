"""Nothing is read of a webhook that is not signed with the right secret, or tells why it is not."""

import hashlib
import hmac
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django import Settings

from central.github import signatures
from central.github.models import GitHubDelivery, GitHubPolicy
from central.github.signatures import organization_secret, verify_signature
from central.tenancy.models import AuditEntry, Organization
from tests.central.github import payloads
from tests.central.github.payloads import APP_SECRET, GitHub, sign
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def app_secret(settings: Settings) -> None:
    settings.GITHUB_WEBHOOK_SECRET = APP_SECRET


def test_github_s_own_example_is_verified(settings: Settings) -> None:
    """https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries"""
    settings.GITHUB_WEBHOOK_SECRET = "It's a Secret to Everybody"
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert verify_signature(org_id=None, signature=signature, body=b"Hello, World!") is None


def test_the_secret_of_before_is_taken_while_github_is_told_the_new_one(
    settings: Settings, acme: Organization
) -> None:
    before = organization_secret(acme)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the key of from now on"
    settings.GITHUB_WEBHOOK_SECRET_PREVIOUS = APP_SECRET
    settings.GITHUB_WEBHOOK_SECRET = "the App's secret of from now on"

    for secret in (before, organization_secret(acme)):
        assert GitHub(secret, "acme").send("ping", payloads.ping()).status_code == 202
    for secret in (APP_SECRET, settings.GITHUB_WEBHOOK_SECRET):
        assert GitHub(secret).send("ping", payloads.ping()).status_code == 202

    settings.SECRET_KEY_FALLBACKS = []
    assert_problem(
        GitHub(before, "acme").send("ping", payloads.ping()), 401, "github_signature_invalid"
    )


@pytest.mark.usefixtures("acme")
def test_an_unsigned_webhook_is_refused() -> None:
    for org_id in (None, "acme", "nobody"):
        response = GitHub(org_id=org_id).send(
            "ping", payloads.ping(), **{"X-Hub-Signature-256": ""}
        )
        assert_problem(response, 401, "github_signature_missing")


def refusal(response: Any) -> bytes:
    assert_problem(response, 401, "github_signature_invalid")
    assert not GitHubDelivery.objects.exists()
    return bytes(response.content)


def test_every_wrong_secret_is_refused_alike(acme: Organization, settings: Settings) -> None:
    answers = {
        refusal(GitHub("wrong").send("push", payloads.push())),
        refusal(GitHub("wrong", "acme").send("push", payloads.push())),
        refusal(GitHub(APP_SECRET, "acme").send("push", payloads.push())),
        refusal(GitHub(organization_secret(acme)).send("push", payloads.push())),
        refusal(GitHub(organization_secret(acme), "").send("push", payloads.push())),
        refusal(GitHub(APP_SECRET, "nobody").send("push", payloads.push())),
        refusal(GitHub(APP_SECRET, "no%00body").send("push", payloads.push())),
    }
    settings.GITHUB_WEBHOOK_SECRET = None
    answers.add(refusal(GitHub(APP_SECRET).send("push", payloads.push())))
    answers.add(refusal(GitHub("").send("push", payloads.push())))
    assert len(answers) == 1


@pytest.mark.parametrize(
    "signature",
    [
        "sha256=",
        "sha256=" + "0" * 64,
        "é",
        hmac.new(APP_SECRET.encode(), b"{}", hashlib.sha256).hexdigest(),
        "sha1=" + hmac.new(APP_SECRET.encode(), b"{}", hashlib.sha1).hexdigest(),
        sign(APP_SECRET, b"{ }"),
        sign(APP_SECRET, b"{}") + "0",
        sign(APP_SECRET, b"{}").upper(),
    ],
)
def test_only_the_exact_signature_of_the_raw_bytes_is_taken(signature: str) -> None:
    response = GitHub().send("ping", b"{}", **{"X-Hub-Signature-256": signature})
    assert_problem(response, 401, "github_signature_invalid")
    assert GitHub().told("ping", b"{}") == "pong"


def test_a_body_is_not_parsed_before_it_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(_body: bytes) -> None:
        raise AssertionError

    monkeypatch.setattr("central.github.views.json_object", parse)
    refusal(GitHub("wrong").send("push", payloads.push()))


def test_signatures_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    real = hmac.compare_digest

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return real(one, other)

    monkeypatch.setattr(signatures.hmac, "compare_digest", compare)
    for org_id in (None, "nobody"):
        refusal(GitHub("wrong", org_id).send("push", payloads.push()))
    assert len(compared) == 2


def test_secrets_differ_between_organisations_and_versions(acme: Organization) -> None:
    globex = Organization.objects.create(slug="globex")
    first = organization_secret(acme)
    policy = GitHubPolicy.objects.create(organization=acme)
    assert organization_secret(acme) == first
    assert organization_secret(globex) != first
    policy.webhook_secret_version += 1
    policy.save()
    assert organization_secret(acme) != first
    refusal(GitHub(first, "acme").send("push", payloads.push()))
    assert GitHub(organization_secret(acme), "org-acme").told("ping", payloads.ping()) == "pong"


def command(slug: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("github_webhook_secret", organization=slug, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_prints_the_secret_alone_and_what_else_to_fill_in(
    acme: Organization, settings: Settings
) -> None:
    settings.PUBLIC_URL = "https://code.example.com"
    out, err = command("acme")
    assert out == f"{organization_secret(acme)}\n"
    assert "https://code.example.com/api/v1/github/webhook?org_id=acme" in err
    assert "application/json" in err
    assert "owner id" not in err


def test_the_command_says_what_is_lacking() -> None:
    assert settings.PUBLIC_URL is None
    Organization.objects.create(slug="acme")
    assert "owner id" in command("org-acme")[1]
    with pytest.raises(CommandError, match="There is no organisation 'nobody'"):
        command("nobody")


def test_the_address_is_the_one_that_larger_bodies_are_admitted_to() -> None:
    assert reverse("github-webhook") == payloads.URL


def test_the_command_makes_a_new_secret_and_notes_it(acme: Organization) -> None:
    before = organization_secret(acme)
    call_command("github_webhook_secret", "--new", organization="acme", stdout=(out := StringIO()))
    secret = out.getvalue().strip()
    assert secret == organization_secret(Organization.objects.get()) != before
    refusal(GitHub(before, "acme").send("push", payloads.push()))
    assert GitHub(secret, "acme").told("ping", payloads.ping()) == "pong"
    entry = AuditEntry.objects.get()
    assert entry.detail == {"webhook_secret_version": 2}
