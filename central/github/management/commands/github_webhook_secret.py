"""`manage.py github_webhook_secret --organization SLUG`."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.urls import reverse

from central.commands import ServiceCommand
from central.github.services.policies import renew_webhook_secret
from central.github.signatures import organization_secret
from central.tenancy.audit import COMMAND
from central.tenancy.models import Organization
from central.tenancy.services.organizations import organization_named


class Command(ServiceCommand):
    help = (
        "Print, alone on standard output, the secret for the webhooks of an organisation on "
        "GitHub; on standard error, what else to fill in there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument(
            "--new", action="store_true", help="make another secret; GitHub needs it at once"
        )

    def run(self, options: dict[str, Any]) -> None:
        organization = organization_named(options["organization"])
        if options["new"]:
            organization = renew_webhook_secret(organization, actor=COMMAND)
        self.stdout.write(organization_secret(organization))
        for line in _form(organization):
            self.stderr.write(line)


def _form(organization: Organization) -> list[str]:
    """Return the other fields of GitHub's form, and settings that are missing here."""
    origin = (settings.PUBLIC_URL or "https://<this service>").rstrip("/")
    lines = [
        f"Payload URL: {origin}{reverse('github-webhook')}?org_id={organization.slug}",
        "Content type: application/json",
        "Events: pushes, repositories",
    ]
    if organization.github_owner_id is None:
        lines.append(
            "The organisation has no GitHub owner id yet: until an administrator sets it, its "
            "webhooks are refused."
        )
    return lines
