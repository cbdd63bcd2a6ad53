"""`manage.py library_models --organization SLUG on|off`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import organization_named, set_models


class Command(ServiceCommand):
    help = (
        "Have an organisation's traces use the models of libraries "
        "(docs/reference/trace.md#models-of-libraries), or not. Nothing is indexed again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument("setting", choices=["on", "off"])

    def run(self, options: dict[str, Any]) -> None:
        organization = organization_named(options["organization"])
        set_models(organization, is_on=options["setting"] == "on", actor=COMMAND)
        self.stdout.write(f"Models of libraries are {options['setting']} for {organization}.")
