"""The chart as pods of a real engine: order, probes, an upgrade, and what the document types."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from scripts.local_service import Organization
from tests.deploy.engine.cluster import Cluster
from tests.deploy.engine.docker_engine import Engine
from tests.deploy.engine.documents import commands
from tests.deploy.engine.release import build_image, installation, prepared_cluster
from tests.deploy.engine.test_stack import shop

pytestmark = [pytest.mark.engine, pytest.mark.system("helm", "ip", "nsenter")]


@pytest.fixture(scope="module")
def empty(engine: Engine, checkout: Path) -> Iterator[Cluster]:
    """A cluster in which nothing is installed."""
    build_image(engine, checkout)
    with prepared_cluster(engine) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def installed(empty: Cluster) -> Iterator[Cluster]:
    """The chart, with its pods before the migration: they must wait for it."""
    chart = installation()
    empty.apply(chart)
    refusal = "Run `manage.py migrate` first"
    empty.wait_for(lambda: any(refusal in pod.logs() for pod in empty.pods("web")))
    assert not any(pod.is_ready for pod in empty.pods("web"))
    empty.run_hooks(chart)
    with empty.published(chart.service):
        yield empty


@pytest.fixture
def cluster(installed: Cluster) -> Cluster:
    """The same, with every pod ready."""
    installed.wait_for(installed.is_ready)
    return installed


@pytest.fixture(scope="module")
def acme(installed: Cluster) -> Organization:
    """The organisation of the document, by the document's commands."""
    lines = commands("deploy.md", "## On Kubernetes")
    create_organization, create_token = (
        next(line for line in lines if each in line)
        for each in ("manage create_organization", "manage create_token")
    )
    installed.wait_for(installed.is_ready)
    installed.kubectl(create_organization)
    token = installed.kubectl(create_token).stdout.strip()
    return Organization(installed, "acme", token)  # type: ignore[arg-type]


def test_everything_becomes_ready_once_the_migration_has_run(cluster: Cluster) -> None:
    numbers = {name: len(cluster.pods(name)) for name in ("web", "worker", "beat")}
    assert numbers == {"web": 2, "worker": 2, "beat": 1}
    # It answers 503 while a check takes longer than 2 s, as on a busy machine.
    cluster.wait_for(lambda: httpx.get(f"{cluster.url}/readyz", timeout=60).is_success)


def test_a_repository_is_indexed_searched_and_traced_through_the_service(
    acme: Organization, tmp_path: Path
) -> None:
    report = acme.index(shop(tmp_path), "shop")

    assert report["mode"] == "full"
    assert acme.search("retry with backoff")["results"][0]["file"] == "shop.py"
    callers = acme.get("trace/callers", symbol="retry_with_backoff")
    assert [each["caller"]["qualified_name"] for each in callers["callers"]] == ["checkout"]


def test_a_pod_answers_at_its_ipv6_address_and_over_ipv4(cluster: Cluster) -> None:
    """The kubelet asks at the first address, by which the service must know itself."""
    pod = cluster.pods("web")[0]
    for address, host in ((pod.address, ""), (pod.ipv4_address, "localhost:8000")):
        assert cluster.status_of(address, 8000, "/livez", host=host) == httpx.codes.OK


def test_the_figures_of_a_worker_are_at_both_addresses(cluster: Cluster) -> None:
    pod = cluster.pods("worker")[0]
    port = pod.pod.port("metrics")
    for address in (pod.address, pod.ipv4_address):
        # It asks for the token. A restarted worker is ready by the heartbeat of the one before.
        cluster.wait_for(lambda at=address: cluster.status_of(at, port, "/metrics") == 401)  # type: ignore[misc]


@pytest.mark.parametrize("component", ["web", "worker", "beat"])
def test_a_process_has_no_rights_beyond_its_own_user(cluster: Cluster, component: str) -> None:
    pod = cluster.pods(component)[0]
    _, status, _ = pod.run_in(component, "cat", "/proc/1/status", seconds=60)
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["Uid"].split() == ["10001"] * 4
    assert int(fields["CapEff"], 16) == 0
    assert int(fields["CapBnd"], 16) == 0
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    code, _, said = pod.run_in(component, "touch", "/opt/x", seconds=60)
    assert code
    assert "Read-only file system" in said


@pytest.mark.parametrize("component", ["web", "worker"])
def test_a_hung_process_is_restarted_by_its_liveness_probe(
    cluster: Cluster, component: str
) -> None:
    pod = cluster.pods(component)[0]

    cluster.signal(pod, component, "SIGSTOP")

    cluster.wait_for(lambda: f"{component}: its liveness probe failed" in pod.events)
    cluster.wait_for(lambda: pod.is_ready)
    assert httpx.get(f"{cluster.url}/livez", timeout=60).is_success


def test_a_killed_process_is_started_again(cluster: Cluster) -> None:
    pod = cluster.pods("beat")[0]
    before = pod.restarts

    cluster.signal(pod, "beat", "SIGKILL")

    cluster.wait_for(lambda: pod.restarts > before)
    cluster.wait_for(lambda: pod.is_ready)


def test_an_upgrade_leaves_no_request_unanswered(cluster: Cluster, acme: Organization) -> None:
    before = {pod.name: pod for pod in cluster.pods("web")}
    chart = installation(settings__AETERNA_BEHIND_MINUTES="30")
    ended = threading.Event()
    answers: list[str] = []

    def ask() -> None:
        while not ended.is_set():
            try:
                acme.search("retry")
                answers.append("ok")
            except httpx.HTTPError as exc:
                answers.append(repr(exc))

    client = threading.Thread(target=ask)
    client.start()
    try:
        cluster.run_hooks(chart)
        cluster.apply(chart)
        cluster.wait_for(cluster.is_ready)
    finally:
        ended.set()
        client.join()

    assert not before.keys() & {pod.name for pod in cluster.pods("web")}
    endings = {event for pod in before.values() for event in pod.events[-2:]}
    assert endings == {"web ended with 0", "codesearch ended with 0"}
    assert set(answers) == {"ok"}, answers
