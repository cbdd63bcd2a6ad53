"""`manage.py create_organization SLUG [--github-owner-id N] [--embedder EMBEDDER]`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import create_organization


class Command(ServiceCommand):
    help = "Create an organisation, the tenant that repositories and tokens belong to."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--github-owner-id", type=int)
        parser.add_argument("--embedder", help="such as openai/text-embedding-3-small/1536")

    def run(self, options: dict[str, Any]) -> None:
        organization = create_organization(
            slug=options["slug"],
            actor=COMMAND,
            github_owner_id=options["github_owner_id"],
            embedder=options["embedder"],
        )
        self.stdout.write(organization.slug)
