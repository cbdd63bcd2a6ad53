"""A language server as a child process: questions about positions, in order."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WINDOW = 50  # questions under way at once, so that neither side waits on a full pipe


class LanguageServerError(Exception):
    """The server ended, or did not understand."""


class LanguageServer:
    """A started server on a directory; use it in a `with` block."""

    def __init__(self, command: Sequence[str], root: Path) -> None:
        self._process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._next = 0
        self._answers: dict[int, Any] = {}
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
                "capabilities": {},
            },
        )
        self.tell("initialized", {})

    def __enter__(self) -> "LanguageServer":
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def tell(self, method: str, parameters: dict[str, Any]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": parameters})

    def ask(self, method: str, parameters: dict[str, Any]) -> Any:
        """Send a question and wait for its answer."""
        return self.ask_all(method, [parameters])[0]

    def ask_all(self, method: str, parameters: Sequence[dict[str, Any]]) -> list[Any]:
        """Send questions, return the answers in their order."""
        answers = []
        for start in range(0, len(parameters), WINDOW):
            numbers = [self._question(method, one) for one in parameters[start : start + WINDOW]]
            while not all(number in self._answers for number in numbers):
                self._receive()
            answers += [self._answers.pop(number) for number in numbers]
        return answers

    def _question(self, method: str, parameters: dict[str, Any]) -> int:
        self._next += 1
        self._send({"id": self._next, "method": method, "params": parameters})
        return self._next

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> None:
        message = self._read()
        if "method" not in message:
            if "error" in message:
                raise LanguageServerError(str(message["error"]))
            self._answers[message["id"]] = message.get("result")
        elif "id" in message:  # it asks for settings and the like: there are none
            items = message["params"].get("items", []) if message.get("params") else []
            self._send({"id": message["id"], "result": [None] * len(items) if items else None})

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise LanguageServerError("The language server ended.")
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message
