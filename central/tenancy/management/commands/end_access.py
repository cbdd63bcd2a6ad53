"""`manage.py end_access USERNAME`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services.memberships import end_access, user_named


class Command(ServiceCommand):
    help = (
        "End a person's access to the whole service: sessions, personal tokens and sign-in are "
        "refused from then on. Memberships stay, for the case that the person comes back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def run(self, options: dict[str, Any]) -> None:
        user = user_named(options["username"])
        is_new = end_access(user, actor=COMMAND)
        ended = "is ended" if is_new else "was ended already"
        self.stdout.write(f"The access of {user.get_username()} {ended}.")
