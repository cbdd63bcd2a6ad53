"""A small stand-in for central: real HTTP on loopback, runs in memory, every request recorded.

It keeps the contract of the indexing API: states, gzip, signatures. A test sets what it answers.
"""

import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from standardwebhooks import Webhook

from indexer.bundle import decode, gzip
from indexer.bundle.tree import TreeColumns, decode_tree
from indexer.embedding.builtin import SPEC
from indexer.pipeline.worker import embedder_inputs
from indexer.records.files import (
    Chunk,
    FileRecord,
    GeneratedBy,
    Removal,
    SkipReason,
    TreeEntry,
)
from indexer.records.history import Commit, CommitRemoval
from indexer.records.scip import ScipDocument, ScipRemoval
from indexer.records.vectors import EmbedderSpec, embedding_digest
from tests.listening import listening

SECRET = "whsec_" + "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"
TOKEN = "aet_token-of-the-test"


@dataclass
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class StandIn:
    """What central holds and how it answers. `failures` are answered first, one a request."""

    url: str = ""
    base_commit: str | None = None
    base_extractor: str | None = None
    base_embedder: str | None = None
    stored: dict[str, tuple[str, str, str | None]] = field(default_factory=dict)
    batch_bytes: int = 16_000_000
    batch_files: int = 500
    outcomes: list[str] = field(default_factory=list)  # how coming runs end; else "applied"
    failures: list[tuple[int, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    batches: dict[int, bytes] = field(default_factory=dict)
    tree: list[TreeEntry] | None = None
    webhook: dict[str, Any] = field(default_factory=dict)
    progress: dict[str, Any] = field(default_factory=dict)  # of every run that is asked for
    opened: list[dict[str, Any]] = field(default_factory=list)
    abandoned: list[str] = field(default_factory=list)
    embedder: EmbedderSpec = SPEC
    embeddings: set[str] = field(default_factory=set)  # digests for which there is a vector
    asked: list[str] = field(default_factory=list)  # digests, in all runs
    scip: dict[str, ScipDocument] = field(default_factory=dict)  # by path
    commits: list[str] = field(default_factory=list)  # in the order in which they came
    digests: int = 20_000
    runs: int = 0
    bearer: str = TOKEN
    exchanges: list[dict[str, Any]] = field(default_factory=list)  # each gives another bearer
    lifetime_seconds: int = 900
    orders: dict[str, Any] = field(default_factory=dict)  # a central of before knows none
    hold_tree: bool = False  # do not answer a tree before `let_go`
    tree_came: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def records(self) -> list[FileRecord | Removal]:
        """What the last run uploaded of files, checked as central checks it."""
        return [one for one in self._lines() if isinstance(one, FileRecord | Removal)]

    def scip_records(self) -> list[ScipDocument | ScipRemoval]:
        """What the last run uploaded of a SCIP index."""
        return [one for one in self._lines() if isinstance(one, ScipDocument | ScipRemoval)]

    def commit_records(self) -> list[Commit | CommitRemoval]:
        """What the last run uploaded of the branch's history."""
        return [one for one in self._lines() if isinstance(one, Commit | CommitRemoval)]

    def _lines(self) -> list[decode.Record]:
        return [
            record
            for number in sorted(self.batches)
            for record in decode.decode_records(
                gzip.decompress(self.batches[number], limit_bytes=self.batch_bytes),
                dimensions=self.embedder.dimensions,
            )
        ]

    def chunks(self) -> list[tuple[str, Chunk]]:
        """Digest and chunk of all that the last run uploaded."""
        return [
            (embedding_digest(text).hex(), chunk)
            for record in self.records()
            if isinstance(record, FileRecord)
            for text, chunk in zip(embedder_inputs(record), record.chunks, strict=True)
        ]

    def paths(self) -> list[str]:
        """The paths of `records`."""
        return [record.path for record in self.records()]

    def answer(self, request: Request) -> tuple[int, object, dict[str, str]]:
        """Status, JSON (None: no body) and headers."""
        if self.hold_tree and request.path.endswith("/tree"):
            self.tree_came.set()
            self.let_go.wait(60)
        with self.lock:
            self.requests.append(request)
            if self.failures:
                return self.failures.pop(0)
            if request.path == "/api/v1/auth/github-oidc":
                return 200, self._exchange(json.loads(request.body)), {}
            if request.headers.get("Authorization") != f"Bearer {self.bearer}":
                return 401, {"code": "unauthenticated", "detail": "Who is it?"}, {}
            path = request.path.removeprefix("/api/v1/index/")
            return (*self._route(request, path), {})

    def _route(self, request: Request, path: str) -> tuple[int, object]:
        parts = path.partition("?")[0].split("/")
        match request.method, parts:
            case "POST", ["runs"]:
                return self._open(json.loads(request.body))
            case "PUT", ["runs", _, "tree"]:
                return 200, self._compare(request.body)
            case "PUT", ["runs", _, "batches", number]:
                self.batches[int(number)] = request.body
                return 204, None
            case "POST", ["runs", _, "embeddings"]:
                asked = json.loads(request.body)["digests"]
                self.asked += asked
                return 200, {"known": [digest for digest in asked if digest in self.embeddings]}
            case "POST", ["updated"]:
                Webhook(SECRET).verify(request.body, request.headers)
                self.webhook = json.loads(request.body)
                return 202, {"job_id": self.webhook["run_id"], "status_url": "/"}
            case "GET", ["runs", _, *what]:
                return 200, self._stored(*what)
            case "DELETE", ["runs", _]:
                self.abandoned.append(path.partition("reason=")[2])
                self._keep()
                return 204, None
        return 404, {"code": "not_found", "detail": "Nothing here."}

    def _stored(self, what: str = "") -> object:
        if what == "commits":
            return {"commits": self.commits}
        return self._documents() if what else self._state()

    def _documents(self) -> object:
        rows = [[one.path, one.blob, one.digest, one.cut] for one in self.scip.values()]
        return {"documents": rows}

    def _state(self) -> object:
        return {"state": self._outcome(), "error": "it broke", "progress": self.progress}

    def _exchange(self, fields: dict[str, Any]) -> object:
        self.exchanges.append(fields)
        self.bearer = f"aet_keyless-{len(self.exchanges)}"
        return {"access_token": self.bearer, "expires_in": self.lifetime_seconds}

    def _open(self, fields: dict[str, Any]) -> tuple[int, object]:
        self.opened.append(fields)
        self.runs += 1
        self.batches, self.tree, self.webhook = {}, None, {}
        return 201, {
            "run_id": f"run-{self.runs}",
            "webhook_secret": SECRET,
            "base_commit": self.base_commit,
            "base_extractor": self.base_extractor,
            "base_embedder": self.base_embedder,
            **self.orders,
            "generation": self.runs,
            "embedder": asdict(self.embedder),
            "limits": {
                "batch_bytes": self.batch_bytes,
                "batch_files": self.batch_files,
                "digests": self.digests,
            },
            "vector_store": None,
        }

    def _compare(self, body: bytes) -> dict[str, object]:
        parts = gzip.inflate([body], limit_bytes=10**9)
        self.tree = entries_of(decode_tree(parts))
        lines = {entry.path: (entry.mode, entry.blob, entry.skipped) for entry in self.tree}
        return {
            "changed": [path for path, line in lines.items() if self.stored.get(path) != line],
            "removed": len(self.stored.keys() - lines.keys()),
        }

    def _outcome(self) -> str:
        state = self.outcomes.pop(0) if self.outcomes else "applied"
        if state == "applied" and self.webhook:
            self._apply()
        return state

    def _apply(self) -> None:
        if self.tree is not None:
            kept = {entry.path for entry in self.tree}
            self.stored = {path: line for path, line in self.stored.items() if path in kept}
        for record in self.scip_records():
            self.scip.pop(record.path, None)
            if isinstance(record, ScipDocument):
                self.scip[record.path] = record
        for commit in self.commit_records():
            if isinstance(commit, Commit):
                self.commits.append(commit.sha)
            else:
                self.commits.remove(commit.sha)
        for record in self.records():
            if isinstance(record, Removal):
                self.stored.pop(record.path, None)
            else:
                self.stored[record.path] = (record.mode, record.blob, _verdict(record))
        self.base_commit = self.webhook["commit_sha"]
        self.base_extractor = self.opened[-1]["extractor"]
        self.base_embedder = str(self.embedder)
        self._keep()

    def _keep(self) -> None:
        """Keep the vectors that came, as central does also of a run that is given up."""
        lacking = {digest for digest, chunk in self.chunks() if chunk.vector is None}
        assert lacking <= self.embeddings
        self.embeddings |= {digest for digest, _ in self.chunks()}


def entries_of(tree: Iterable[TreeColumns]) -> list[TreeEntry]:
    """The entries of a tree that was decoded."""
    return [
        TreeEntry(path, mode, blob, size, skipped and SkipReason(skipped))
        for columns in tree
        for path, mode, blob, size, skipped in zip(*columns, strict=True)
    ]


@contextmanager
def stand_in() -> Iterator[StandIn]:
    """A running stand-in."""
    central = StandIn()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = Request(self.command, self.path, dict(self.headers), body)
            status, fields, headers = central.answer(request)
            content = b"" if fields is None else json.dumps(fields).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815  (http.server's names)

        def log_message(self, *_: object) -> None:
            """Keep standard error for what is tested."""

    with listening(Handler) as central.url:
        yield central


def _verdict(record: FileRecord) -> SkipReason | None:
    """Return what the line of a tree says of the file."""
    return SkipReason.GENERATED if record.generated is GeneratedBy.ENTRY else record.skipped
