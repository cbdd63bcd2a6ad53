"""The chart's values for three sizes: valid, as the document says, and within its PostgreSQL."""

import json
import re
from dataclasses import dataclass

import kubernetes_validate
import pytest

from central.settings.base import database
from scripts.local_service import ROOT
from tests.deploy.chart import CHART, Rendered, helm, installed, variables
from tests.deploy.engine.fields import quantity
from tests.deploy.engine.workloads import read_installation

pytestmark = pytest.mark.system("helm")

SIZES = ("small", "medium", "large")
ONCE = 2  # beat and a migration


@dataclass(frozen=True)
class Row:
    """A size in the document's table."""

    web: list[int]  # from, to
    workers: int
    connections: int
    store: str


def documented(size: str) -> Row:
    """The row of docs/how-to/deploy.md."""
    text = (ROOT / "docs" / "how-to" / "deploy.md").read_text()
    (row,) = (line for line in text.splitlines() if line.startswith(f"| `values-{size}.yaml`"))
    _, web, workers, postgres, store = (cell.strip() for cell in row.split("|")[2:7])
    (connections,) = re.findall(r"max_connections=(\d+)", postgres)
    count = [int(number) for number in re.findall(r"\d+", web)]
    return Row(count, int(workers.split()[0]), int(connections), store.split()[0].lower())


@pytest.fixture(scope="module", params=SIZES)
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def rendered(size: str) -> Rendered:
    return installed("codesearch", "--values", CHART / f"values-{size}.yaml")


def replicas(rendered: Rendered, component: str) -> list[int]:
    """How many pods there are, or from and to."""
    if scalers := rendered.all_of("HorizontalPodAutoscaler", f"-{component}"):
        return [scalers[0]["spec"]["minReplicas"], scalers[0]["spec"]["maxReplicas"]]
    return [rendered.of("Deployment", f"-{component}")["spec"]["replicas"]]


def test_a_size_is_valid_and_can_be_run(size: str, rendered: Rendered) -> None:
    done = helm("lint", "--strict", "--quiet", "--values", CHART / f"values-{size}.yaml", CHART)
    assert done.returncode == 0, done.stdout
    for each in rendered.objects:
        kubernetes_validate.validate(json.loads(json.dumps(each)), "1.35", strict=True)
    assert read_installation(rendered.objects).deployments


def test_a_size_is_as_the_document_says(size: str, rendered: Rendered) -> None:
    row = documented(size)
    assert replicas(rendered, "web") == row.web
    assert replicas(rendered, "worker") == [row.workers]
    backend = rendered.of("ConfigMap")["data"]["CODESEARCH_STORE_BACKEND"]
    assert backend == {"pgvector": "postgres"}.get(row.store, row.store)


def test_postgresql_has_connections_for_all_processes_in_an_upgrade(
    size: str, rendered: Rendered
) -> None:
    worker = variables(rendered.containers("worker")["worker"])
    in_each = int(worker["AETERNA_WORKER_CONCURRENCY"])
    web, workers = (1 + max(replicas(rendered, each)) for each in ("web", "worker"))
    pool = database("postgresql://host/name")["OPTIONS"]["pool"]["max_size"]
    needed = pool * (web + workers * in_each + ONCE)
    assert needed <= documented(size).connections
    text = (CHART / f"values-{size}.yaml").read_text()
    assert f"max_connections={documented(size).connections}," in text


def test_memory_is_within_what_is_measured(rendered: Rendered) -> None:
    """docs/how-to/deploy.md: web 240 MB and up to 1.5 GB; a worker 150 MB and 180 MB a process."""
    containers = {each: rendered.containers(each)[each]["resources"] for each in ("web", "worker")}
    worker = variables(rendered.containers("worker")["worker"])
    in_each = int(worker["AETERNA_WORKER_CONCURRENCY"])
    assert quantity(containers["web"]["requests"]["memory"]) >= 240e6
    assert quantity(containers["web"]["limits"]["memory"]) >= 1.5e9
    assert quantity(containers["worker"]["requests"]["memory"]) >= 150e6 + in_each * 180e6
    assert quantity(containers["worker"]["limits"]["memory"]) >= 150e6 + in_each * 700e6
