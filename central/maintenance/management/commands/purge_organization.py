"""`manage.py purge_organization SLUG --confirm SLUG`."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from central.commands import ServiceCommand
from central.corpus.backends import is_store_embedded
from central.ingest.services.claims import sweep
from central.maintenance.organization_deletion import purge_retired, schedule_deletion
from central.maintenance.repository_deletion import WRITERS_SECONDS
from central.repositories.models import Repository
from central.runtime import data_directory
from central.tenancy.audit import COMMAND
from central.tenancy.models import Organization

_PAUSE_SECONDS = 1.0
_LINE_SECONDS = 10.0


class Command(ServiceCommand):
    help = (
        "Delete an organisation with all its repositories, members and tokens, for good. It is "
        "invisible from the start of the command; its entries in the audit log stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", metavar="SLUG")
        parser.add_argument(
            "--confirm", metavar="SLUG", default="", help="the same once more: there is no way back"
        )
        parser.add_argument(
            "--no-wait", action="store_true", help="leave the deleting to the running service"
        )

    def run(self, options: dict[str, Any]) -> None:
        """Schedule the deletion, then wait for the server that has the store, or purge here."""
        slug = options["organization"].removeprefix("org-")
        if options["confirm"].removeprefix("org-") != slug:
            raise CommandError(f"Nothing was changed: add --confirm {slug} to delete it for good.")
        organization = schedule_deletion(slug=slug, actor=COMMAND)
        self._say(f"{slug}: it is no longer visible.")
        if not options["no_wait"]:
            self._wait(organization)

    def _wait(self, organization: Organization) -> None:
        """Wait for the time in which runs may still write to repositories, and for the deletion."""
        self._say(
            f"{organization.slug}: deleting begins within {WRITERS_SECONDS} s, when no "
            "run that was under way can write to it any more."
        )
        next_line = 0.0
        while Organization.all_objects.filter(pk=organization.pk).exists():
            if not _is_store_held():
                sweep()  # ends the runs that keep its repositories
                purge_retired(organization=organization)
            left = Repository.objects.filter(organization=organization).count()
            if left and time.monotonic() >= next_line:
                next_line = time.monotonic() + _LINE_SECONDS
                self._say(f"{organization.slug}: {left} repositories are left to delete.")
            if left or _is_store_held():
                time.sleep(_PAUSE_SECONDS)
        self._say(f"{organization.slug}: all of it is deleted.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _is_store_held() -> bool:
    """Whether a running server, whose worker purges, has the vector store."""
    return is_store_embedded() and data_directory.is_in_use(settings.DATA_DIR)
