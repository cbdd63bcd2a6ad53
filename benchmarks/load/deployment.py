"""The service as it is deployed, on loopback: PostgreSQL, Redis, a worker and web processes."""

import atexit
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
import psycopg

from central.runtime.data_directory import load_or_create_secret
from central.runtime.postgres import opened_postgres
from scripts.local_deployment import (
    RedisServer,
    Worker,
    postmaster,
    running_redis,
    running_worker,
    stop_postgresql,
)
from scripts.local_service import Service

WEB_PROCESSES: Final = 2  # the fewest that docs/how-to/deploy.md recommends
SHARED_BUFFERS: Final = "1GB"  # of PostgreSQL, as values-small.yaml of the chart says


@dataclass(frozen=True)
class Deployment:
    """A running service and the processes of each of its parts."""

    webs: Sequence[Service]
    worker: Worker
    redis: RedisServer

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
        database = postmaster(self.service.data_dir)
        roots = {
            "web": [web.process.pid for web in self.webs if web.process],
            "worker": [self.worker.process.pid] if self.worker.process else [],
            "redis": [self.redis.process.pid] if self.redis.process else [],
            "postgresql": [database.pid] if database else [],
        }
        return {
            part: [process for pid in pids for process in _family(pid)]
            for part, pids in roots.items()
        }


@contextmanager
def running_deployment(
    data_dir: Path, *, web_processes: int = WEB_PROCESSES
) -> Iterator[Deployment]:
    """Start everything with the settings of production, and stop it at the end."""
    with ExitStack() as stack:
        database_url = stack.enter_context(_running_postgresql(data_dir / "postgres"))
        redis = stack.enter_context(running_redis())
        environment = {
            "DJANGO_SETTINGS_MODULE": "central.settings.production",
            "SECRET_KEY": load_or_create_secret(data_dir / "secret_key"),
            "DATABASE_URL": database_url,
            "VECTOR_STORE_URL": "postgresql:",
            "CELERY_BROKER_URL": redis.url,
            "AETERNA_SSL_REDIRECT": "false",
        }
        others = [data_dir / f"web-{number}" for number in range(1, web_processes)]
        webs = [Service(directory, environment) for directory in (data_dir, *others)]
        webs[0].manage("migrate")
        for web in webs:
            stack.callback(web.stop)
            web.start()
        worker = stack.enter_context(running_worker(Worker(webs[0])))
        yield Deployment(webs, worker, redis)


@contextmanager
def _running_postgresql(directory: Path) -> Iterator[str]:
    """Yields its URL. It ends here: the wheel ends it with this process, after its directory."""
    server = opened_postgres(directory)
    try:
        url = str(server.get_uri())
        with psycopg.connect(url, autocommit=True) as administrator:
            administrator.execute(f"ALTER SYSTEM SET shared_buffers = '{SHARED_BUFFERS}'")
        stop_postgresql(directory.parent)
        server.start_again()
        yield url
    finally:
        atexit.unregister(server._cleanup)
        server.cleanup()


def _family(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
