"""`manage.py export_organization SLUG --output FILE.tar.gz`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from central.commands import ServiceCommand
from central.maintenance.organization_export import export_organization
from central.runtime.data_directory import atomic_write
from central.tenancy.audit import COMMAND, record
from central.tenancy.services.organizations import organization_named


class Command(ServiceCommand):
    help = (
        "Write all that an organisation gave to this service, and that was made of it, to one "
        "archive: settings, members, tokens (not what they are checked against), repositories "
        "with files, symbols and references, runs, and its audit log. The service may run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", metavar="SLUG")
        parser.add_argument("--output", required=True, metavar="FILE.tar.gz", type=Path)

    def run(self, options: dict[str, Any]) -> None:
        """Write the file, complete or not at all, and print its size."""
        path: Path = options["output"]
        organization = organization_named(options["organization"])
        slug = organization.slug
        record(actor=COMMAND, action="organization.exported", target=slug, organization=slug)
        try:
            with atomic_write(path) as output:
                manifest = export_organization(organization, output)
        except OSError as exc:
            raise CommandError(f"{path} cannot be written: {exc.strerror}.") from exc
        members = len(manifest["members"])
        self.stdout.write(f"{path}: {members} members, {path.stat().st_size:,} bytes")
