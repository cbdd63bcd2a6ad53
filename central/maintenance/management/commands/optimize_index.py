"""`manage.py optimize_index`, with the service stopped."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from central.commands import ServiceCommand
from central.corpus.backends import is_store_embedded, vector_store
from central.runtime import data_directory


class Command(ServiceCommand):
    help = "Compact and index the vector store. Searches wait meanwhile: stop the service first."

    def run(self, options: dict[str, Any]) -> None:
        """Refuse while the embedded server runs."""
        del options
        server = data_directory.running_server(settings.DATA_DIR)
        if server and is_store_embedded():
            raise CommandError(f"Stop the server first: pid {server['pid']} at {server['url']}.")
        vector_store().optimize()
        self.stdout.write("The vector store is compact.")
