"""`manage.py dump_index --organization SLUG --repository NAME`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from central.errors import ServiceError
from central.maintenance.loopback import ask_server
from central.maintenance.reconcile import dump_of
from indexer.errors import StoreError


class Command(BaseCommand):
    """Print the canonical index."""

    help = "Print a repository's index as sorted NDJSON; equal indexes give equal bytes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare which repository."""
        parser.add_argument("--organization", required=True, metavar="SLUG")
        parser.add_argument("--repository", required=True, metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask the running server, or open the store."""
        del args
        names = {key: options[key] for key in ("organization", "repository")}
        try:
            answer = ask_server("/internal/dump-index", names)
            if answer is None:
                answer = "".join(f"{line}\n" for line in dump_of(**names)).encode()
        except (ServiceError, StoreError) as exc:
            raise CommandError(str(exc)) from exc
        self.stdout.write(answer.decode(), ending="")
