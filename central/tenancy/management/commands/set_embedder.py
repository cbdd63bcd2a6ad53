"""`manage.py set_embedder --organization SLUG EMBEDDER`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from central.commands import ServiceCommand
from central.errors import ServiceError
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import set_embedder
from indexer.errors import EmbeddingError


class Command(ServiceCommand):
    help = (
        "Have an organisation's code embedded by another service or model. Asks it once first, and "
        "changes nothing if it does not answer as it should."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument(
            "embedder",
            help="provider/model/dimensions, such as openai/text-embedding-3-small/1536, "
            "ollama/nomic-embed-text/768 or builtin/aeterna-static-1/256",
        )

    def run(self, options: dict[str, Any]) -> None:
        slug, embedder = options["organization"], options["embedder"]
        try:
            behind = set_embedder(organization_slug=slug, embedder=embedder, actor=COMMAND)
        except (ServiceError, EmbeddingError) as exc:
            raise CommandError(f"{exc} Nothing was changed.") from exc
        self.stdout.write(f"{slug} is now embedded by {embedder}.")
        if behind:
            which = "1 repository is" if behind == 1 else f"{behind} repositories are"
            self.stdout.write(
                f"{which} indexed with another embedder: each is indexed in full at its next run, "
                "and until then searched with the vectors that it has."
            )
