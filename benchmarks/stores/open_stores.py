"""The stores to measure, each with ways to weigh it: bytes on disk, and resident in memory."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg

from indexer.store import open_store
from indexer.store.base import VectorStore

QDRANT = "QDRANT_TEST_URL"
# PostgreSQL stops when the process that asked for it ends, so that one gets a process.
_POSTGRES = """
import sys
from pathlib import Path
from central.runtime.postgres import embedded_postgres
print(embedded_postgres(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Opened:
    """`disk` in bytes, and the server's processes: 0 and none where it cannot be looked at."""

    store: VectorStore
    disk: Callable[[], int]
    processes: Callable[[], list[psutil.Process]]

    def memory(self) -> int:
        """Resident bytes; what processes share is divided among them."""
        return sum(int(one.memory_full_info().pss) for one in self.processes())

    def cpu(self) -> float:
        """Seconds that the processes which are there now have used."""
        return sum(sum(one.cpu_times()[:2]) for one in self.processes())


def names() -> list[str]:
    """The stores that can be measured here."""
    return ["edge", "pgvector", *(["qdrant"] if os.environ.get(QDRANT) else [])]


def opened(name: str, workspace: Path) -> AbstractContextManager[Opened]:
    """A new, empty store; it is closed after use."""
    openers = {"edge": _edge, "pgvector": _pgvector, "qdrant": _qdrant}
    return openers[name](workspace)


@contextmanager
def _edge(workspace: Path) -> Iterator[Opened]:
    directory = workspace / "edge"
    with closing(open_store(f"edge:{directory}")) as store:
        yield Opened(
            store,
            lambda: _bytes_within(directory),
            lambda: psutil.Process().children(recursive=True),
        )


@contextmanager
def _pgvector(workspace: Path) -> Iterator[Opened]:
    directory = workspace / "postgres"
    with _postgres(directory) as url, closing(open_store(url)) as store:
        postmaster = psutil.Process(int((directory / "postmaster.pid").read_text().split()[0]))
        yield Opened(store, lambda: _database_size(url), lambda: _family(postmaster))


@contextmanager
def _postgres(directory: Path) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", _POSTGRES, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError
        url = process.stdout.readline().strip()
        try:
            yield url
        finally:
            process.stdin.close()


def _database_size(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(row[0]) if row else 0


@contextmanager
def _qdrant(_: Path) -> Iterator[Opened]:
    url = os.environ[QDRANT]
    address = urlsplit(url)
    server = _listening(socket.gethostbyname(address.hostname or ""), address.port or 6334)
    storage = Path(server.cwd()) / "storage" if server else Path()
    with closing(open_store(url, api_key=os.environ.get("QDRANT_API_KEY"))) as store:
        yield Opened(
            store,
            lambda: _bytes_within(storage) if server else 0,
            lambda: _family(server) if server else [],
        )


def _listening(host: str, port: int) -> psutil.Process | None:
    """The process of this machine that listens there, if it is one."""
    if not host.startswith("127."):
        return None
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
            return psutil.Process(connection.pid) if connection.pid else None
    return None


def _family(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def _bytes_within(directory: Path) -> int:
    return sum(file.stat().st_blocks * 512 for file in directory.rglob("*") if file.is_file())
