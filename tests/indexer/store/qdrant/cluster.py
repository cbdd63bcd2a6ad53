"""A cluster of real Qdrant servers on this machine, from the executable that QDRANT_BINARY names.

Clients reach it as they would through a Kubernetes Service: by one address, which leads each new
connection to a node that is ready.
"""

import os
import secrets
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any, Final, Self

import httpx
import pytest

from tests.relay import relay
from tests.waiting import wait_until

KEY: Final = "the-key-of-the-tests-own-qdrant-cluster"
# As docs/how-to/vector-stores.md advises for three nodes.
OPTIONS: Final = "?shards=3&replicas=2"
_HOST: Final = "127.0.0.1"
_PORTS: Final = range(20_000, 32_000)  # below those of clients: a node finds its own again
_START_SECONDS: Final = 180


class Node:
    """A server. After `kill` and `start` it continues with what it has on disk."""

    def __init__(self, directory: Path, bootstrap: "Node | None" = None) -> None:
        self.rest_port, self.port, self._peer_port = _free_ports(3)
        self._directory = directory
        self._bootstrap = bootstrap
        self._process: subprocess.Popen[bytes] | None = None
        self.is_ready = False  # as the probe of a Kubernetes Service sees it

    @property
    def url(self) -> str:
        """As `open_store` takes it."""
        return f"qdrant://{_HOST}:{self.port}"

    @property
    def _peer_url(self) -> str:
        return f"http://{_HOST}:{self._peer_port}"

    def start(self) -> Self:
        """Start it, and wait until it answers and knows what the cluster has decided."""
        self._directory.mkdir(exist_ok=True)
        arguments = ["--disable-telemetry", "--uri", self._peer_url]
        if self._bootstrap:
            arguments += ["--bootstrap", self._bootstrap._peer_url]
        with (self._directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [os.environ["QDRANT_BINARY"], *arguments],
                cwd=self._directory,  # storage and snapshots are relative to it
                env=os.environ | self._settings(),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        complaint = f"Qdrant did not start; see {self._directory / 'log'}"
        wait_until(self._answers, complaint, _START_SECONDS)
        self.is_ready = True
        return self

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process, self.is_ready = None, False

    def hang(self) -> None:
        """Let it answer nothing, on open connections neither."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)
        self.is_ready = False

    def resume(self) -> None:
        """End `hang`."""
        if self._process:
            self._process.send_signal(signal.SIGCONT)
            self.is_ready = True

    @property
    def is_running(self) -> bool:
        """Whether it was started and not killed."""
        return self._process is not None

    def ask(self, path: str) -> dict[str, Any]:
        """The result of a GET of its REST API."""
        url = f"http://{_HOST}:{self.rest_port}{path}"
        answer = httpx.get(url, headers={"api-key": KEY}, timeout=30)
        return dict(answer.raise_for_status().json()["result"])

    def collections(self) -> set[str]:
        """The names of the collections that this node knows."""
        return {each["name"] for each in self.ask("/collections")["collections"]}

    def _answers(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"http://{_HOST}:{self.rest_port}/readyz", timeout=30).is_success
        assert self._process
        assert self._process.poll() is None, (self._directory / "log").read_text()[-3000:]
        return False

    def _settings(self) -> dict[str, str]:
        return {
            "QDRANT__SERVICE__HOST": _HOST,
            "QDRANT__SERVICE__HTTP_PORT": str(self.rest_port),
            "QDRANT__SERVICE__GRPC_PORT": str(self.port),
            "QDRANT__SERVICE__API_KEY": KEY,
            "QDRANT__SERVICE__JWT_RBAC": "true",
            "QDRANT__CLUSTER__ENABLED": "true",
            "QDRANT__CLUSTER__P2P__PORT": str(self._peer_port),
        }


class Cluster:
    """Nodes, and the `url` that leads to the first one that is ready."""

    def __init__(self, nodes: list[Node], url: str) -> None:
        self.nodes = nodes
        self.url = url

    def start(self) -> None:
        """Start the nodes that were killed, and wait until every replica is up to date."""
        for node in self.nodes:
            if node.is_running:
                node.resume()
            else:
                node.start()
        wait_until(self._is_whole, "a replica did not recover", _START_SECONDS)

    def shards(self, collection: str, node: Node) -> dict[int, set[str]]:
        """The states of each shard's replicas, as `node` sees them."""
        states: dict[int, set[str]] = {}
        found = node.ask(f"/collections/{collection}/cluster")
        for shard in (*found["local_shards"], *found["remote_shards"]):
            states.setdefault(shard["shard_id"], set()).add(shard["state"])
        return states

    def _is_whole(self) -> bool:
        return all(
            states == {"Active"}
            for node in self.nodes
            for collection in node.collections()
            for states in self.shards(collection, node).values()
        )


@pytest.fixture(scope="module")
def qdrant_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of three nodes for the tests of a module; an earlier test may have killed some."""
    with running_cluster(tmp_path_factory.mktemp("qdrant")) as running:
        yield running


@pytest.fixture
def qdrant_cluster(qdrant_nodes: Cluster) -> Cluster:
    """The same with all of its nodes."""
    qdrant_nodes.start()
    return qdrant_nodes


@contextmanager
def running_cluster(directory: Path, nodes: int = 3) -> Iterator[Cluster]:
    """A cluster whose nodes are killed at the end."""
    with ExitStack() as stack:
        started: list[Node] = []
        for number in range(nodes):
            node = Node(directory / f"node-{number}", bootstrap=started[0] if started else None)
            stack.callback(node.kill)
            started.append(node.start())
        port = stack.enter_context(_forwarding(started))
        wait_until(lambda: _has_peers(started), "the nodes did not find each other")
        yield Cluster(started, f"qdrant://{_HOST}:{port}")


def _has_peers(nodes: list[Node]) -> bool:
    return all(len(node.ask("/cluster")["peers"]) == len(nodes) for node in nodes)


@contextmanager
def _forwarding(nodes: list[Node]) -> Iterator[int]:
    """A port whose new connections lead to the first of `nodes` that is ready."""

    class Forwarder(BaseRequestHandler):
        def handle(self) -> None:
            address = next(((_HOST, node.port) for node in nodes if node.is_ready), None)
            if address:
                with suppress(OSError), socket.create_connection(address) as upstream:
                    relay(self.request, upstream)

    class Server(ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server((_HOST, 0), Forwarder) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        free: list[int] = []
        while len(free) < count:
            probe = stack.enter_context(closing(socket.socket()))
            port = secrets.choice(_PORTS)
            with suppress(OSError):
                probe.bind((_HOST, port))
                free.append(port)
        return free
