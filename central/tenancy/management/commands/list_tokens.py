"""`manage.py list_tokens --organization SLUG`."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.models import ApiToken
from central.tenancy.services.organizations import organization_named
from central.tenancy.services.tokens import persistent_tokens


class Command(ServiceCommand):
    help = (
        "List an organisation's tokens that are taken, one on a line, but for those of single "
        "jobs: number, first characters, scopes, whose, last use, expiry, name."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)

    def run(self, options: dict[str, Any]) -> None:
        organization = organization_named(options["organization"])
        for token in persistent_tokens(organization):
            self.stdout.write("\t".join(_cells(token)))


def _cells(token: ApiToken) -> list[str]:
    return [
        str(token.pk),
        token.prefix,
        ",".join(token.scopes),
        token.owner.get_username() if token.owner else "organisation",
        f"used {_day(token.last_used_at, 'never')}",
        f"until {_day(token.expires_at, 'revoked')}",
        token.name,
    ]


def _day(moment: datetime | None, otherwise: str) -> str:
    return f"{moment:%Y-%m-%d}" if moment else otherwise
