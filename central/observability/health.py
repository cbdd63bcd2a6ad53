"""`/livez` and `/readyz`. Apps register a check for each of their dependencies."""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

import structlog
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse

CHECK_SECONDS = 2.0
KEPT_SECONDS = 1.0  # what was found: who asks without end keeps no probe waiting for checks

_log = structlog.get_logger(__name__)


def check_database() -> None:
    """Raise if the database does not answer."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()  # this thread does not outlive the check


def check_broker() -> None:
    """Raise if there is a broker and it does not answer."""
    url = settings.CELERY_BROKER_URL
    if not url:
        return
    from kombu import Connection

    options = {"socket_connect_timeout": 1, "socket_timeout": 1}
    with Connection(url, connect_timeout=1, transport_options=options) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=1)


# Name → a function that raises if the dependency is unavailable.
CHECKS: dict[str, Callable[[], None]] = {"database": check_database, "broker": check_broker}


def livez(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    del request
    return JsonResponse({"status": "live"})


def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 if all dependencies respond within 2 seconds, else 503 with the failed ones."""
    del request
    results = _results.current()
    is_ready = all(result == "ok" for result in results.values())
    return JsonResponse(
        {"status": "ready" if is_ready else "unavailable", "checks": results},
        status=200 if is_ready else 503,
        headers={"Cache-Control": "no-store"},
    )


class _Results:
    """The results of all checks, made again when they are asked for and too old."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made_at = -math.inf
        self._results: dict[str, str] = {}

    def current(self) -> dict[str, str]:
        """Return results that are KEPT_SECONDS old at most."""
        with self._lock:
            if time.monotonic() - self._made_at >= KEPT_SECONDS:
                self._results = _run_checks()
                self._made_at = time.monotonic()
            return self._results


_results = _Results()


def _run_checks() -> dict[str, str]:
    pool = ThreadPoolExecutor(max_workers=len(CHECKS), thread_name_prefix="readyz")
    futures = {name: pool.submit(check) for name, check in CHECKS.items()}
    wait(futures.values(), timeout=CHECK_SECONDS)
    pool.shutdown(wait=False, cancel_futures=True)  # a check that hangs ends by its own time-out
    return {name: _result(name, future) for name, future in futures.items()}


def _result(name: str, future: "Future[None]") -> str:
    """Return the result without the exception's text, which may name hosts and users."""
    if not future.done():
        _log.warning("not_ready", check=name, error=f"no answer in {CHECK_SECONDS} s")
        return "no answer in time"
    if (exc := future.exception()) is not None:
        _log.warning("not_ready", check=name, error=str(exc))
        return "unavailable"
    return "ok"
