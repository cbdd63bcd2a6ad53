"""`manage.py backup FILE`."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from central.commands import ServiceCommand
from central.maintenance.backup import write_archive
from central.runtime.data_directory import atomic_write


class Command(ServiceCommand):
    help = (
        "Write the whole database as it is at this moment to a new file, beside the running "
        "service. Vectors are made again by `restore`. Keep SECRET_KEY too, apart from it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="or '-' for standard output")

    def run(self, options: dict[str, Any]) -> None:
        """Write the file: complete or not at all, readable only by its owner."""
        try:
            if options["file"] == "-":
                write_archive(sys.stdout.buffer)
            else:
                self._write(Path(options["file"]))
        except OSError as exc:
            raise CommandError(f"{options['file']}: {exc.strerror}.") from exc

    def _write(self, path: Path) -> None:
        if path.exists():
            raise CommandError(f"{path} is there already: name a new file.")
        with atomic_write(path) as file:
            write_archive(file)
        self.stdout.write(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
