"""`manage.py create_organization SLUG [--github-owner-id N] [--embedder EMBEDDER]`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services import create_organization


class Command(ServiceCommand):
    """Make a tenant."""

    help = "Create an organisation, the tenant that repositories and tokens belong to."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the slug and the optional settings."""
        parser.add_argument("slug")
        parser.add_argument("--github-owner-id", type=int)
        parser.add_argument("--embedder", help="such as openai/text-embedding-3-small/1536")

    def run(self, options: dict[str, Any]) -> None:
        """Print the slug."""
        organization = create_organization(
            slug=options["slug"],
            actor=COMMAND,
            github_owner_id=options["github_owner_id"],
            embedder=options["embedder"],
        )
        self.stdout.write(organization.slug)
