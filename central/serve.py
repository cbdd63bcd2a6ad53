"""The embedded service: one process that serves HTTP and applies runs.

With CELERY_BROKER_URL set it is the web process alone, and Celery workers apply the runs.
"""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import django
import uvicorn
from django.conf import settings
from django.core.management import call_command

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251


def main() -> int:
    """Serve until SIGINT or SIGTERM; 0, or 2 if the data directory is held by another server."""
    django.setup()
    from central.runtime import DataDirectoryHeldError, held_data_directory

    with ExitStack() as stack:
        try:
            stack.enter_context(held_data_directory(settings.DATA_DIR))
        except DataDirectoryHeldError as exc:
            sys.stderr.write(f"{exc}\n")
            return 2
        call_command("migrate", verbosity=0)
        listener = stack.enter_context(bound_socket(settings.BIND))
        stack.enter_context(background_work())
        warm_up()
        serve(listener)
    return 0


@contextmanager
def bound_socket(bind: str) -> Iterator[socket.socket]:
    """A listening socket at `host:port`; port 0 takes a free one."""
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio switches Nagle's algorithm off: else a response, written as
    # head and body, waits 40 ms for the client's delayed acknowledgement.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, int(port)))
        except OSError as exc:
            sys.exit(
                f"Cannot listen at {bind}: {exc.strerror}. Set AETERNA_BIND to another address."
            )
        listener.listen(256)
        yield listener


@contextmanager
def background_work() -> Iterator[None]:
    """Apply runs in this process where no broker wakes workers to do it."""
    from central.corpus import vectors
    from central.ingest.sweeper import Sweeper

    sweeper = None if settings.CELERY_BROKER_URL else Sweeper()
    if sweeper:
        sweeper.start()
    try:
        yield
    finally:
        if sweeper:
            sweeper.stop()
        vectors.close()


def warm_up() -> None:
    """Load the store and the embedders in use now, so that the first search does not wait."""
    from central.corpus.vectors import embedder, vector_store
    from central.tenancy.models import Organization
    from indexer.records import EmbedderSpec

    vector_store().check()
    default = Organization._meta.get_field("embedder").get_default()
    used = Organization.objects.values_list("embedder", flat=True).distinct().order_by()
    for spec in {default, *used}:
        embedder(EmbedderSpec.parse(spec)).embed_queries(["warm up"])


def serve(listener: socket.socket) -> None:
    """Answer HTTP on `listener` until a signal ends it; announces the address first."""
    from central.asgi import application
    from central.runtime import announce_server, kept_secret

    host, port = listener.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    kept_secret(settings.DATA_DIR / "server_key")
    announce_server(settings.DATA_DIR, url)
    sys.stderr.write(
        f"Aeterna Code Search is at {url}, data in {settings.DATA_DIR}\n{first_steps()}"
    )
    config = uvicorn.Config(
        application, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=10
    )
    # uvicorn raises the signal again after its shutdown; SystemExit lets the context managers end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    uvicorn.Server(config).run(sockets=[listener])


def first_steps() -> str:
    """What to type next, while there is no organisation yet."""
    from central.tenancy.models import Organization

    if Organization.objects.exists():
        return ""
    return (
        "No organisation yet. In another terminal:\n"
        "  .venv/bin/python manage.py create_organization acme\n"
        "  .venv/bin/python manage.py create_token --organization acme --scopes index,search\n"
    )


if __name__ == "__main__":
    sys.exit(main())
