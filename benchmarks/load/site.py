"""The service as it is deployed, on loopback: PostgreSQL, Redis, a worker and a web process."""

import atexit
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from central.runtime.data_directory import load_or_create_secret
from central.runtime.postgres import EmbeddedServer, embedded_postgres, opened_postgres
from scripts.local_service import ROOT, Service, free_address

_CELERY = ("-m", "celery", "-A", "central", "worker", "--beat", "--concurrency", "1")


@dataclass(frozen=True)
class Site:
    """A running service and the processes of each of its parts."""

    service: Service
    worker: "subprocess.Popen[bytes]"
    redis: "subprocess.Popen[bytes]"

    def processes(self) -> Mapping[str, list[psutil.Process]]:
        """The processes that live now, by part. PostgreSQL's backends come and go."""
        web = self.service.process
        roots = {
            "web": web.pid if web else None,
            "worker": self.worker.pid,
            "redis": self.redis.pid,
            "postgresql": _postmaster(self.service.data_dir),
        }
        return {part: _family(pid) for part, pid in roots.items() if pid}


@contextmanager
def running_site(data_dir: Path, environment: Mapping[str, str] | None = None) -> Iterator[Site]:
    """Start everything with the settings of production, and stop it at the end."""
    address = free_address()
    service = Service(
        data_dir,
        {
            "DJANGO_SETTINGS_MODULE": "central.settings.production",
            "SECRET_KEY": load_or_create_secret(data_dir / "secret_key"),
            "DATABASE_URL": embedded_postgres(data_dir / "postgres"),
            "VECTOR_STORE_URL": "postgresql:",
            "CELERY_BROKER_URL": f"redis://{address}/0",
            "AETERNA_SSL_REDIRECT": "false",
            **(environment or {}),
        },
    )
    with ExitStack() as stack:
        stack.callback(_leave, opened_postgres(data_dir / "postgres"))
        redis = stack.enter_context(_running(_redis_command(address), service, "redis.log"))
        service.manage("migrate")
        stack.callback(service.stop)
        service.start()
        celery = [sys.executable, *_CELERY, "--schedule", str(data_dir / f"beat-{_tag()}")]
        worker = stack.enter_context(_running(celery, service, "worker.log"))
        yield Site(service, worker, redis)


def _leave(server: EmbeddedServer) -> None:
    """Stop PostgreSQL now: the wheel does it when the process ends, after its directory."""
    atexit.unregister(server._cleanup)
    server.cleanup()


def _redis_command(address: str) -> list[str]:
    host, port = address.split(":")
    keeps_nothing = ["--save", "", "--appendonly", "no"]
    return ["redis-server", "--bind", host, "--port", port, *keeps_nothing]


def _tag() -> str:
    return secrets.token_hex(4)


@contextmanager
def _running(
    command: list[str], service: Service, log_name: str
) -> Iterator["subprocess.Popen[bytes]"]:
    with (service.data_dir / log_name).open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=service.variables(),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=60)


def _postmaster(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])


def _family(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
