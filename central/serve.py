"""The embedded service: one process that serves HTTP and applies runs.

With CELERY_BROKER_URL set it is the web process alone, and Celery workers apply the runs.
"""

import argparse
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import StringIO

import django
import structlog
import uvicorn
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251

# The thread that applies a run computes. With CPython's 5 ms a request waits 5 ms for the
# interpreter each time that it waits: the webhook's p99 was 78 ms meanwhile, 50 are promised.
_SWITCH_SECONDS = 0.0005

# Thresholds of Python's cyclic garbage collector, whose walks nothing else in the process can
# interrupt, probes and webhooks included. A trace makes up to 100,000 objects that live until its
# end: with CPython's 700 it took a third of its time to walk through them, as each walk of an older
# generation does it again. A walk through 10,000 new ones takes 5 ms, and five times as long on a
# busy machine. Older generations hold what is being answered, so they are walked rarely, and when
# the last of the traces that run has ended (central.http.asgi).
_COLLECTION_THRESHOLDS = (10_000, 100, 50)

# What makes the first index, by who started the server.
_CONTAINER = "entrypoint.sh"
_COMMANDS = {
    _CONTAINER: (
        "  entrypoint.sh manage create_organization acme\n"
        "  entrypoint.sh manage create_token --organization acme --scopes index,search\n"
        "  entrypoint.sh manage create_member YOU --organization acme --role admin --superuser\n"
    ),
    "manage.py": (
        "  .venv/bin/python manage.py create_organization acme\n"
        "  .venv/bin/python manage.py create_token --organization acme --scopes index,search\n"
        "  .venv/bin/python manage.py create_member YOU --superuser  # to sign in there\n"
    ),
    "codesearch": "  codesearch init PATH_OF_A_REPOSITORY\n",
}

_log = structlog.get_logger(__name__)


class CannotServeError(Exception):
    """The configuration does not allow serving; the message says what to change."""


def main(arguments: Sequence[str] = ()) -> int:
    """Serve until SIGINT, SIGTERM or SIGHUP; return 0, or 2 with a message if that fails.

    Exits with 1 if PostgreSQL cannot be restarted, so that a supervisor restarts both.
    """
    options = _parser().parse_args(arguments)
    gc.set_threshold(*_COLLECTION_THRESHOLDS)
    end = _End()
    end.by_signals()
    sys.setswitchinterval(_SWITCH_SECONDS)
    os.umask(0o077)  # the data is its owner's alone
    try:
        django.setup()
    except ImproperlyConfigured as exc:
        sys.stderr.write(f"{exc}\n")
        return 2
    from central.runtime.data_directory import DataDirectoryHeldError, lock_data_directory
    from central.runtime.listening import CannotListenError, bound_sockets

    with ExitStack() as stack:
        try:
            check_system()
            stack.enter_context(lock_data_directory(settings.DATA_DIR))
            listeners = stack.enter_context(bound_sockets(settings.BIND))
            prepare_database()
        except DataDirectoryHeldError as exc:
            sys.stderr.write(f"{exc}\n")
            # Commands share the one that is there.
            return 2 if options.idle_minutes is None else 0
        except CannotListenError as exc:
            sys.stderr.write(f"{exc}. Set AETERNA_BIND to another address.\n")
            return 2
        except CannotServeError as exc:
            sys.stderr.write(f"{exc}\n")
            return 2
        stack.enter_context(guarded_database(end.in_failure))
        stack.enter_context(opened_backends())
        load_backends()
        # What is loaded now stays: a full collection would walk through it, and every request that
        # is being answered waits meanwhile.
        gc.collect()
        gc.freeze()
        serve(
            listeners,
            options.of,
            idle_minutes=options.idle_minutes,
            identity=options.identity,
        )
    return 0


class _End:
    """The end of this process: signal handlers and the exit code."""

    def __init__(self) -> None:
        self._code = 0

    def by_signals(self) -> None:
        """Handle signals by an orderly end; uvicorn raises them again after its own shutdown."""
        for number in (signal.SIGTERM, signal.SIGINT):
            # SystemExit lets the context managers end. A shell may have SIGINT ignored.
            signal.signal(number, lambda *_: sys.exit(self._code))
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # under nohup it stays so
            # A terminal that is closed would else end it at once, and leave PostgreSQL behind.
            signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))

    def in_failure(self) -> None:
        """End the process as by SIGTERM, with exit code 1; from any thread."""
        self._code = 1
        os.kill(os.getpid(), signal.SIGTERM)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m central.serve", description=__doc__)
    parser.add_argument(
        "--idle-minutes",
        type=int,
        help="end after this time without a command of this machine; 0: with the last one",
    )
    parser.add_argument(
        "--identity", default="", help="what commands know the server's code and settings by"
    )
    parser.add_argument(
        "--of", choices=list(_COMMANDS), default="manage.py", help="which commands to tell of"
    )
    return parser


