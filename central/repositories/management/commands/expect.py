"""`manage.py expect --organization SLUG [--repository NAME … [--not] | --installation on|off]`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.repositories.actions import expect_index, expect_no_index, repositories_named
from central.repositories.expectations import without_index
from central.repositories.installations import expect_installed
from central.repositories.models import ExpectedBy, Repository
from central.tenancy.audit import COMMAND
from central.tenancy.models import Organization
from central.tenancy.services.organizations import organization_named


class Command(ServiceCommand):
    help = (
        "Without --repository: list the repositories that should have an index and have none; "
        "every answer about them is incomplete. With it and --not: answers do not lack these, "
        "until they are indexed. With it alone: answers lack them again. With --installation: "
        "whether answers lack what an installation of the GitHub App lists."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("--repository", nargs="+", default=[], metavar="NAME")
        chosen.add_argument(
            "--installation", choices=["on", "off"], help="expect what the GitHub App lists"
        )
        parser.add_argument("--not", action="store_true", help="they are not expected")

    def run(self, options: dict[str, Any]) -> None:
        """Print for how many that is new. An unknown name changes nothing."""
        organization = organization_named(options["organization"])
        here = Repository.objects.filter(organization=organization, retired_at=None)
        if options["installation"]:
            self._switch(organization, options["installation"])
            return
        names = options["repository"]
        if not names:
            for repository in without_index(here).order_by("name"):
                why = repository.trouble_detail or "no run of it was applied yet"
                since = f"{repository.created_at:%Y-%m-%d %H:%M} UTC"
                self.stdout.write(f"{repository.name}: announced at {since}; {why}")
            return
        found = repositories_named(organization, names)
        act = expect_no_index if options["not"] else expect_index
        changed = sum(act(repository, actor=COMMAND) for repository in found)
        self.stdout.write(f"Changed for {changed:,} of {len(found):,} repositories.")

    def _switch(self, organization: Organization, setting: str) -> None:
        expect_installed(organization, is_on=setting == "on", actor=COMMAND)
        here = Repository.objects.filter(organization=organization, retired_at=None)
        missing = without_index(here).filter(expected_by=ExpectedBy.INSTALLATION).count()
        self.stdout.write(
            f"Repositories that the GitHub App lists are expected: {setting}. Without an index "
            f"are {missing:,} of them that nothing else announced."
        )
