"""`manage.py direct_uploads --organization SLUG on|off`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import set_direct_uploads


class Command(ServiceCommand):
    help = (
        "Let an organisation's indexers write vectors to Qdrant themselves "
        "(docs/how-to/vector-stores.md), or no longer. "
        "A token that was issued stays valid until it expires."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument("setting", choices=["on", "off"])

    def run(self, options: dict[str, Any]) -> None:
        slug = options["organization"].removeprefix("org-")
        is_on = options["setting"] == "on"
        set_direct_uploads(organization_slug=slug, is_on=is_on, actor=COMMAND)
        self.stdout.write(f"Direct uploads of {slug} are {options['setting']}.")
