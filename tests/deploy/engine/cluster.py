"""A cluster of one node that runs what the chart renders, as helm and kubectl would have it."""

import itertools
import shlex
import shutil
import socketserver
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from scripts.local_service import ServiceError
from tests.deploy import composition
from tests.deploy.engine.connect_proxy import RelayServer
from tests.deploy.engine.docker_api import DockerApi, socket_of
from tests.deploy.engine.docker_engine import Engine
from tests.deploy.engine.kubelet import RunningPod
from tests.deploy.engine.node import Node
from tests.deploy.engine.workloads import Deployment, Installation, Job, Service
from tests.relay import relay

WAIT_SECONDS = 900


class Cluster:
    """The running pods of one installation, its Secrets, and the services around it."""

    def __init__(self, engine: Engine, docker: DockerApi, node: Node, where: Path) -> None:
        self.secrets: dict[str, dict[str, str]] = {}
        self.url = ""
        self._engine, self._docker, self._node, self._where = engine, docker, node, where
        self._hosts: dict[str, str] = {}
        self._pods: dict[str, list[RunningPod]] = {}
        self._installed: dict[str, Deployment] = {}
        self._names = itertools.count(1)

    def add_service(self, name: str, body: dict[str, Any]) -> None:
        """Start a container that pods know by its name, as a managed service would be."""
        number = self._node.number()
        pause = f"{self._where.name}-{name}"
        self._node.make_network(pause, number, {})
        host = {**body.pop("HostConfig", {}), "NetworkMode": f"container:{pause}"}
        self._docker.start(f"{pause}-run", {**body, "HostConfig": host})
        self._hosts[name] = self._node.address(number)

    def run_hooks(self, installation: Installation) -> None:
        """Run what comes before an installation or upgrade. Raises ServiceError if it fails."""
        for job in installation.hooks:
            self._run_job(job)

    def apply(self, installation: Installation) -> None:
        """Bring the Deployments to what they should be. Waits only for pods that replace others."""
        for deployment in installation.deployments:
            before = self._installed.get(deployment.name)
            self._installed[deployment.name] = deployment
            if before and before.template != deployment.template:
                self._roll(deployment)
            else:
                self._scale(deployment)

    def pods(self, component: str) -> list[RunningPod]:
        """The pods of a Deployment, by the end of its name."""
        (name,) = (each for each in self._pods if each.endswith(f"-{component}"))
        return list(self._pods[name])

    def is_ready(self) -> bool:
        """Whether every pod is ready."""
        return all(pod.is_ready for pods in self._pods.values() for pod in pods)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until it is true. Raises ServiceError with what the pods wrote."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise ServiceError(self.describe())
            time.sleep(0.2)

    def status_of(self, address: str, port: int, path: str, *, host: str = "") -> int:
        """The status of a GET at an address of a pod; 0 where nothing listens."""
        connection = self._node.connection(address, port, timeout=60)
        try:
            connection.request("GET", path, headers={"Host": host} if host else {})
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def signal(self, pod: RunningPod, container: str, number: str) -> None:
        """Send a signal to the first process of a container."""
        self._docker.signal(pod.container(container), number)

    @property
    def log(self) -> Path:
        """What has happened so far, as a file."""
        path = self._where / "log"
        path.write_text(self.describe())
        return path

    def describe(self) -> str:
        """What has happened to each pod, and the end of its log."""
        parts = [
            f"{pod.name} (ready: {pod.is_ready}) {pod.events}\n{pod.logs()[-1500:]}"
            for pods in self._pods.values()
            for pod in pods
        ]
        return "\n\n".join(parts)

    def kubectl(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run `kubectl … exec deploy/NAME -c CONTAINER -- COMMAND`, as the documents write it."""
        words = shlex.split(line)
        at = words.index("--")
        (target,) = (word for word in words[:at] if word.startswith("deploy/"))
        assert "exec" in words[:at], line
        pod = self._pods[target.removeprefix("deploy/")][0]
        container = pod.container(words[words.index("-c") + 1])
        return self._engine.run("docker", "exec", container, *words[at + 1 :])

    def endpoint(self, service: Service) -> tuple[str, int] | None:
        """Address and port of a ready pod of the Service; each call gives the next."""
        found = [
            (pod.address, pod.pod.port(service.port))
            for pods in self._pods.values()
            for pod in pods
            if pod.is_ready and service.labels.items() <= pod.pod.labels.items()
        ]
        return found[next(self._names) % len(found)] if found else None

    @contextmanager
    def published(self, service: Service) -> Iterator[str]:
        """A URL that leads to the Service's ready pods, a connection to each in turn."""
        node, endpoint = self._node, self.endpoint

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                if found := endpoint(service):
                    connection = node.connection(*found, timeout=WAIT_SECONDS)
                    connection.connect()
                    with connection.sock as upstream:
                        relay(self.request, upstream)

        with RelayServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.05,))
            thread.start()
            self.url = f"http://127.0.0.1:{server.server_address[1]}"
            try:
                yield self.url
            finally:
                server.shutdown()
                thread.join()

    def remove(self) -> None:
        """Remove every pod."""
        for pods in self._pods.values():
            for pod in pods:
                pod.remove()

    def _start(self, deployment: Deployment) -> RunningPod:
        pod = self._new(deployment.name, deployment.pod)
        self._pods.setdefault(deployment.name, []).append(pod)
        pod.start(self.secrets, self._hosts)
        pod.watch()
        return pod

    def _new(self, name: str, of: Any) -> RunningPod:
        name = f"{self._where.name}-{name}-{next(self._names)}"
        return RunningPod(name, of, docker=self._docker, node=self._node, where=self._where)

    def _roll(self, deployment: Deployment) -> None:
        """Replace the pods: one new pod is ready before an old one ends, or all end first."""
        old = list(self._pods[deployment.name])
        if deployment.is_recreated:
            while old:
                self._end(deployment, old.pop(0))
        for _ in range(deployment.replicas):
            new = self._start(deployment)
            self.wait_for(lambda new=new: new.is_ready)  # type: ignore[misc]
            if old:
                self._end(deployment, old.pop(0))
        for pod in old:
            self._end(deployment, pod)

    def _scale(self, deployment: Deployment) -> None:
        """Start what is missing of the pods, or end what is too much."""
        pods = list(self._pods.get(deployment.name, []))
        for _ in range(deployment.replicas - len(pods)):
            self._start(deployment)
        for pod in pods[deployment.replicas :]:
            self._end(deployment, pod)

    def _end(self, deployment: Deployment, pod: RunningPod) -> None:
        pod.end()
        self._pods[deployment.name].remove(pod)
        pod.remove()

    def _run_job(self, job: Job) -> None:
        deadline = time.monotonic() + job.deadline_seconds
        for attempt in range(job.attempts):
            pod = self._new(f"{job.name}-{attempt}", job.pod)
            try:
                pod.start(self.secrets, self._hosts)
                if pod.run_to_end(max(0.1, deadline - time.monotonic())) == 0:
                    return
                said = pod.logs()
            except ServiceError as exc:
                raise ServiceError(f"{job.name}: {exc}\n{pod.logs()[-3000:]}") from exc
            finally:
                pod.remove()
        raise ServiceError(f"{job.name} failed {job.attempts} times:\n{said[-3000:]}")


@contextmanager
def running_cluster(engine: Engine, name: str) -> Iterator[Cluster]:
    """An empty cluster."""
    where = engine.directory / name
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(mode=0o711)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, where)
        docker = DockerApi(socket_of(engine))
        stack.callback(docker.close)
        node = stack.enter_context(Node(engine, docker).running())
        cluster = Cluster(engine, docker, node, where)
        stack.callback(cluster.remove)
        yield cluster


def image_of(service: str) -> str:
    """The image of a service in docker-compose.yml."""
    image: str = composition.load()["services"][service]["image"]
    return image
