"""`manage.py restore FILE`."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from django.conf import settings
from django.core.management.base import CommandError

from central.commands import ServiceCommand, display
from central.corpus.backends import is_store_embedded
from central.maintenance.archive_rows import BACKUP_SPACE_CHECK_BYTES
from central.maintenance.backup import restore_archive
from central.runtime.data_directory import (
    DataDirectoryHeldError,
    disk_space_error,
    lock_data_directory,
    private_directory,
)
from indexer.errors import StoreError


class Command(ServiceCommand):
    help = "Restore what `backup` wrote into a new data directory or database, then start."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="or '-' for standard input")

    def run(self, options: dict[str, Any]) -> None:
        """Restore while no server holds the data directory."""
        try:
            with _alone(), _opened(options["file"]) as file, display() as progress:
                rows = restore_archive(file, progress)
        except DataDirectoryHeldError as exc:
            raise CommandError(str(exc)) from exc
        except StoreError as exc:
            raise CommandError(
                f"The database is restored, its vectors are not: {exc} "
                "Go on with `manage.py migrate_vectors`."
            ) from exc
        chunks = sum(row.chunks for row in rows)
        self.stdout.write(f"repositories: {len(rows):,}  chunks: {chunks:,}")
        if missing := sum(row.missing for row in rows):
            raise CommandError(
                f"{missing} vectors are missing: `manage.py reconcile --check` says of which "
                "repositories. Index these with --mode force."
            )


def _alone() -> AbstractContextManager[None]:
    """Lock the data directory if the database or the vectors are in it."""
    has_state = settings.DATABASE_IS_EMBEDDED or is_store_embedded()
    return lock_data_directory(settings.DATA_DIR) if has_state else nullcontext()


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    """Open the file, which is read twice: a pipe is stored beside the data without a name."""
    with ExitStack() as stack:
        try:
            file: IO[bytes] = sys.stdin.buffer
            if name != "-":
                file = stack.enter_context(Path(name).open("rb"))
            if not file.seekable():
                private_directory(settings.DATA_DIR)
                kept = stack.enter_context(TemporaryFile(dir=settings.DATA_DIR))
                _keep(file, kept)
                file = kept
        except OSError as exc:
            raise CommandError(f"{name}: {exc.strerror}.") from exc
        yield file


def _keep(pipe: IO[bytes], kept: IO[bytes]) -> None:
    while part := pipe.read(BACKUP_SPACE_CHECK_BYTES):
        if lack := disk_space_error(settings.DATA_DIR):
            raise CommandError(f"{lack} Nothing was changed.")
        kept.write(part)
