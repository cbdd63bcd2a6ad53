"""A Docker Engine without containers: its API answers from a dictionary, and drops connections."""

import json
from collections import Counter

import httpx

from tests.deploy.engine.docker_api import DockerApi


class DockerFake:
    """The containers that were started, by name, and whether each runs."""

    def __init__(self) -> None:
        self.is_running: dict[str, bool] = {}
        self.exit_codes: dict[str, int | None] = {}  # of a wait; None: it does not end
        self.started: Counter[str] = Counter()
        self.dropped: set[tuple[str, str]] = set()  # method and action, once each
        self.drops_answers = False  # a dropped request was done all the same
        self.failing: set[str] = set()  # commands that fail in every container
        self.api = DockerApi(httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        _, kind, name, *rest = request.url.path.split("/")
        action = rest[0] if rest else ""
        if name == "create":
            name, action = request.url.params["name"], "create"
        if (request.method, action) in self.dropped:
            self.dropped.discard((request.method, action))
            if self.drops_answers:
                self._answer(request)
            raise httpx.ReadError("the engine has dropped the connection", request=request)
        if kind == "exec":
            return httpx.Response(200, json={"ExitCode": int(name in self.failing)})
        if action == "create":
            if name in self.is_running:
                return httpx.Response(409, text=f"{name} is in use")
            self.is_running[name] = False
            return httpx.Response(201)
        if name not in self.is_running:
            return httpx.Response(404, text=f"No such container: {name}")
        return self._act(request, name, action)

    def _act(self, request: httpx.Request, name: str, action: str) -> httpx.Response:
        if request.method == "DELETE":
            del self.is_running[name]
        elif action == "start":
            self.is_running[name] = True
            self.started[name] += 1
        elif action == "stop":
            self.is_running[name] = False
        elif action == "exec":
            return httpx.Response(201, json={"Id": json.loads(request.content)["Cmd"][0]})
        elif action == "json":
            state = {"Running": self.is_running[name], "ExitCode": 0}
            return httpx.Response(200, json={"State": state})
        elif action == "wait":
            code = self.exit_codes.get(name, 0)
            if code is None:
                raise httpx.ReadTimeout("it has not ended", request=request)
            return httpx.Response(200, json={"StatusCode": code})
        return httpx.Response(200)


class NodeFake:
    """Numbers and addresses of pods, without a network."""

    def __init__(self) -> None:
        self._last = 0

    def number(self) -> int:
        self._last += 1
        return self._last

    def address(self, number: int) -> str:
        return f"fd00::{number:x}"

    def ipv4_address(self, number: int) -> str:
        return f"10.0.0.{number}"

    def make_network(self, pause: str, number: int, hosts: object) -> None:
        """Nothing: no container of these tests talks."""
