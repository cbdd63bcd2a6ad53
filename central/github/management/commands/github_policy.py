"""`manage.py github_policy --organization SLUG [--owner-id N] [--enable] …`."""

from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

from django.conf import settings

from central.commands import ServiceCommand, split_list
from central.github.models import GitHubPolicy
from central.github.services.policies import set_policy
from central.tenancy.audit import COMMAND

_CHANGES = ("enabled", "events", "refs", "job_workflow_refs", "impact")


class Command(ServiceCommand):
    help = (
        "Say which GitHub Actions jobs may index an organisation's repositories without an API "
        "token, and print the policy as it is then. What is not given stays."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument(
            "--owner-id", type=int, metavar="N", help="GitHub's id of the owner, user or company"
        )
        switch = parser.add_mutually_exclusive_group()
        switch.add_argument("--enable", action="store_true", default=None, dest="enabled")
        switch.add_argument("--disable", action="store_false", default=None, dest="enabled")
        parser.add_argument(
            "--events", type=split_list, metavar="A,B", help="whose jobs may index: push,schedule"
        )
        parser.add_argument(
            "--refs", nargs="*", metavar="PATTERN", help="such as refs/heads/main; none given: any"
        )
        parser.add_argument(
            "--job-workflow-refs",
            nargs="*",
            metavar="PATTERN",
            help="such as acme/.github/.github/workflows/code-index.yml@refs/heads/main; none "
            "given: any",
        )
        parser.add_argument(
            "--impact",
            action=BooleanOptionalAction,
            default=None,
            help="whether jobs of pull requests may search",
        )

    def run(self, options: dict[str, Any]) -> None:
        changes = {name: options[name] for name in _CHANGES if options[name] is not None}
        policy = set_policy(
            organization_slug=options["organization"],
            actor=COMMAND,
            owner_id=options["owner_id"],
            **changes,
        )
        self._print(policy)

    def _print(self, policy: GitHubPolicy) -> None:
        owner_id = policy.organization.github_owner_id
        lines = {
            "organization": policy.organization.slug,
            "owner id": owner_id or "none",
            "enabled": _yes_or_no(policy.enabled),
            "events": ", ".join(policy.events),
            "refs": ", ".join(policy.refs) or "any branch at first, then the tracked one",
            "job workflow refs": ", ".join(policy.job_workflow_refs) or "any",
            "impact": _yes_or_no(policy.impact),
            "issuer": settings.GITHUB_OIDC_ISSUER,
            "audience": settings.PUBLIC_URL or "not known here",
        }
        for name, value in lines.items():
            self.stdout.write(f"{name}: {value}")
        needed = {
            "--enable": policy.enabled,
            "--owner-id": owner_id,
        }
        for what, there in needed.items():
            if not there:
                self.stderr.write(f"No job is accepted yet: set {what}.")
        if not settings.PUBLIC_URL:
            self.stderr.write(
                "AETERNA_PUBLIC_URL is not set here: make sure that it is where the service runs."
            )


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"
