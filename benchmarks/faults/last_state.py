"""What the processes of a service do when a campaign fails, which ends them."""

import signal
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil
import psycopg

from benchmarks.faults.sites import kill_postgresql
from scripts.local_service import Service

_SESSIONS = """
    SELECT pid, state, wait_event_type, wait_event, pg_blocking_pids(pid), now() - query_start,
        left(query, 200)
    FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
_WAIT_SECONDS = 10
_LOG_LINES = 200  # without those of requests


def last_state(service: Service) -> str:
    """Return processes, sessions of PostgreSQL, and the ends of logs, with the stacks of threads.

    Python writes these when it is aborted (PYTHONFAULTHANDLER), so nothing runs afterwards.
    """
    processes = list(_processes(service))
    lines = [_line(process) for process in processes]
    lines += _sessions(service)
    _abort(processes)
    with suppress(FileNotFoundError, psutil.NoSuchProcess):
        kill_postgresql(service)
    (service.data_dir / "postgres" / "postmaster.pid").unlink(missing_ok=True)
    for log in sorted(service.data_dir.glob("*.log")):
        written = log.read_text(errors="replace").splitlines()
        told = [line for line in written if '"event": "request"' not in line]
        lines += [f"--- {log.name}", *told[-_LOG_LINES:]]
    return "\n".join(lines)


def _processes(service: Service) -> Iterator[psutil.Process]:
    """Yield the processes of the service and of its indexers, which this process has started."""
    own = {("AETERNA_DATA_DIR", str(service.data_dir)), ("AETERNA_URL", service.url)}
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if own & process.environ().items():
                yield process


def _line(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        seconds = round(time.time() - process.create_time())
        return f"{process.pid} {process.status()} {seconds} s: {' '.join(process.cmdline())[:200]}"
    return f"{process.pid} has ended"


def _sessions(service: Service) -> list[str]:
    try:
        with psycopg.connect(
            host=str(service.data_dir / "postgres"),
            user="postgres",
            connect_timeout=_WAIT_SECONDS,
            options=f"-c statement_timeout={_WAIT_SECONDS * 1000}",
        ) as connection:
            return [" | ".join(map(str, row)) for row in connection.execute(_SESSIONS)]
    except psycopg.Error as exc:
        return [f"PostgreSQL: {exc}"]


def _abort(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.rlimit(psutil.RLIMIT_CORE, (0, 0))
            process.send_signal(signal.SIGABRT)
    _, staying = psutil.wait_procs(processes, timeout=_WAIT_SECONDS)
    for process in staying:
        with suppress(psutil.Error):
            process.kill()
