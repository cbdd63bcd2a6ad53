"""One pod of the tests in an engine: when it is ready, and what a dropped connection costs."""

from pathlib import Path

import pytest

from scripts.local_service import ServiceError
from tests.deploy.docker_fake import DockerFake, NodeFake
from tests.deploy.engine.kubelet import RunningPod
from tests.deploy.engine.pods import Container, Pod, Probe

NAME = "pod-web"


def make_pod(*kinds: str) -> Pod:
    """A pod of one container; each of its probes runs the command of that name."""
    probes = {
        kind: Probe(command=(kind,), path="", port=0, period=0, timeout=1, failures=1)
        for kind in kinds
    }
    container = Container("web", "image", (), (), {}, probes, (), (), {}, {})
    return Pod({}, (container,), (), "1:1", 1, grace_seconds=2)


def start(docker: DockerFake, tmp_path: Path, *kinds: str) -> RunningPod:
    """Such a pod, whose probes are done when the test looks."""
    pod = RunningPod("pod", make_pod(*kinds), docker=docker.api, node=NodeFake(), where=tmp_path)  # type: ignore[arg-type]
    pod.start({}, {})
    return pod


@pytest.fixture
def docker() -> DockerFake:
    return DockerFake()


@pytest.mark.parametrize("others", [(), ("readiness",)])
def test_a_restarted_container_is_not_ready_before_it_has_started(
    docker: DockerFake, tmp_path: Path, others: tuple[str, ...]
) -> None:
    pod = start(docker, tmp_path, "startup", "liveness", *others)
    pod.look()
    pod.look()
    assert pod.is_ready

    docker.failing = {"liveness", "startup"}
    pod.look()
    assert pod.events == ["web: its liveness probe failed"]
    assert not pod.is_ready
    pod.look()
    assert not pod.is_ready

    docker.failing = set()
    pod.look()
    assert not pod.is_ready
    pod.look()
    assert pod.is_ready
    assert docker.started[NAME] == 2


@pytest.mark.parametrize("others", [(), ("readiness",)])
def test_a_container_without_a_startup_probe_is_not_ready_in_the_look_that_restarts_it(
    docker: DockerFake, tmp_path: Path, others: tuple[str, ...]
) -> None:
    pod = start(docker, tmp_path, "liveness", *others)
    pod.look()
    assert pod.is_ready

    docker.failing = {"liveness"}
    pod.look()
    assert not pod.is_ready

    docker.failing = set()
    pod.look()
    assert pod.is_ready
    assert docker.started[NAME] == 2


@pytest.mark.parametrize("drops_answers", [False, True])
@pytest.mark.parametrize(
    "step", [("POST", "stop"), ("DELETE", ""), ("POST", "create"), ("POST", "start")]
)
def test_a_restart_is_completed_after_the_engine_dropped_a_connection(
    docker: DockerFake, tmp_path: Path, step: tuple[str, str], drops_answers: bool
) -> None:
    pod = start(docker, tmp_path, "startup", "liveness")
    pod.look()
    pod.look()
    docker.failing = {"liveness"}
    docker.dropped, docker.drops_answers = {step}, drops_answers

    pod.look()
    assert docker.dropped == set()
    assert not pod.is_ready

    docker.failing = set()
    pod.look()
    assert docker.is_running[NAME]
    assert not pod.is_ready
    pod.look()
    pod.look()
    assert pod.is_ready
    assert (pod.events, pod.restarts) == (["web: its liveness probe failed"], 1)


def test_a_pod_whose_restart_was_cut_short_has_no_log_and_can_end(
    docker: DockerFake, tmp_path: Path
) -> None:
    pod = start(docker, tmp_path, "liveness")
    docker.failing = {"liveness"}
    docker.dropped = {("POST", "create")}
    pod.look()
    assert NAME not in docker.is_running

    assert pod.logs() == ""
    pod.end()
    pod.remove()

    assert docker.is_running == {}


def test_a_container_that_does_not_end_in_time_is_a_service_error(
    docker: DockerFake, tmp_path: Path
) -> None:
    pod = start(docker, tmp_path)
    docker.exit_codes[NAME] = None

    with pytest.raises(ServiceError, match="pod-web has not ended in 5 s"):
        pod.run_to_end(5)
