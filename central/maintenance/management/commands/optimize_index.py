"""`manage.py optimize_index`, with the service stopped."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from central.corpus.backends import vector_store
from central.runtime import data_directory
from indexer.errors import StoreError


class Command(BaseCommand):
    """Compact the vector store."""

    help = "Compact and index the vector store. Searches wait meanwhile: stop the service first."

    def handle(self, *args: Any, **options: Any) -> None:
        """Refuse while the embedded server runs."""
        del args, options
        server = data_directory.running_server(settings.DATA_DIR)
        if server and settings.VECTOR_STORE_URL.startswith("edge:"):
            raise CommandError(f"Stop the server first: pid {server['pid']} at {server['url']}.")
        try:
            vector_store().optimize()
        except StoreError as exc:
            raise CommandError(str(exc)) from exc
        self.stdout.write("The vector store is compact.")
