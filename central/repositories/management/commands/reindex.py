"""`manage.py reindex --organization SLUG [--repository NAME …]`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.repositories.actions import repositories_named, request_reindex
from central.repositories.models import Repository
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import organization_named


class Command(ServiceCommand):
    help = (
        "Have the next run of each repository process every file, whatever has changed. It starts "
        "with the next merge; to start it now, run the repository's indexing workflow by hand."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument(
            "--repository", nargs="+", metavar="NAME", help="some repositories; without: all"
        )

    def run(self, options: dict[str, Any]) -> None:
        """Print for how many it is requested now. An unknown name changes nothing."""
        organization = organization_named(options["organization"])
        repositories = Repository.objects.filter(organization=organization, retired_at=None)
        names = options["repository"] or repositories.values_list("name", flat=True)
        found = repositories_named(organization, names)
        new = sum(request_reindex(repository, actor=COMMAND) for repository in found)
        self.stdout.write(
            f"Requested for {new:,} of {len(found):,} repositories; for the others it was already."
            if new < len(found)
            else f"Requested for {new} repositories."
        )
