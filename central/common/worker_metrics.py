"""The figures of a Celery worker, whose processes come and go: each writes its own to files, and
the worker's first process adds them up for Prometheus at AETERNA_WORKER_METRICS_BIND.

The library decides when it is imported whether it counts in files: so this must be first.
"""

import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Final

from celery.signals import worker_process_shutdown, worker_ready
from django.conf import settings

from central.listening import address

_FILES: Final = "PROMETHEUS_MULTIPROC_DIR"


def prepare() -> None:
    """Have this process and those that it forks count in files, where that is asked for.

    Not in a server: that imports Celery to send a message, long after it began to count. Raises
    CannotListenError.
    """
    if not settings.WORKER_METRICS_BIND or "prometheus_client" in sys.modules:
        return
    host, port = address(settings.WORKER_METRICS_BIND)
    directory = Path(tempfile.mkdtemp(prefix="aeterna-metrics-"))
    os.environ[_FILES] = str(directory)  # noqa: TID251 (the library's only way)
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(directory, ignore_errors=True)

    weakref.finalize(prepare, remove)
    worker_ready.connect(lambda **_: _serve(host, port), weak=False)
    worker_process_shutdown.connect(_leave, weak=False)


def _serve(host: str, port: int) -> None:
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    start_http_server(port, host, registry=registry)


def _leave(pid: int, **_: object) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]
