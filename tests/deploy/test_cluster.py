"""The Deployments and Jobs of the tests in an engine: how many pods, in which order, how long."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_service import ServiceError
from tests.deploy.docker_fake import DockerFake, NodeFake
from tests.deploy.engine import kubelet
from tests.deploy.engine.cluster import Cluster
from tests.deploy.engine.workloads import Deployment, Installation, Job, Service
from tests.deploy.test_kubelet import make_pod

SERVICE = Service("web", {}, "http")


@pytest.fixture
def docker() -> DockerFake:
    return DockerFake()


@pytest.fixture
def cluster(
    docker: DockerFake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Cluster]:
    monkeypatch.setattr(kubelet, "_LOOK_SECONDS", 0.01)
    cluster = Cluster(None, docker.api, NodeFake(), tmp_path / "pods")  # type: ignore[arg-type]
    yield cluster
    cluster.remove()
    assert docker.is_running == {}


def names(cluster: Cluster) -> list[str]:
    return [pod.name for pod in cluster.pods("web")]


def apply(cluster: Cluster, deployment: Deployment) -> None:
    cluster.apply(Installation((), (deployment,), SERVICE))
    cluster.wait_for(cluster.is_ready)


def make_deployment(replicas: int, *, is_recreated: bool) -> Deployment:
    return Deployment("release-web", replicas, is_recreated, make_pod(), {"version": 1})


@pytest.mark.parametrize("is_recreated", [False, True])
@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_an_upgrade_replaces_every_pod_and_has_as_many_as_it_says(
    cluster: Cluster, docker: DockerFake, replicas: int, is_recreated: bool
) -> None:
    deployment = make_deployment(2, is_recreated=is_recreated)
    apply(cluster, deployment)
    before = names(cluster)
    assert len(before) == 2

    apply(cluster, dataclasses.replace(deployment, replicas=replicas, template={"version": 2}))

    after = names(cluster)
    assert len(after) == replicas
    assert not set(before) & set(after)
    assert len(docker.started) == 2 + replicas  # no new pod was ended
    assert sorted(docker.is_running) == sorted(f"{name}-web" for name in after)


@pytest.mark.parametrize("replicas", [0, 1, 3])
def test_another_number_alone_replaces_no_pod(cluster: Cluster, replicas: int) -> None:
    deployment = make_deployment(2, is_recreated=False)
    apply(cluster, deployment)
    before = names(cluster)

    apply(cluster, dataclasses.replace(deployment, replicas=replicas))

    after = names(cluster)
    assert len(after) == replicas
    assert after[:2] == before[:replicas]


def make_job(attempts: int = 2) -> Installation:
    return Installation((Job("migrate", attempts, 60, make_pod()),), (), SERVICE)


def container(cluster: Cluster, attempt: int) -> str:
    """What Docker calls the container of an attempt of the first Job."""
    return f"pods-migrate-{attempt}-{attempt + 1}-web"


def test_a_job_that_failed_is_tried_again(cluster: Cluster, docker: DockerFake) -> None:
    docker.exit_codes = {container(cluster, 0): 1}
    cluster.run_hooks(make_job())
    assert docker.started == {container(cluster, 0): 1, container(cluster, 1): 1}


def test_a_job_whose_time_is_up_has_failed_and_is_not_tried_again(
    cluster: Cluster, docker: DockerFake
) -> None:
    """As in Kubernetes, where the time is for all attempts."""
    docker.exit_codes = {container(cluster, 0): None}
    with pytest.raises(ServiceError, match=r"migrate: .* has not ended in 60 s"):
        cluster.run_hooks(make_job())
    assert docker.started == {container(cluster, 0): 1}
