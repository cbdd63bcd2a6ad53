"""A release of the chart in a cluster of the engine, with PostgreSQL and Redis beside it."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.deploy.chart import installed
from tests.deploy.engine.cluster import Cluster, image_of, running_cluster
from tests.deploy.engine.docker_engine import Engine
from tests.deploy.engine.workloads import Installation, read_installation

RELEASE = "codesearch"  # as docs/how-to/deploy.md installs it
SECRET = "aeterna-code-search"
# What hangs is waited for no longer than this.
VALUES = {
    "codesearch.enabled": "true",
    "codesearch.embedder.provider": "builtin",
    "metrics.enabled": "true",
    "settings.AETERNA_RATE_SEARCH": "off",
    "web.terminationGracePeriodSeconds": "20",
    "worker.terminationGracePeriodSeconds": "20",
}


def build_image(engine: Engine, checkout: Path) -> None:
    """Build the image that the chart names, from the engine's cache where nothing changed."""
    words = ("--quiet", "--network", "host", "--file", "deploy/Dockerfile")
    tag = "aeterna-code-search:0.1.0"
    engine.run("docker", "build", *words, "--tag", tag, ".", cwd=checkout)


def installation(**values: str) -> Installation:
    """What the chart renders with these values besides those of the tests."""
    chosen = VALUES | {name.replace("__", "."): value for name, value in values.items()}
    words = [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]
    return read_installation(installed(RELEASE, *words).objects)


@contextmanager
def prepared_cluster(engine: Engine) -> Iterator[Cluster]:
    """A cluster with the services and the Secret that the document asks for."""
    password = secrets.token_hex(16)
    with running_cluster(engine, "pods") as cluster:
        cluster.add_service(
            "postgres",
            {
                "Image": image_of("postgres"),
                "Cmd": ["postgres", "-c", "max_connections=200"],
                "Env": [f"POSTGRES_{name}=aeterna" for name in ("USER", "DB")]
                + [f"POSTGRES_PASSWORD={password}"],
            },
        )
        cluster.add_service(
            "redis",
            {"Image": image_of("redis"), "Cmd": ["redis-server", "--requirepass", password]},
        )
        cluster.secrets[SECRET] = {
            "SECRET_KEY": secrets.token_hex(32),
            "AETERNA_METRICS_TOKEN": secrets.token_hex(32),
            "DATABASE_URL": f"postgresql://aeterna:{password}@postgres:5432/aeterna",
            "CELERY_BROKER_URL": f"redis://:{password}@redis:6379/0",
        }
        yield cluster
