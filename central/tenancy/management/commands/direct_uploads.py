"""`manage.py direct_uploads --organization SLUG on|off`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services import set_direct_uploads


class Command(ServiceCommand):
    """Allow an organisation's indexers to write vectors to the vector store themselves."""

    help = (
        "Let an organisation's indexers write vectors to Qdrant themselves "
        "(docs/how-to/vector-stores.md), or no longer. "
        "A token that was given out stays good until it ends."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the organisation and the setting."""
        self.add_organization(parser)
        parser.add_argument("setting", choices=["on", "off"])

    def run(self, options: dict[str, Any]) -> None:
        """Print what holds now."""
        slug = options["organization"].removeprefix("org-")
        is_on = options["setting"] == "on"
        set_direct_uploads(organization_slug=slug, is_on=is_on, actor=COMMAND)
        self.stdout.write(f"Direct uploads of {slug} are {options['setting']}.")
