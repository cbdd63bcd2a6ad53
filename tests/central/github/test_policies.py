"""Switching keyless trust on: the command, the admin, and what neither takes."""

import pytest
from django.core.management import CommandError, call_command

from central.github.models import GitHubPolicy
from tests.central.factories import OrganizationFactory
from tests.central.github.job import AUDIENCE, api_of_job, exchange
from tests.local_github import LocalGitHub

pytestmark = pytest.mark.django_db

WORKFLOW = "acme/.github/.github/workflows/code-index.yml@refs/heads/main"


def set_policy(*options: str) -> GitHubPolicy:
    call_command("github_policy", "--organization", "acme", *options)
    return GitHubPolicy.objects.select_related("organization").get(organization__slug="acme")


def test_one_command_lets_jobs_in(github: LocalGitHub, capsys: pytest.CaptureFixture[str]) -> None:
    OrganizationFactory.create(slug="acme")
    assert exchange(github.id_token(AUDIENCE)).json()["code"] == "oidc_owner_unknown"
    set_policy("--owner-id", "9919", "--enable")
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "organization: acme",
        "owner id: 9919",
        "enabled: yes",
        "events: push, workflow_dispatch, schedule",
        "refs: any branch at first, then the tracked one",
        "job workflow refs: any",
        "impact: no",
        f"issuer: {github.issuer}",
        f"audience: {AUDIENCE}",
    ]
    assert "Nobody" not in printed.err
    assert api_of_job(github).open(default_branch="main").status_code == 201


def test_what_is_not_given_stays() -> None:
    OrganizationFactory.create(slug="acme", github_owner_id=9919)
    policy = set_policy("--events", "push,merge_group", "--refs", "refs/heads/main", "--impact")
    assert (policy.events, policy.refs) == (["push", "merge_group"], ["refs/heads/main"])
    policy = set_policy("--job-workflow-refs", WORKFLOW, "--enable")
    assert policy.refs == ["refs/heads/main"]
    assert (policy.job_workflow_refs, policy.impact, policy.enabled) == ([WORKFLOW], True, True)
    policy = set_policy("--refs", "--no-impact", "--disable")
    assert (policy.refs, policy.impact, policy.enabled) == ([], False, False)
    assert policy.organization.github_owner_id == 9919


def test_looking_at_a_policy_lets_nobody_in(capsys: pytest.CaptureFixture[str]) -> None:
    OrganizationFactory.create(slug="acme", github_owner_id=9919)
    assert not set_policy().enabled
    assert "No job is accepted yet: set --enable" in capsys.readouterr().err


def test_what_is_lacking_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    OrganizationFactory.create(slug="acme")
    set_policy("--enable")
    errors = capsys.readouterr().err
    assert "--owner-id" in errors
    assert "AETERNA_PUBLIC_URL" in errors


@pytest.mark.parametrize(
    "options",
    [
        ["--organization", "nowhere"],
        ["--organization", "acme", "--events", "push,pull_request_target"],
        ["--organization", "acme", "--events", ""],
        ["--organization", "acme", "--events", "Push!"],
        ["--organization", "acme", "--refs", "main"],
        ["--organization", "acme", "--refs", ""],
        ["--organization", "acme", "--job-workflow-refs", "code-index.yml"],
        ["--organization", "acme", "--owner-id", "0"],
        ["--organization", "acme", "--owner-id", str(2**40)],
        ["--organization", "acme", "--owner-id", "7"],
    ],
)
def test_the_command_refuses_with_a_sentence(options: list[str]) -> None:
    OrganizationFactory.create(slug="acme")
    OrganizationFactory.create(slug="globex", github_owner_id=7)
    with pytest.raises(CommandError, match=r"\."):
        call_command("github_policy", "--enable", *options)
    assert not GitHubPolicy.objects.exists()
