"""`manage.py revoke_token PREFIX_OR_ID`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services.tokens import find_token, revoke_token


class Command(ServiceCommand):
    help = "Revoke an API token: it is refused from the next request on, and for good."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "token",
            metavar="PREFIX_OR_ID",
            help="its first characters (aet_…) or its number, as list_tokens and the admin say",
        )

    def run(self, options: dict[str, Any]) -> None:
        token = find_token(options["token"])
        if not revoke_token(token, actor=COMMAND):
            raise CommandError(f"{token} was revoked at {token.revoked_at:%Y-%m-%d %H:%M} UTC.")
        self.stdout.write(f"Revoked: {token} {token.name}".rstrip())
