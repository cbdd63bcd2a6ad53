"""What a running service has spent: processor time by part, and what PostgreSQL has written."""

import ctypes
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
import psycopg

from central.runtime.postgres_paths import short_name
from scripts.local_deployment import postmaster
from scripts.local_service import Service

_SET_CHILD_SUBREAPER = 36  # prctl(2)
_WORKERS = "indexer.pipeline.worker_process"


@dataclass(frozen=True)
class Spent:
    """Seconds of the processor by part of the service; bytes of PostgreSQL's write-ahead log."""

    web: float
    postgresql: float
    store: float
    written: int

    def since(self, earlier: "Spent", count: int = 1) -> "Spent":
        """What each of `count` things has cost since then."""
        return Spent(
            (self.web - earlier.web) / count,
            (self.postgresql - earlier.postgresql) / count,
            (self.store - earlier.store) / count,
            (self.written - earlier.written) // count,
        )

    @property
    def processor(self) -> float:
        """Seconds of all parts together."""
        return self.web + self.postgresql + self.store


@contextmanager
def opened_database(service: Service) -> Iterator["psycopg.Connection[Any]"]:
    """A connection to the embedded service's own database; what it writes is kept."""
    socket = short_name(service.data_dir / "postgres")
    with psycopg.connect(
        host=str(socket), user="postgres", dbname="postgres", autocommit=True
    ) as connection:
        yield connection


@dataclass(frozen=True)
class Meter:
    """Reads the processes of one embedded service."""

    service: Service
    database: "psycopg.Connection[Any]"

    def read(self) -> Spent:
        """What has been spent since the service was started."""
        if self.service.process is None:
            raise RuntimeError("The service is not running.")
        web = psutil.Process(self.service.process.pid)
        database = postmaster(self.service.data_dir)
        if database is None:
            raise RuntimeError("PostgreSQL is not running.")
        row = self.database.execute(
            "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint"
        ).fetchone()
        return Spent(
            web=_own_seconds(web),
            postgresql=_family_seconds(database),
            store=sum(_own_seconds(child) for child in web.children(recursive=True)),
            written=int(row[0]) if row else 0,
        )


def adopt_orphans() -> None:
    """From now on, processes whose parent has ended become this one's children. Linux only."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def indexer_seconds() -> float:
    """Processor time of every child that has ended: indexers, and their workers once adopted."""
    while any(_is_worker(child) for child in psutil.Process().children()):
        os.waitpid(-1, os.WNOHANG)
        time.sleep(0.01)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _is_worker(process: psutil.Process) -> bool:
    """Whether it lives, or waits to be counted, and is what an indexer's workers come from."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE or _WORKERS in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def _own_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _family_seconds(process: psutil.Process) -> float:
    """Children that have ended are in the parent's own count."""
    times = process.cpu_times()
    ended = float(times.children_user + times.children_system)
    return _own_seconds(process) + ended + sum(_seconds_if_alive(c) for c in process.children())


def _seconds_if_alive(process: psutil.Process) -> float:
    try:
        return _own_seconds(process)
    except psutil.NoSuchProcess:
        return 0.0
