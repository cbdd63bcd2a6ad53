"""`manage.py authors --organization SLUG off|hashed|plain`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.corpus.authors import set_author_policy
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import organization_named
from indexer.records.authors import AuthorPolicy


class Command(ServiceCommand):
    help = (
        "Have the authors of an organisation's commits stored: as their addresses (plain), as "
        "digests, which a search finds by the whole address (hashed), or not (off). A stricter "
        "policy changes what is stored at once, another one what comes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument("policy", choices=[policy.value for policy in AuthorPolicy])

    def run(self, options: dict[str, Any]) -> None:
        organization = organization_named(options["organization"])
        set_author_policy(organization, AuthorPolicy(options["policy"]), actor=COMMAND)
        self.stdout.write(f"Authors of commits of {organization} are {options['policy']}.")