def check_system() -> None:
    """Run Django's system checks, those of the database too. Raises CannotServeError."""
    try:
        call_command("check", databases=["default"], stdout=StringIO())
    except SystemCheckError as exc:
        raise CannotServeError(str(exc)) from exc


def prepare_database() -> None:
    """Migrate the database, or raise CannotServeError if it is not migrated.

    Only an embedded server migrates: several processes would do it at the same time.
    """
    from django.core.management.sql import emit_post_migrate_signal
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if settings.MIGRATES_AT_START:
        if missing:
            call_command("migrate", verbosity=0)
        else:  # the command computes the state of all models first, which takes a tenth of a start
            emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
    elif missing:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in missing)
        raise CannotServeError(f"Run `manage.py migrate` first. The database lacks {names}.")


@contextmanager
def guarded_database(stop_server: Callable[[], object]) -> Iterator[None]:
    """Restart the embedded PostgreSQL if it is killed; call `stop_server` if that fails."""
    if not settings.DATABASE_IS_EMBEDDED:
        yield
        return
    from central.runtime.postgres import opened_postgres
    from central.runtime.postgres_guard import Guard

    guard = Guard(opened_postgres(settings.DATA_DIR / "postgres"), stop_server=stop_server)
    guard.start()
    try:
        yield
    finally:
        guard.stop()


@contextmanager
def opened_backends() -> Iterator[None]:
    """Close the vector store and the embedders at the end."""
    from central.corpus import backends

    try:
        yield
    finally:
        backends.close()


@contextmanager
def background_workers() -> Iterator[None]:
    """Apply runs in this process if there is no broker for workers."""
    from central.embedded_workers import embedded_workers

    threads = [] if settings.CELERY_BROKER_URL else embedded_workers()
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:  # all at once, then one after the other
            thread.end_soon()
        for thread in threads:
            thread.stop()


def load_backends() -> None:
    """Load the store and the embedders in use now, so that the first search does not wait.

    Traces, pages and webhooks need neither. If a store of its own process does not answer, the log
    says so. Raises StoreError if the embedded one cannot be opened.
    """
    from central.corpus.backends import embedder, is_store_embedded, vector_store
    from central.tenancy.models import Organization
    from indexer.embedding.catalogue import REMOTE
    from indexer.errors import IndexerError, StoreUnavailableError
    from indexer.records.vectors import EmbedderSpec

    try:
        vector_store().check()
    except StoreUnavailableError as exc:
        if is_store_embedded():
            raise
        _log.error("store_unavailable", error=str(exc))
    used = Organization.objects.values_list("embedder", flat=True).distinct().order_by()
    for spec in {settings.DEFAULT_EMBEDDER, *used}:
        try:
            opened = embedder(EmbedderSpec.parse(spec))
            if opened.spec.provider not in REMOTE:  # those take no time to load, but money
                opened.embed_queries(["warm up"])
        except (IndexerError, ValueError) as exc:  # one organisation's must not keep the others out
            _log.error("embedder_unusable", embedder=spec, error=str(exc))


def serve(
    listeners: list[socket.socket], of: str, *, idle_minutes: int | None, identity: str
) -> None:
    """Write the server record, then answer HTTP on `listeners` until a signal, or until idle.

    Background work begins with the record, which has the address that its indexers ask.
    """
    from central.asgi import application
    from central.runtime.data_directory import load_or_create_secret, write_server_record
    from central.runtime.idle_shutdown import stop_when_idle
    from central.runtime.listening import reachable_url

    url = reachable_url(listeners[0])
    load_or_create_secret(settings.DATA_DIR / "server_key")
    write_server_record(settings.DATA_DIR, url, idle_minutes=idle_minutes, identity=identity)
    sys.stderr.write(greeting(of, url))
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=10,
        forwarded_allow_ips=settings.TRUSTED_PROXIES,
    )
    server = _Server(config)
    if idle_minutes is not None:
        stop_when_idle(
            settings.DATA_DIR,
            idle_seconds=60.0 * idle_minutes,
            count_requests=lambda: server.server_state.total_requests,
        )
    with background_workers():
        server.run(sockets=listeners)


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Have requests that wait for a run's end answered first, and wait for the others."""
        from central.ingest.run_waits import RUN_WAITS

        RUN_WAITS.end()
        await super().shutdown(sockets)


def greeting(of: str, url: str) -> str:
    """Return where the service is, and while there is no organisation the next commands to type.

    A container is not reached at its loopback address, and its directory has no data.
    """
    from central.tenancy.models import Organization

    if of == _CONTAINER:
        public = settings.PUBLIC_URL or "not set (AETERNA_PUBLIC_URL)"
        place = f"listens at {settings.BIND}; its public address is {public}"
        terminal = "this container"
    else:
        place = f"is at {url}, data in {settings.DATA_DIR}"
        terminal = "another terminal"
    lines = f"Aeterna Code Search {place}\n"
    if not Organization.objects.exists():
        lines += f"Nothing is indexed yet. In {terminal}:\n{_COMMANDS[of]}"
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
