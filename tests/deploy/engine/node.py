"""The network of a cluster: one bridge, IPv6 first, an address of each protocol for each pod."""

import itertools
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection

from scripts.local_service import ROOT, ServiceError
from tests.deploy import dockerfile
from tests.deploy.engine.docker_api import DockerApi
from tests.deploy.engine.docker_engine import Engine

_IPV4, _IPV6 = "10.244.0.{}", "fd00:10:244::{:x}"
_PROXY = "tests.deploy.engine.connect_proxy"


class Node:
    """The machine of a cluster: makes networks of pods, and reaches them as a kubelet does."""

    def __init__(self, engine: Engine, docker: DockerApi) -> None:
        self._engine, self._docker = engine, docker
        self._numbers = itertools.count(1)
        self._name = f"node-{uuid.uuid4().hex[:8]}"
        self._proxy_port = 0

    @contextmanager
    def running(self) -> Iterator["Node"]:
        """Make the bridge in a network of its own, and the proxy that leads there."""
        self._pause(self._name, {})
        self._ip(self._name, "link", "add", "cluster", "type", "bridge")
        self._give_addresses(self._name, "cluster", next(self._numbers))
        namespace = f"/proc/{self._engine.pid}/root/proc/{self._pid(self._name)}/ns/net"
        proxy = subprocess.Popen(
            [sys.executable, "-m", _PROXY, namespace],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert proxy.stdin
        assert proxy.stdout
        try:
            self._proxy_port = int(proxy.stdout.readline())
            yield self
        finally:
            proxy.communicate(timeout=60)
            self._docker.remove(self._name)

    def number(self) -> int:
        """The number of a new pod, from which its addresses come."""
        return next(self._numbers)

    @staticmethod
    def address(number: int) -> str:
        """The first address of a pod: status.podIP."""
        return _IPV6.format(number)

    @staticmethod
    def ipv4_address(number: int) -> str:
        return _IPV4.format(number)

    def make_network(self, pause: str, number: int, hosts: Mapping[str, str]) -> None:
        """Start the container that holds a pod's network; `hosts` are names that it knows."""
        self._pause(pause, hosts)
        made = ("type", "veth", "peer", "name", "eth0", "netns", str(self._pid(pause)))
        self._ip(self._name, "link", "add", f"pod{number}", *made)
        self._ip(self._name, "link", "set", f"pod{number}", "master", "cluster", "up")
        self._give_addresses(pause, "eth0", number)

    def connection(self, host: str, port: int, timeout: float) -> HTTPConnection:
        """A connection for HTTP to an address of a pod."""
        connection = HTTPConnection("127.0.0.1", self._proxy_port, timeout=timeout)
        connection.set_tunnel(host, port)
        return connection

    def _pause(self, name: str, hosts: Mapping[str, str]) -> None:
        host = {
            "NetworkMode": "none",
            "Init": True,  # ends at SIGTERM
            "ExtraHosts": [f"{each}:{address}" for each, address in hosts.items()],
            "Sysctls": {f"net.ipv6.conf.{each}.disable_ipv6": "0" for each in ("all", "default")},
        }
        image = dockerfile.argument("PYTHON_IMAGE")
        body = {"Image": image, "Cmd": ["sleep", "infinity"], "HostConfig": host}
        self._docker.start(name, body)

    def _give_addresses(self, container: str, device: str, number: int) -> None:
        self._ip(container, "address", "add", f"{_IPV4.format(number)}/24", "dev", device)
        self._ip(container, "address", "add", f"{_IPV6.format(number)}/64", "dev", device, "nodad")
        self._ip(container, "link", "set", device, "up")

    def _pid(self, container: str) -> int:
        return int(self._docker.state(container)["Pid"])

    def _ip(self, container: str, *words: str) -> None:
        """Run this machine's `ip` in a container's network; process ids are the engine's."""
        pid = str(self._engine.pid)
        network = f"--net=/proc/{pid}/root/proc/{self._pid(container)}/ns/net"
        enter = ["nsenter", "--target", pid, "--pid", network, "ip", *words]
        done = subprocess.run(enter, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServiceError(f"ip {' '.join(words)}: {done.stderr}")
