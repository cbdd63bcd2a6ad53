"""A stand-in of OpenAI's files, vector stores and responses over real HTTP.

It keeps state, refuses what the service refuses, and can be told to fail. Each answer is validated
by the official client's own types before it is sent.
"""

import email
import email.policy
import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from http.server import BaseHTTPRequestHandler
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qs, urlsplit

from openai.types import FileDeleted, FileObject, VectorStore
from openai.types.responses import Response
from openai.types.vector_stores import VectorStoreFile, VectorStoreFileDeleted

from tests.listening import listening

KEY = "sk-test-0123456789abcdef"
SUPPORTED = {
    ".c", ".cpp", ".cs", ".css", ".doc", ".docx", ".go", ".html", ".java", ".js", ".json", ".md",
    ".pdf", ".php", ".pptx", ".py", ".rb", ".sh", ".tex", ".ts", ".txt",
}  # fmt: skip


class Trouble(StrEnum):
    """What a request meets instead of an answer, or with it."""

    BUSY = "429 with Retry-After"
    QUOTA = "429 that no waiting mends"
    BROKEN = "500"
    LATE = "408"
    SLOW = "no answer before the client gives up"
    DROPPED = "a connection that ends without an answer"
    LATE_DONE = "408, but what was asked for is done"
    GONE = "404"
    A_PAGE = "a page of HTML"
    CUT = "half of a JSON document"
    NONSENSE = "JSON of another form"
    DRIPPING = "an answer that never ends"
    INVALID = "400"


@dataclass(frozen=True)
class Fault:
    """Met by the next `times` requests of the method whose path contains `path`."""

    trouble: Trouble
    method: str = ""
    path: str = ""
    times: int = 1


