"""`manage.py migrate_vectors [--to URL]`."""

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError

from central.commands import ServiceCommand, display
from central.corpus.backends import vector_store
from central.maintenance.vector_migration import MigratedRepository, Migration
from central.tenancy.audit import COMMAND, record
from indexer.errors import ConfigurationError, StoreError, StoreLockedError
from indexer.store import check_address, open_store
from indexer.store.base import VectorStore

_COLUMNS = ("organization", "repository", "chunks", "written", "missing", "excess")


class Command(ServiceCommand):
    help = (
        "Fill a vector store from PostgreSQL, beside the running service: the one at --to, to move "
        "there, or else the configured one. May be interrupted and started again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--to",
            metavar="URL",
            help="as VECTOR_STORE_URL, without a password; QDRANT_API_KEY is used for Qdrant",
        )

    def run(self, options: dict[str, Any]) -> None:
        """Migrate all repositories; print a table."""
        url = _address(options["to"])
        try:
            rows = _migrated(url)
        except StoreLockedError as exc:
            raise CommandError(
                "A running server holds the embedded store there: stop that server first, or have "
                "it put right what its own store lacks (manage.py reconcile)."
            ) from exc
        except (StoreError, ConfigurationError) as exc:
            raise CommandError(f"{exc} Nothing is lost: start this again to go on.") from exc
        record(
            actor=COMMAND,
            action="vectors.migrated",
            target="the configured store" if url is None else "another store",
            detail={
                "repositories": len(rows),
                "written": sum(row.written for row in rows),
                "missing": sum(row.missing for row in rows),
            },
        )
        self._print(rows)

    def _print(self, rows: Sequence[MigratedRepository]) -> None:
        self.print_table(_COLUMNS, rows)
        if changed := _names(rows, lambda row: row.has_changed):
            self.stdout.write(f"indexed meanwhile, run this again: {changed}")
        if missing := _names(rows, lambda row: row.missing > 0):
            raise CommandError(
                f"Vectors are missing of {missing}: index these with --mode force, which makes "
                "them again."
            )


def _address(url: str | None) -> str | None:
    """Return the address of --to; None for the configured store. Raises CommandError."""
    if url is None:
        return None
    found = settings.DATABASE_URL if url == "postgresql:" else url
    try:
        check_address(found)
    except ConfigurationError as exc:
        raise CommandError(f"--to: {exc}") from exc
    parts = urlsplit(url)
    if parts.password or "password=" in parts.query:
        raise CommandError(
            "Name no password in --to, where every process of this machine can read it. Set "
            "VECTOR_STORE_URL to the new store for this command alone, and leave --to out."
        )
    configured = settings.VECTOR_STORE_URL
    return None if url == configured or found == configured else found


def _migrated(url: str | None) -> list[MigratedRepository]:
    if url is None:
        return _run_migration(vector_store(), None)
    target = open_store(url, api_key=settings.QDRANT_API_KEY)
    try:
        return _run_migration(target, vector_store)
    finally:
        target.close()


def _run_migration(
    target: VectorStore, source: Callable[[], VectorStore] | None
) -> list[MigratedRepository]:
    with display() as progress:
        return Migration(target, source, progress).run()


def _names(rows: Sequence[MigratedRepository], is_so: Callable[[MigratedRepository], bool]) -> str:
    return ", ".join(f"{row.organization}/{row.repository}" for row in rows if is_so(row))
