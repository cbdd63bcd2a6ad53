"""The chart as pods of a real engine: order, probes, an upgrade, and what the document types."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.deploy.engine.cluster import Cluster
from tests.deploy.engine.docker_engine import Engine
from tests.deploy.engine.pods_engine import build_image, installation, prepared_cluster

pytestmark = [pytest.mark.engine, pytest.mark.system("helm", "ip", "nsenter")]


@pytest.fixture(scope="module")
def empty(engine: Engine, checkout: Path) -> Iterator[Cluster]:
    """A cluster in which nothing is installed."""
    build_image(engine, checkout)
    with prepared_cluster(engine) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def cluster(empty: Cluster) -> Iterator[Cluster]:
    """The chart, installed as helm does it: web is not ready before the migration has run."""
    chart = installation()
    empty.apply(chart)
    refusal = "Run `manage.py migrate` first"
    empty.wait_for(lambda: any(refusal in pod.logs() for pod in empty.pods("web")))
    assert not any(pod.is_ready for pod in empty.pods("web"))
    empty.run_hooks(chart)
    with empty.published(chart.service):
        empty.wait_for(empty.is_ready)
        yield empty


def test_everything_becomes_ready_once_the_migration_has_run(cluster: Cluster) -> None:
    assert {name: len(cluster.pods(name)) for name in ("web", "worker", "beat")} == {
        "web": 2,
        "worker": 2,
        "beat": 1,
    }
    assert httpx.get(f"{cluster.url}/readyz").json()["status"] == "ready"
