"""`manage.py dump_index --organization SLUG --repository NAME`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.maintenance.loopback import ask_server
from central.maintenance.reconcile import dump_of


class Command(ServiceCommand):
    help = "Print a repository's index as sorted NDJSON; equal indexes give equal bytes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument("--repository", required=True, metavar="NAME")
        parser.add_argument(
            "--ref", default="", metavar="BRANCH", help="A branch beside the default one"
        )

    def run(self, options: dict[str, Any]) -> None:
        """Ask the running server, or open the store."""
        names = {key: options[key] for key in ("organization", "repository", "ref")}
        answer = ask_server("/internal/dump-index", names)
        if answer is None:
            answer = "".join(f"{line}\n" for line in dump_of(**names)).encode()
        self.stdout.write(answer.decode(), ending="")
