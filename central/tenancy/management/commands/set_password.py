"""`manage.py set_password USERNAME`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.management.password import ask_password
from central.tenancy.services.memberships import set_password, user_named


class Command(ServiceCommand):
    help = "Set a person's password, which ends their sessions. Asks for it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from the first line of standard input",
        )

    def run(self, options: dict[str, Any]) -> None:
        user = user_named(options["username"])
        password = ask_password(from_stdin=options["password_stdin"])
        set_password(user, password, actor=COMMAND)
        self.stdout.write(f"{user.get_username()} has another password.")