@dataclass
class Server:
    """Its state, which a test may read and change."""

    url: str = ""
    key: str = KEY
    files: dict[str, dict[str, Any]] = field(default_factory=dict)  # with "content"
    stores: dict[str, dict[str, Any]] = field(default_factory=dict)  # with "files" by id
    requests: list[str] = field(default_factory=list)  # "POST /files"
    bodies: list[dict[str, Any]] = field(default_factory=list)  # of requests in JSON
    uploaded: list[tuple[str, bytes]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    retry_after: str = "0"
    looks_until_read: int = 1  # lists of files in progress until a file is read
    unreadable: dict[str, str] = field(default_factory=dict)  # name of a file → code of its error
    models: set[str] = field(default_factory=lambda: {"gpt-5-mini", "gpt-5", "gpt-5.1"})
    says_nothing: bool = False
    uploads_at_once: int = 0
    most_uploads_at_once: int = 0
    upload_barrier: threading.Barrier | None = None
    upload_gate: threading.Event | None = None  # uploads wait for it
    halt_at: tuple[str, str, int] | None = None  # method, pattern of a path, how many before it
    halted: threading.Event = field(default_factory=threading.Event)
    lock: threading.RLock = field(default_factory=threading.RLock)
    let_go: threading.Event = field(default_factory=threading.Event)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def add_store(self, name: str, status: str = "completed") -> str:
        """A store that somebody has made; its id."""
        with self.lock:
            store_id = f"vs_{next(self.numbers):06}"
            self.stores[store_id] = {"name": name, "status": status, "files": {}}
            return store_id

    def add_file(self, store_id: str, content: bytes, attributes: dict[str, Any] | None) -> str:
        """A file that somebody has put into a store."""
        with self.lock:
            file_id = f"file-{next(self.numbers):06}"
            self.files[file_id] = {"filename": "theirs.txt", "content": content}
            self.stores[store_id]["files"][file_id] = {
                "attributes": attributes, "status": "completed", "looks": 0, "last_error": None,
            }  # fmt: skip
            return file_id

    def paths(self, store_id: str) -> dict[str, str]:
        """{path: hash} of a store's files."""
        found = [one["attributes"] for one in self.stores[store_id]["files"].values()]
        return {one["path"]: one["hash"] for one in found if one and "path" in one}

    def contents(self, store_id: str) -> dict[str, bytes]:
        """{path: content} of a store's files."""
        return {
            one["attributes"]["path"]: self.files[file_id]["content"]
            for file_id, one in self.stores[store_id]["files"].items()
        }

    def count(self, method: str, pattern: str) -> int:
        """How many requests there were whose path matches the whole pattern."""
        asked = re.compile(f"{method} {pattern}")
        return sum(bool(asked.fullmatch(one)) for one in self.requests)

    def fault(self, method: str, path: str) -> Trouble | None:
        with self.lock:
            for place, fault in enumerate(self.faults):
                if fault.method in {"", method} and fault.path in path:
                    left = Fault(fault.trouble, fault.method, fault.path, fault.times - 1)
                    self.faults[place : place + 1] = [left] if left.times else []
                    return fault.trouble
        return None


@contextmanager
def openai_server() -> Iterator[Server]:
    """`url` is what OPENAI_BASE_URL is set to; KEY is the one key that it takes."""
    state = Server()
    with listening(type("Bound", (_Handler,), {"state": state})) as url:
        state.url = f"{url}/v1"
        try:
            yield state
        finally:
            state.let_go.set()
            if state.upload_gate:
                state.upload_gate.set()


class _RefusedError(Exception):
    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state: Server

    def do_GET(self) -> None:
        self._handle("GET")

    def do_POST(self) -> None:
        self._handle("POST")

    def do_DELETE(self) -> None:
        self._handle("DELETE")

    def _handle(self, method: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        path = parts.path.removeprefix("/v1")
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        with self.state.lock:
            self.state.requests.append(f"{method} {path}")
        if self.state.halt_at and self._is_halted(*self.state.halt_at, f"{method} {path}"):
            self.close_connection = True
            return
        trouble = self.state.fault(method, path)
        if trouble and self._meet(trouble):
            return
        try:
            if self.headers["Authorization"] != f"Bearer {self.state.key}":
                given = self.headers["Authorization"].removeprefix("Bearer ")
                said = f"Incorrect API key provided: {given[:8]}*****{given[-4:]}."
                raise _RefusedError(401, said, "invalid_api_key")
            document = self._document(method, path, query, body)
        except _RefusedError as error:
            self._refuse(error.status, str(error), error.code)
            return
        content = json.dumps(document).encode()
        if trouble is Trouble.LATE_DONE:
            self._refuse(408, "Timeout", None)
        elif trouble is Trouble.CUT:
            self._send(200, content[: len(content) // 2])
        else:
            self._send(200, content)

    def _is_halted(self, method: str, path: str, before: int, request: str) -> bool:
        """Whether the request waited until the test was over with its client."""
        asked = re.compile(f"{method} {path}.*")
        if not asked.fullmatch(request) or self.state.count(method, f"{path}.*") <= before:
            return False
        self.state.halted.set()
        self.state.let_go.wait(60)
        return True

    def _meet(self, trouble: Trouble) -> bool:  # noqa: C901 - a table of troubles
        """Whether that is all the answer there is."""
        match trouble:
            case Trouble.BUSY:
                self._refuse(429, "Rate limit reached.", "rate_limit_exceeded", wait=True)
            case Trouble.QUOTA:
                self._refuse(429, "You exceeded your current quota.", "insufficient_quota")
            case Trouble.BROKEN:
                self._refuse(500, f"The server had an error with {KEY}.", None)
            case Trouble.LATE:
                self._refuse(408, "Timeout", None)
            case Trouble.GONE:
                self._refuse(404, "It is not there.", None)
            case Trouble.INVALID:
                self._refuse(400, "Something is invalid.", None)
            case Trouble.SLOW:
                self.state.let_go.wait(60)
                self.close_connection = True
            case Trouble.DROPPED:
                self.close_connection = True
            case Trouble.A_PAGE:
                self._send(200, b"<html>Sign in</html>", kind="text/html")
            case Trouble.NONSENSE:
                self._send(200, b'{"data": 5, "output": [3], "id": 4}')
            case Trouble.DRIPPING:
                self._drip()
            case _:
                return False
        return True

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.close_connection = True
        try:
            while not self.state.let_go.wait(0.02):
                self.wfile.write(b" ")
        except OSError:  # the client has gone
            return

    def _refuse(self, status: int, message: str, code: str | None, *, wait: bool = False) -> None:
        error = {"message": message, "type": "error", "param": None, "code": code}
        headers = {"Retry-After": self.state.retry_after} if wait else {}
        self._send(status, json.dumps({"error": error}).encode(), headers)

    def _send(
        self,
        status: int,
        content: bytes,
        headers: dict[str, str] | None = None,
        *,
        kind: str = "application/json",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        try:
            self.end_headers()
            self.wfile.write(content)
        except OSError:  # the client has gone
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet."""

    # What it is asked

    def _document(  # noqa: C901 - a table of addresses
        self, method: str, path: str, query: dict[str, str], body: bytes
    ) -> Any:
        match method, *path.strip("/").split("/"):
            case "POST", "files":
                return self._upload(body)
            case "DELETE", "files", file_id:
                return self._delete_file(file_id)
            case "GET", "vector_stores":
                return self._page(list(self.state.stores), query, self._store_document)
            case "POST", "vector_stores":
                return self._store_document(self.state.add_store(self._json(body)["name"]))
            case "GET", "vector_stores", store_id:
                return self._store_document(store_id)
            case "GET", "vector_stores", store_id, "files":
                return self._list_files(store_id, query)
            case "POST", "vector_stores", store_id, "files":
                return self._attach(store_id, self._json(body))
            case "POST", "vector_stores", store_id, "files", file_id:
                return self._update(store_id, file_id, self._json(body))
            case "DELETE", "vector_stores", store_id, "files", file_id:
                return self._detach(store_id, file_id)
            case "POST", "responses":
                return self._respond(self._json(body))
        raise _RefusedError(404, "There is no such address.")

    def _json(self, body: bytes) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(body)
        with self.state.lock:
            self.state.bodies.append(document)
        return document

    def _upload(self, body: bytes) -> dict[str, Any]:
        state = self.state
        with state.lock:
            state.uploads_at_once += 1
            state.most_uploads_at_once = max(state.most_uploads_at_once, state.uploads_at_once)
        try:
            if state.upload_barrier:
                state.upload_barrier.wait(10)
            if state.upload_gate:
                state.upload_gate.wait(30)
            return self._uploaded(body)
        finally:
            with state.lock:
                state.uploads_at_once -= 1

    def _uploaded(self, body: bytes) -> dict[str, Any]:
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        message = email.message_from_bytes(head + body, policy=email.policy.HTTP)
        fields = {
            part.get_param("name", header="content-disposition"): part
            for part in message.iter_parts()  # type: ignore[attr-defined]
        }
        if fields["purpose"].get_payload(decode=True) != b"assistants":
            raise _RefusedError(400, "Invalid purpose.")
        name, content = fields["file"].get_filename(), fields["file"].get_payload(decode=True)
        if not content:
            raise _RefusedError(400, "File is empty.")
        with self.state.lock:
            file_id = f"file-{next(self.state.numbers):06}"
            self.state.files[file_id] = {"filename": name, "content": content}
            self.state.uploaded.append((name, content))
        document = {
            "id": file_id, "object": "file", "bytes": len(content), "created_at": _now(),
            "filename": name, "purpose": "assistants", "status": "processed",
        }  # fmt: skip
        FileObject.model_validate(document)
        return document

    def _delete_file(self, file_id: str) -> dict[str, Any]:
        with self.state.lock:
            if self.state.files.pop(file_id, None) is None:
                raise _RefusedError(404, f"No such File object: {file_id}")
        document = {"id": file_id, "object": "file", "deleted": True}
        FileDeleted.model_validate(document)
        return document

    def _store(self, store_id: str) -> dict[str, Any]:
        store = self.state.stores.get(store_id)
        if store is None:
            raise _RefusedError(404, f"Vector store with id '{store_id}' not found.")
        return store

    def _store_document(self, store_id: str) -> dict[str, Any]:
        store = self._store(store_id)
        counts = dict.fromkeys(("in_progress", "completed", "failed", "cancelled"), 0)
        for one in store["files"].values():
            counts[one["status"]] += 1
        document = {
            "id": store_id, "object": "vector_store", "created_at": _now(), "name": store["name"],
            "status": store["status"], "usage_bytes": 0, "last_active_at": None, "metadata": {},
            "file_counts": {**counts, "total": len(store["files"])},
        }  # fmt: skip
        VectorStore.model_validate(document)
        return document

    def _list_files(self, store_id: str, query: dict[str, str]) -> dict[str, Any]:
        status, after = query.get("filter"), query.get("after")
        with self.state.lock:
            files = self._store(store_id)["files"]
            if status == "in_progress":
                for file_id, one in files.items():
                    self._look(file_id, one)
            # A cursor that is not of the status any more is a place all the same.
            ids = [one for one in files if status in {None, files[one]["status"]} or one == after]
            return self._page(ids, query, lambda one: self._file_document(store_id, one))

    def _look(self, file_id: str, one: dict[str, Any]) -> None:
        if one["status"] != "in_progress":
            return
        one["looks"] += 1
        if one["looks"] <= self.state.looks_until_read:
            return
        code = self.state.unreadable.get(self.state.files[file_id]["filename"])
        one["status"] = "failed" if code else "completed"
        one["last_error"] = {"code": code, "message": "It failed."} if code else None

    def _file_document(self, store_id: str, file_id: str) -> dict[str, Any]:
        one = self._store(store_id)["files"].get(file_id)
        if one is None:
            raise _RefusedError(404, f"No file found with id '{file_id}' in the vector store.")
        document = {
            "id": file_id, "object": "vector_store.file", "created_at": _now(), "usage_bytes": 1,
            "vector_store_id": store_id, "status": one["status"], "last_error": one["last_error"],
            "attributes": one["attributes"],
            "chunking_strategy": {
                "type": "static",
                "static": {"max_chunk_size_tokens": 800, "chunk_overlap_tokens": 400},
            },
        }  # fmt: skip
        VectorStoreFile.model_validate(document)
        return document

    def _attach(self, store_id: str, body: dict[str, Any]) -> dict[str, Any]:
        file_id, attributes = body["file_id"], body["attributes"]
        _require_attributes(attributes)
        with self.state.lock:
            store = self._store(store_id)
            if file_id not in self.state.files:
                raise _RefusedError(404, f"No such File object: {file_id}")
            suffix = PurePosixPath(self.state.files[file_id]["filename"]).suffix
            if suffix not in SUPPORTED:
                said = (
                    f"Files with extensions [{suffix or 'none'}] are not supported for retrieval."
                )
                raise _RefusedError(400, said, "unsupported_file")
            store["files"][file_id] = {
                "attributes": attributes, "status": "in_progress", "looks": 0, "last_error": None,
            }  # fmt: skip
            return self._file_document(store_id, file_id)

    def _update(self, store_id: str, file_id: str, body: dict[str, Any]) -> dict[str, Any]:
        _require_attributes(body["attributes"])
        with self.state.lock:
            self._file_document(store_id, file_id)
            self._store(store_id)["files"][file_id]["attributes"] = body["attributes"]
            return self._file_document(store_id, file_id)

    def _detach(self, store_id: str, file_id: str) -> dict[str, Any]:
        with self.state.lock:
            self._file_document(store_id, file_id)
            del self._store(store_id)["files"][file_id]
        document = {"id": file_id, "object": "vector_store.file.deleted", "deleted": True}
        VectorStoreFileDeleted.model_validate(document)
        return document

    def _page(
        self, ids: list[str], query: dict[str, str], document: Callable[[str], dict[str, Any]]
    ) -> dict[str, Any]:
        """The ids are in the order of their creation; a status is filtered on the way."""
        limit = int(query.get("limit", "20"))
        if not 1 <= limit <= 100:
            raise _RefusedError(400, "Invalid limit.")
        if query.get("order", "desc") == "desc":
            ids = ids[::-1]
        if after := query.get("after"):
            if after not in ids:
                raise _RefusedError(400, "Invalid cursor.")
            ids = ids[ids.index(after) + 1 :]
        rows = [document(one) for one in ids[:limit]]
        return {
            "object": "list",
            "data": rows,
            "first_id": rows[0]["id"] if rows else None,
            "last_id": rows[-1]["id"] if rows else None,
            "has_more": len(ids) > limit,
        }

    def _respond(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["model"] not in self.state.models:
            said = f"The model '{body['model']}' does not exist or you do not have access to it."
            raise _RefusedError(404, said, "model_not_found")
        tool = body["tools"][0]
        found = self._search(tool["vector_store_ids"][0], body["input"])
        found = found[: tool.get("max_num_results", 20)]
        includes = "file_search_call.results" in body.get("include", ())
        names = ", ".join(one["attributes"]["path"] for one in found if one["attributes"])
        text = "" if self.state.says_nothing else f"It is in {names}."
        document = {
            "id": "resp_1", "object": "response", "created_at": _now(), "status": "completed",
            "model": body["model"], "parallel_tool_calls": True, "tool_choice": "auto",
            "tools": [{"type": "file_search", "vector_store_ids": tool["vector_store_ids"]}],
            "output": [
                {
                    "id": "fs_1", "type": "file_search_call", "status": "completed",
                    "queries": [body["input"]], "results": found if includes else None,
                },
                {
                    "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": text, "annotations": []}],
                },
            ],
        }  # fmt: skip
        Response.model_validate(document)
        return document

    def _search(self, store_id: str, question: str) -> list[dict[str, Any]]:
        """The store's files that share words with the question, the best first."""
        words = _words(question)
        with self.state.lock:
            rows = [
                {
                    "file_id": file_id,
                    "filename": self.state.files[file_id]["filename"],
                    "score": len(words & _words(text)) / len(words),
                    "text": text,
                    "attributes": one["attributes"],
                }
                for file_id, one in self._store(store_id)["files"].items()
                if one["status"] == "completed"
                for text in [self.state.files[file_id]["content"].decode()]
            ]
        return sorted((row for row in rows if row["score"]), key=lambda row: -row["score"])


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _require_attributes(attributes: dict[str, Any]) -> None:
    if len(attributes) > 16 or any(
        len(key) > 64 or (isinstance(value, str) and len(value) > 512)
        for key, value in attributes.items()
    ):
        raise _RefusedError(400, "Invalid attributes.")


def _now() -> int:
    return int(time.time())
