"""`manage.py export_organization SLUG --output FILE.tar.gz`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from central.errors import ServiceError
from central.maintenance.organization_export import export_organization
from central.runtime.data_directory import atomic_write
from central.tenancy.audit import COMMAND, record
from central.tenancy.services import organization_named


class Command(BaseCommand):
    """Export an organisation."""

    help = (
        "Write all that an organisation gave to this service, and that was made of it, to one "
        "archive: settings, members, tokens (not what they are checked against), repositories "
        "with files, symbols and references, runs, and its audit log. The service may run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare which, and where to."""
        parser.add_argument("organization", metavar="SLUG")
        parser.add_argument("--output", required=True, metavar="FILE.tar.gz", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was written; a file that is there is whole, and its owner's alone."""
        del args
        path: Path = options["output"]
        try:
            organization = organization_named(options["organization"])
            slug = organization.slug
            record(actor=COMMAND, action="organization.exported", target=slug, organization=slug)
            with atomic_write(path) as output:
                manifest = export_organization(organization, output)
        except ServiceError as exc:
            raise CommandError(str(exc)) from exc
        except OSError as exc:
            raise CommandError(f"{path} cannot be written: {exc.strerror}.") from exc
        members = len(manifest["members"])
        self.stdout.write(f"{path}: {members} members, {path.stat().st_size:,} bytes")
