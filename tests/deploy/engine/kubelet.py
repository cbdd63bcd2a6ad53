"""One running pod: its containers are started, probed, restarted and ended as a kubelet does it."""

import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import httpx

from scripts.local_service import ServiceError
from tests.deploy.engine.docker_api import DockerApi, NotFoundError
from tests.deploy.engine.node import Node
from tests.deploy.engine.pods import Container, Pod, Probe

# Probes come more often than the chart says, so that tests need not wait for them. Their time-outs
# and failure thresholds stay, but a start may take longer: a machine of tests is a busy one.
FASTER = 5
_PATIENCE = 5 * FASTER  # with starts
_LOOK_SECONDS = 0.5
_BACK_OFF_SECONDS = 10 / FASTER  # before each further restart of a process that has ended; doubled
_LONGEST_BACK_OFF = 5  # times that it is doubled


class RunningPod:
    """A pod on the node, in the state in which its own thread found it last."""

    def __init__(self, name: str, pod: Pod, *, docker: DockerApi, node: Node, where: Path) -> None:
        self.name, self.pod = name, pod
        self.is_ready = False
        self.restarts = 0
        self.events: list[str] = []
        self._docker, self._node, self._where = docker, node, where
        self._ended = threading.Event()
        self._number = node.number()
        self.address = node.address(self._number)
        self.ipv4_address = node.ipv4_address(self._number)
        self._watches = [_Watch(self, each) for each in pod.containers]
        self._thread = threading.Thread(target=self._keep, name=name, daemon=True)

    def container(self, name: str) -> str:
        """What Docker calls a container of the pod."""
        return f"{self.name}-{name}"

    def start(self, secrets: Mapping[str, Mapping[str, str]], hosts: Mapping[str, str]) -> None:
        """Make volumes, network and containers. A pod that runs to its end is not watched."""
        self._make_volumes(secrets)
        self._node.make_network(self.name, self._number, hosts)
        for each in self.pod.containers:
            self._start_container(each)

    def watch(self) -> None:
        """Probe and restart the containers from now on."""
        self._thread.start()

    def run_to_end(self, seconds: float) -> int:
        """The exit code of the only container. Raises ServiceError if it has not ended by then."""
        (container,) = self.pod.containers
        return self._docker.wait(self.container(container.name), seconds)

    def end(self) -> None:
        """End as at a deletion: no new requests, hooks, SIGTERM, SIGKILL when the time is up."""
        self.is_ready = False
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        for each in self.pod.containers:
            with suppress(NotFoundError):  # its restart was cut short
                self._end_container(each)

    def remove(self) -> None:
        """Remove what is left of the pod."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        for name in (*(self.container(each.name) for each in self.pod.containers), self.name):
            with suppress(ServiceError):  # it is not there
                self._docker.remove(name)

    def run_in(self, container: str, *command: str, seconds: float) -> tuple[int, str, str]:
        """Exit code, output and errors of a command in a container."""
        return self._docker.run_in(self.container(container), list(command), seconds=seconds)

    def logs(self) -> str:
        """What its containers have written."""
        parts = []
        for each in self.pod.containers:
            with suppress(NotFoundError):  # it is being replaced
                parts.append(self._docker.logs(self.container(each.name)))
        return "".join(parts)

    def _start_container(self, container: Container) -> None:
        body = self.pod.body(
            container, pause=self.name, address=self.address, where=self._where / self.name
        )
        self._docker.start(self.container(container.name), body)

    def _end_container(self, container: Container) -> None:
        name, started = self.container(container.name), time.monotonic()
        if container.pre_stop and self._docker.state(name)["Running"]:
            self.run_in(container.name, *container.pre_stop, seconds=self.pod.grace_seconds)
        rest = self.pod.grace_seconds - (time.monotonic() - started)
        self._docker.stop(name, max(2, int(rest)))
        self.events.append(f"{container.name} ended with {self._docker.state(name)['ExitCode']}")

    def _make_volumes(self, secrets: Mapping[str, Mapping[str, str]]) -> None:
        for volume in self.pod.volumes:
            directory = self._where / self.name / volume.name
            directory.mkdir(parents=True)
            os.chown(directory, 0, self.pod.group)
            directory.chmod(0o2777 if not volume.secret else 0o2755)
            for key, path in volume.items:
                file = directory / path
                file.write_text(secrets[volume.secret][key])
                os.chown(file, 0, self.pod.group)
                file.chmod(volume.mode)

    def _keep(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            self.look()

    def look(self) -> None:
        """Do for each container what is due: a probe or a restart."""
        for watch in self._watches:
            with suppress(httpx.TransportError):  # of the engine; it is asked again
                watch.look()
        are_ready = all(each.is_ready for each in self._watches)
        self.is_ready = are_ready and not self._ended.is_set()

    def is_running(self, container: Container) -> bool:
        """Whether a container is there and runs."""
        try:
            return bool(self._docker.state(self.container(container.name))["Running"])
        except NotFoundError:  # its restart was cut short
            return False

    def restart(self, container: Container, reason: str) -> None:
        """Replace a container, as Kubernetes does; the pod's volumes and network stay.

        After an error it can be called again, however far it came.
        """
        name = self.container(container.name)
        if self.is_running(container):
            self._docker.stop(name, self.pod.grace_seconds)
        with suppress(NotFoundError):
            self._docker.remove(name)
        self._start_container(container)
        self.events.append(f"{container.name}: {reason}")
        self.restarts += 1

    def answers(self, container: Container, probe: Probe) -> bool:
        """Whether a probe succeeds."""
        if probe.command:
            with suppress(httpx.TransportError, ServiceError):
                return self.run_in(container.name, *probe.command, seconds=probe.timeout)[0] == 0
            return False
        connection = self._node.connection(self.address, probe.port, probe.timeout)
        try:
            connection.request("GET", probe.path)
            return 200 <= connection.getresponse().status < 400
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()


class _Watch:
    """The probes of one container."""

    def __init__(self, pod: RunningPod, container: Container) -> None:
        self.is_ready = False
        self._pod, self._container = pod, container
        self._begin()

    def _begin(self) -> None:
        self.is_ready = False
        self._restart_at: float | None = None
        self._restart_reason = ""  # of a restart that is not complete
        self._is_started = "startup" not in self._container.probes
        self._failures = dict.fromkeys(self._container.probes, 0)
        self._next = dict.fromkeys(self._container.probes, 0.0)

    def look(self) -> None:
        """Restart the container if it has ended or hangs; else do the probes that are due."""
        if self._restart_reason:
            self._restart(self._restart_reason)
        elif not self._pod.is_running(self._container):
            self._back_off()
        elif not self._is_started:
            self._probe("startup", starts=True)
        elif self._probe("liveness"):
            if "readiness" in self._container.probes:
                self._probe("readiness")
            else:
                self.is_ready = True

    def _probe(self, kind: str, *, starts: bool = False) -> bool:
        """Do a probe if it is due. False if it led to a restart: the container begins again."""
        probe = self._container.probes.get(kind)
        if probe is None or time.monotonic() < self._next[kind]:
            return True
        succeeded = self._pod.answers(self._container, probe)
        self._next[kind] = time.monotonic() + probe.period / FASTER
        self._failures[kind] = 0 if succeeded else self._failures[kind] + 1
        has_failed = self._failures[kind] >= probe.failures * (_PATIENCE if starts else 1)
        if kind == "readiness":
            self.is_ready = succeeded or (self.is_ready and not has_failed)
            return True
        if has_failed:
            self._restart(f"its {kind} probe failed")
            return False
        if starts:
            self._is_started = succeeded
        return True

    def _back_off(self) -> None:
        self.is_ready = False
        now = time.monotonic()
        if self._restart_at is None:
            doubled = min(self._pod.restarts, _LONGEST_BACK_OFF)
            self._restart_at = now + _BACK_OFF_SECONDS * 2**doubled
        elif now > self._restart_at:
            self._restart("it has ended")

    def _restart(self, reason: str) -> None:
        self.is_ready = False
        self._pod.is_ready = False
        self._restart_reason = reason  # until it is complete: the engine may drop a connection
        self._pod.restart(self._container, reason)
        self._begin()
