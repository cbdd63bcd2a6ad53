"""The service as it is deployed, on loopback: PostgreSQL, Redis, a worker and web processes."""

import atexit
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from central.runtime.data_directory import load_or_create_secret
from central.runtime.postgres import EmbeddedServer, embedded_postgres, opened_postgres
from scripts.local_service import ROOT, Service, free_address

WEB_PROCESSES: Final = 2  # the fewest that docs/how-to/deploy.md recommends
_CELERY = ("-m", "celery", "-A", "central", "worker", "--beat", "--concurrency", "1")


@dataclass(frozen=True)
class Site:
    """A running service and the processes of each of its parts."""

    webs: Sequence[Service]
    worker: "subprocess.Popen[bytes]"
    redis: "subprocess.Popen[bytes]"

    @property
    def service(self) -> Service:
        """The first web process, with the data directory of all."""
        return self.webs[0]

    @property
    def urls(self) -> list[str]:
        """Where the web processes listen: clients are shared out, as by a load balancer."""
        return [web.url for web in self.webs]

    def processes(self) -> Mapping[str, list[psutil.Process]]:
        """The processes that live now, by part. PostgreSQL's backends come and go."""
        roots = {
            "web": [web.process.pid for web in self.webs if web.process],
            "worker": [self.worker.pid],
            "redis": [self.redis.pid],
            "postgresql": [_postmaster(self.service.data_dir)],
        }
        return {
            part: [process for pid in pids for process in _family(pid)]
            for part, pids in roots.items()
        }


@contextmanager
def running_site(data_dir: Path, *, web_processes: int = WEB_PROCESSES) -> Iterator[Site]:
    """Start everything with the settings of production, and stop it at the end."""
    address = free_address()
    environment = {
        "DJANGO_SETTINGS_MODULE": "central.settings.production",
        "SECRET_KEY": load_or_create_secret(data_dir / "secret_key"),
        "DATABASE_URL": embedded_postgres(data_dir / "postgres"),
        "VECTOR_STORE_URL": "postgresql:",
        "CELERY_BROKER_URL": f"redis://{address}/0",
        "AETERNA_SSL_REDIRECT": "false",
    }
    others = [data_dir / f"web-{number}" for number in range(1, web_processes)]
    webs = [Service(directory, environment) for directory in (data_dir, *others)]
    service = webs[0]
    with ExitStack() as stack:
        stack.callback(_leave, opened_postgres(data_dir / "postgres"))
        redis = stack.enter_context(_running(_redis_command(address), service, "redis.log"))
        service.manage("migrate")
        for web in webs:
            stack.callback(web.stop)
            web.start()
        celery = [sys.executable, *_CELERY, "--schedule", str(data_dir / f"beat-{_tag()}")]
        worker = stack.enter_context(_running(celery, service, "worker.log"))
        yield Site(webs, worker, redis)


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
