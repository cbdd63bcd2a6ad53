"""Celery: request context in messages, worker metrics, heartbeat files of workers and beat.

`python -m central.healthcheck` reads the heartbeat files. A file costs nothing; `celery inspect
ping` starts a Django process and asks the broker at every health check.
"""

import os
import shutil
import socket
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import structlog
from celery import bootsteps
from celery.app.task import Context
from celery.beat import Scheduler
from celery.signals import (
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_process_shutdown,
    worker_ready,
)
from django.conf import settings

from central.observability.logs import bind_request_id, bound_request_id
from central.observability.tracing import bind_trace_id, continue_trace, trace_headers
from central.runtime.data_directory import private_directory
from central.runtime.listening import address, has_ipv6

_HEADER: Final = "aeterna"

# Of the task that this process, or this thread of it, is doing.
_open: dict[str, ExitStack] = {}


@setup_logging.connect
def keep_logging(**_: object) -> None:
    """Keep this service's logging: a receiver stops Celery from configuring its own."""


@before_task_publish.connect
def inject_context(headers: dict[str, Any], **_: object) -> None:
    """Add request id and trace to the message."""
    headers[_HEADER] = {"request_id": bound_request_id(), **trace_headers()}


@task_prerun.connect
def extract_context(task_id: str, task: Any, **_: object) -> None:
    """Bind the task's log lines to the request that caused it, or to an id of its own."""
    sent = _sent(task.request)
    bind_request_id(sent.get("request_id", ""))
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    stack = _open[task_id] = ExitStack()
    stack.enter_context(continue_trace(sent))
    bind_trace_id()


@task_postrun.connect
def leave(task_id: str, **_: object) -> None:
    """Clear the context after the task."""
    if stack := _open.pop(task_id, None):
        stack.close()
    structlog.contextvars.clear_contextvars()


def _sent(request: Context) -> Mapping[str, str]:
    sent = request.get(_HEADER) or (request.headers or {}).get(_HEADER)
    return sent if isinstance(sent, dict) else {}


_FILES: Final = "PROMETHEUS_MULTIPROC_DIR"


def prepare() -> None:
    """Set up metrics files for a worker and its forks, if WORKER_METRICS_BIND is set.

    Not in a server, which imports Celery after it began to count. Raises CannotListenError.
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
    if host == "::" and not has_ipv6():
        host = "0.0.0.0"  # noqa: S104 - as the configuration says
    server = make_server(host, port, _metrics_application(), _Server, _Handler)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], *arguments: Any) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, *arguments)


class _Handler(WSGIRequestHandler):
    timeout = 10  # a client that sends nothing keeps no thread

    def log_message(self, *_: Any) -> None:
        """Log nothing, as /metrics of a web process."""


def _metrics_application() -> Callable[..., Iterable[bytes]]:
    """The sum over all processes of the worker, for requests with the token."""
    from prometheus_client import CollectorRegistry, make_wsgi_app
    from prometheus_client.multiprocess import MultiProcessCollector

    from central.observability.metrics import CHALLENGE, refusal

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    metrics: Callable[..., Iterable[bytes]] = make_wsgi_app(registry)

    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        refused = refusal(environ.get("HTTP_AUTHORIZATION", ""))
        if refused is None:
            return metrics(environ, start_response)
        status, text = refused
        start_response(f"{status.value} {status.phrase}", list(CHALLENGE.items()))
        return [text.encode()]

    return application


def _leave(pid: int, **_: object) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]


_TOUCH_SECONDS: Final = 10


def heartbeat_file(of: str) -> Path:
    """Return the heartbeat file of `worker` or `beat`."""
    path: Path = settings.DATA_DIR / f"{of}.alive"
    return path


def _touch(path: Path) -> None:
    private_directory(path.parent)
    path.touch()


class WorkerHeartbeat(bootsteps.StartStopStep):
    """Touches the worker's heartbeat file from its event loop, also during tasks."""

    requires = ("celery.worker.components:Timer",)

    def start(self, worker: Any) -> None:
        """Start the timer."""
        path = heartbeat_file("worker")
        _touch(path)
        worker.timer.call_repeatedly(_TOUCH_SECONDS, _touch, (path,))


class BeatScheduler(Scheduler):
    """Celery's schedule in memory: the code defines all of it.

    Celery's own sends nothing for an hour after the clock was set back by one.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._ticked_at = time.time()
        super().__init__(*arguments, **options)

    def tick(self, *arguments: Any, **options: Any) -> Any:
        """Send due tasks; return the seconds until the next one, at most 10."""
        _touch(heartbeat_file("beat"))
        now = time.time()
        if now < self._ticked_at:
            self._restart()
        self._ticked_at = now
        return min(super().tick(*arguments, **options), _TOUCH_SECONDS)

    def _restart(self) -> None:
        """Count all intervals from now."""
        for entry in self.schedule.values():
            entry.last_run_at = entry.default_now()
        self.populate_heap()
