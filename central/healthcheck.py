"""`python -m central.healthcheck web|worker|beat|sidecar`: exit code 0 if the process is alive.

Orchestrators run it every few seconds, so the usual way needs neither Django nor Celery.
"""

import http.client
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from central.runtime.data_directory import data_directory
from central.runtime.listening import address, reachable_host
from central.settings import env

_HTTP_SECONDS: Final = 5
_STALE_SECONDS: Final = 60
_SIDECAR_BIND: Final = "127.0.0.1:8765"


class NotAliveError(Exception):
    """The process does not work; the message says how it shows."""


def main(arguments: Sequence[str]) -> int:
    """Return 0, or 1 with the reason on standard error."""
    try:
        check = _CHECKS[arguments[0]]
    except LookupError:
        sys.stderr.write(f"Say of which process: {', '.join(_CHECKS)}.\n")
        return 2
    try:
        check()
    except (NotAliveError, OSError, http.client.HTTPException) as exc:
        sys.stderr.write(f"{arguments[0]}: {exc}\n")
        return 1
    return 0


def check_web() -> None:
    """Raise if the service does not answer on its own port."""
    _ask_livez(env.text("AETERNA_BIND") or "127.0.0.1:8000")


def check_sidecar() -> None:
    """Raise if the sidecar does not answer on its own port."""
    _ask_livez(env.text("CODESEARCH_SIDECAR_BIND") or _SIDECAR_BIND)


def check_heartbeat(process: str) -> None:
    """Raise if `worker` or `beat` no longer updates its heartbeat file.

    A process that waits for the broker is alive: restarting it would not help.
    """
    path = data_directory(env.text("AETERNA_DATA_DIR")) / f"{process}.alive"
    silent = _seconds_since(path)
    if silent is not None and silent < _STALE_SECONDS:
        return
    if _broker_answers():
        since = "never" if silent is None else f"{silent:.0f} s ago"
        raise NotAliveError(f"it went round {since}, and the broker answers.")


def _ask_livez(bind: str) -> None:
    host, port = address(bind)
    connection = http.client.HTTPConnection(reachable_host(host), port, timeout=_HTTP_SECONDS)
    try:
        connection.request("GET", "/livez")
        status = connection.getresponse().status
    finally:
        connection.close()
    if status != http.client.OK:
        raise NotAliveError(f"/livez answers {status}.")


def _seconds_since(path: Path) -> float | None:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return None


def _broker_answers() -> bool:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")  # noqa: TID251
    from kombu.exceptions import OperationalError

    from central.observability.health import check_broker

    try:
        check_broker()
    except (OperationalError, OSError):
        return False
    return True


_CHECKS: Final[dict[str, Callable[[], None]]] = {
    "web": check_web,
    "worker": lambda: check_heartbeat("worker"),
    "beat": lambda: check_heartbeat("beat"),
    "sidecar": check_sidecar,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
