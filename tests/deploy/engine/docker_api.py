"""Docker's HTTP API at the engine's socket: https://docs.docker.com/reference/api/engine/."""

import struct
from typing import Any, Final

import httpx

from scripts.local_service import ServiceError
from tests.deploy.engine.docker_engine import COMMAND_SECONDS, Engine

_FRAME: Final = struct.Struct(">BxxxL")  # stream (1: output, 2: errors) and length


class NotFoundError(ServiceError):
    """The engine has no such container, image or exec."""


def socket_of(engine: Engine) -> httpx.HTTPTransport:
    """What leads to the API of an engine."""
    return httpx.HTTPTransport(
        uds=f"/proc/{engine.pid}/root/run/docker.sock",
        limits=httpx.Limits(max_keepalive_connections=0),  # the engine ends them after an exec
    )


class DockerApi:
    """Containers of one engine, by name. Threads may share it."""

    def __init__(self, transport: httpx.BaseTransport) -> None:
        self._client = httpx.Client(
            transport=transport, base_url="http://docker", timeout=COMMAND_SECONDS
        )

    def close(self) -> None:
        self._client.close()

    def _ask(self, method: str, route: str, **arguments: Any) -> httpx.Response:
        answer = self._client.request(method, route, **arguments)
        if answer.is_error:
            error = NotFoundError if answer.status_code == httpx.codes.NOT_FOUND else ServiceError
            raise error(f"{method} {route}: {answer.text}")
        return answer

    def start(self, name: str, body: dict[str, Any]) -> None:
        """Create a container and start it."""
        self._ask("POST", "/containers/create", params={"name": name}, json=body)
        self._ask("POST", f"/containers/{name}/start")

    def state(self, name: str) -> dict[str, Any]:
        """Running, Pid (as the engine counts), ExitCode, …"""
        state: dict[str, Any] = self._ask("GET", f"/containers/{name}/json").json()["State"]
        return state

    def wait(self, name: str, seconds: float) -> int:
        """The exit code of a container when it has ended. Raises ServiceError if it does not."""
        try:
            answer = self._ask("POST", f"/containers/{name}/wait", timeout=seconds)
        except httpx.TimeoutException as exc:
            raise ServiceError(f"{name} has not ended in {seconds:.0f} s") from exc
        return int(answer.json()["StatusCode"])

    def signal(self, name: str, number: str) -> None:
        self._ask("POST", f"/containers/{name}/kill", params={"signal": number})

    def stop(self, name: str, seconds: int) -> None:
        """SIGTERM, and SIGKILL after some seconds."""
        self._ask("POST", f"/containers/{name}/stop", params={"t": seconds})

    def remove(self, name: str) -> None:
        self._ask("DELETE", f"/containers/{name}", params={"force": "true", "v": "true"})

    def logs(self, name: str) -> str:
        """What it has written, output and errors as they came."""
        both = {"stdout": "true", "stderr": "true"}
        answer = self._ask("GET", f"/containers/{name}/logs", params=both)
        return "".join(text for _, text in _frames(answer.content))

    def run_in(self, name: str, command: list[str], *, seconds: float) -> tuple[int, str, str]:
        """Exit code, output and errors. Raises httpx.TransportError."""
        body = {"Cmd": command, "AttachStdout": True, "AttachStderr": True}
        made = self._ask("POST", f"/containers/{name}/exec", json=body).json()["Id"]
        started = self._ask("POST", f"/exec/{made}/start", json={}, timeout=seconds)
        said = list(_frames(started.content))
        code = self._ask("GET", f"/exec/{made}/json").json()["ExitCode"]
        output, errors = ("".join(text for of, text in said if of == each) for each in (1, 2))
        return code, output, errors


def _frames(content: bytes) -> list[tuple[int, str]]:
    frames, at = [], 0
    while at < len(content):
        stream, length = _FRAME.unpack_from(content, at)
        at += _FRAME.size
        frames.append((stream, content[at : at + length].decode(errors="replace")))
        at += length
    return frames
