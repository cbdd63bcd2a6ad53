"""`manage.py alerts ORGANISATION [--address ADDRESS | --test | --remove]`."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from central.alerts.services.destinations import remove_destination, send_test, set_destination
from central.alerts.signing import signing_secret
from central.alerts.status import alert_status
from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.models import Organization
from central.tenancy.services.organizations import organization_named


class Command(ServiceCommand):
    help = (
        "Report stale and failing repositories of an organisation to an address that takes "
        "Slack's messages. Without an option, print its state."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", metavar="ORGANISATION", help="its slug")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--address",
            metavar="ADDRESS",
            help="send alerts there and print the secret that signs them; '-' reads the address "
            "from standard input, so that it is in no list of processes",
        )
        what.add_argument("--test", action="store_true", help="send a test now")
        what.add_argument("--remove", action="store_true", help="send no more alerts")
        parser.add_argument(
            "--new-secret", action="store_true", help="with --address: replace the secret"
        )

    def run(self, options: dict[str, Any]) -> None:
        organization = organization_named(options["organization"])
        if options["address"]:
            self._set(organization, options["address"], new_secret=options["new_secret"])
        elif options["test"]:
            if failure := send_test(organization=organization):
                raise CommandError(failure.message)
            self.stdout.write("The test was delivered.")
        elif options["remove"]:
            remove_destination(organization=organization, actor=COMMAND)
            self.stdout.write(f"{organization.slug} gets no more alerts.")
        else:
            self._print(organization)

    def _set(self, organization: Organization, address: str, *, new_secret: bool) -> None:
        destination = set_destination(
            organization=organization,
            address=sys.stdin.readline().strip() if address == "-" else address,
            new_secret=new_secret,
            actor=COMMAND,
        )
        self.stdout.write(signing_secret(destination))
        self.stderr.write(
            "The receiver verifies messages with this secret, or ignores it, as Slack does. "
            f"Send a test: manage.py alerts {organization.slug} --test"
        )

    def _print(self, organization: Organization) -> None:
        status = alert_status(organization)
        if status.destination is None:
            self.stdout.write("No receiver is set.")
            return
        found = status.destination
        why = f": {found.error}" if found.error else ""
        self.stdout.write(f"{found.address} {found.state}{why}")
        for alert in status.alerts:
            told = "reported" if alert.reported_at else "not reported yet"
            self.stdout.write(
                f"{alert.project} {alert.condition} since {alert.since:%Y-%m-%d %H:%M} UTC ({told})"
            )
        if status.count > len(status.alerts):
            self.stdout.write(f"and {status.count - len(status.alerts):,} more")
