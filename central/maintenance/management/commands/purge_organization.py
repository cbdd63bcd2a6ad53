"""`manage.py purge_organization SLUG --confirm SLUG`."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from central.errors import ServiceError
from central.ingest.services.claims import sweep
from central.maintenance.organization_deletion import purge_organizations, retire_organization
from central.maintenance.repository_deletion import purge_repository, purgeable_repositories
from central.repositories.models import Repository
from central.runtime import data_directory
from central.tenancy.audit import COMMAND
from central.tenancy.models import Organization
from indexer.errors import StoreError

_PAUSE_SECONDS = 1.0
_LINE_SECONDS = 10.0


class Command(BaseCommand):
    """Delete an organisation."""

    help = (
        "Delete an organisation with all its repositories, members and tokens, for good. Nobody "
        "sees it from the start of the command; its entries in the audit log stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare which, twice."""
        parser.add_argument("organization", metavar="SLUG")
        parser.add_argument(
            "--confirm", metavar="SLUG", default="", help="the same once more: there is no way back"
        )
        parser.add_argument(
            "--no-wait", action="store_true", help="leave the deleting to the running service"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Retire it, then wait for the server that has the store, or purge here."""
        del args
        slug = options["organization"].removeprefix("org-")
        if options["confirm"].removeprefix("org-") != slug:
            raise CommandError(f"Nothing was changed: add --confirm {slug} to delete it for good.")
        try:
            organization = retire_organization(slug=slug, actor=COMMAND)
            self._say(f"{slug}: nobody sees it any more.")
            if not options["no_wait"]:
                self._wait(organization)
        except (ServiceError, StoreError) as exc:
            raise CommandError(str(exc)) from exc

    def _wait(self, organization: Organization) -> None:
        """Repositories wait for a lease, in which somebody may still write to them."""
        self._say(
            f"{organization.slug}: deleting begins within {settings.RUN_LEASE_SECONDS} s, when no "
            "run that was under way can write to it any more."
        )
        next_line = 0.0
        while Organization.everything.filter(pk=organization.pk).exists():
            if not _is_the_servers():
                _purge(organization)
            left = Repository.objects.filter(organization=organization).count()
            if left and time.monotonic() >= next_line:
                next_line = time.monotonic() + _LINE_SECONDS
                self._say(f"{organization.slug}: {left} repositories are left to delete.")
            if left or _is_the_servers():
                time.sleep(_PAUSE_SECONDS)
        self._say(f"{organization.slug}: all of it is deleted.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _is_the_servers() -> bool:
    """Whether the vector store belongs to a running server, whose sweeper then purges."""
    is_edge = settings.VECTOR_STORE_URL.startswith("edge:")
    return is_edge and data_directory.is_in_use(settings.DATA_DIR)


def _purge(organization: Organization) -> None:
    sweep()  # ends the runs that keep its repositories
    own = set(organization.repositories.values_list("pk", flat=True))
    for repository_id in purgeable_repositories(now=timezone.now()):
        if repository_id in own:
            purge_repository(repository_id=repository_id)
    purge_organizations()
