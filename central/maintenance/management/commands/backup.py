"""`manage.py backup FILE`."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from central.errors import ServiceError
from central.maintenance.backup import write_archive
from central.runtime.data_directory import atomic_write


class Command(BaseCommand):
    """Back up everything but what can be made again."""

    help = (
        "Write the whole database as it is at this moment to a new file, beside the running "
        "service. Vectors are made again by `restore`. Keep SECRET_KEY too, apart from it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare where to."""
        parser.add_argument("file", metavar="FILE", help="or '-' for standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it; a file that is there is whole, and its owner's alone."""
        del args
        try:
            if options["file"] == "-":
                write_archive(sys.stdout.buffer)
            else:
                self._write(Path(options["file"]))
        except ServiceError as exc:
            raise CommandError(exc.message) from exc
        except OSError as exc:
            raise CommandError(f"{options['file']}: {exc.strerror}.") from exc

    def _write(self, path: Path) -> None:
        if path.exists():
            raise CommandError(f"{path} is there already: name a new file.")
        with atomic_write(path) as file:
            write_archive(file)
        self.stdout.write(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
