"""`manage.py remove_member USERNAME --organization SLUG`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services.memberships import remove_member, user_named
from central.tenancy.services.organizations import organization_named


class Command(ServiceCommand):
    help = (
        "End a person's membership of an organisation. Its pages are not found for them from then "
        "on, and their tokens there are refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        self.add_organization(parser)

    def run(self, options: dict[str, Any]) -> None:
        organization = organization_named(options["organization"])
        user = user_named(options["username"])
        remove_member(user=user, organization=organization, actor=COMMAND)
        self.stdout.write(f"{user.get_username()} is no member of {organization} any more.")
        if user.is_superuser:
            self.stderr.write("As a superuser, they still see every organisation.")
