"""`manage.py reconcile [--check]`."""

import sys
from argparse import ArgumentParser
from typing import Any

from msgspec.json import decode

from central.commands import ServiceCommand
from central.maintenance.loopback import ask_server
from central.maintenance.reconcile import Report, reconcile

_COLUMNS = (
    "organization",
    "repository",
    "chunks",
    "missing",
    "unrepairable",
    "excess",
    "due",
    "differing",
)


class Command(ServiceCommand):
    help = (
        "Put right what the vector store lacks or has in excess, and what of the text index and "
        "the knowledge graph differs from the indexed code; --check only reports. What is due, "
        "the worker is about to make."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="change nothing; exit 1 if anything differs"
        )

    def run(self, options: dict[str, Any]) -> None:
        """Ask the running server, or open the store; print a table."""
        is_check = bool(options["check"])
        answer = ask_server("/internal/reconcile", {"repair": not is_check})
        report = decode(answer, type=Report) if answer else reconcile(repair=not is_check)
        self._print(report)
        is_incomplete = any(row.unrepairable for row in report.repositories)
        if not report.is_clean if is_check else is_incomplete:
            sys.exit(1)

    def _print(self, report: Report) -> None:
        self.print_table(_COLUMNS, report.repositories)
        self.stdout.write(
            f"embeddings past retention: {report.embeddings}  "
            f"uploads of ended runs: {report.uploads}"
        )
