"""Clients that ask as fast as they are answered, and what came of each request."""

import hashlib
import http.client
import json
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from benchmarks.load.corpus import Tenant
from benchmarks.load.plan import Push, Request, requests_of
from indexer.bundle.encode import encode_records, encode_tree
from indexer.bundle.gzip import compress
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.records.files import FileRecord, TreeEntry
from indexer.retry import parse_retry_after
from scripts.browsing import BEHIND_TLS

TIMEOUT_SECONDS: Final = 60.0
TIMED_OUT: Final = "timeout"
_REFUSED: Final = frozenset({429, 503})


@dataclass(frozen=True)
class Outcome:
    """What came of one request."""

    organization: str
    kind: str
    began: float  # seconds since the step began
    seconds: float  # until the answer, or until the request was given up
    code: str = ""  # of the error: a status with the problem's code; empty if it was answered
    is_refusal: bool = False  # 429 or 503 with Retry-After


@dataclass(frozen=True)
class ClientGroup:
    """Clients of one organisation, with the session of one of its members."""

    tenant: Tenant
    session: str  # its id
    clients: int


class Client:
    """One connection of one organisation's token and person."""

    def __init__(self, url: str, group: ClientGroup, started: float) -> None:
        self._address = urlsplit(url).netloc
        self._connection = self._new_connection()
        self._tenant = group.tenant
        self._session = group.session
        self._started = started
        self.outcomes: list[Outcome] = []

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def ask(self, request: Request | Push) -> None:
        """Ask, and wait as long as a refusal says before the next request."""
        if isinstance(request, Push):
            self._index(request)
        else:
            body = request.body.encode() if request.body else None
            self._send(request.kind, request.method, request.path, body)

    def _index(self, push: Push) -> None:
        """Open, tree, batch and webhook of a repository with one empty file."""
        name = f"{push.project} {push.number}"
        commit = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()
        fields = {
            "org_id": self._tenant.slug,
            "project_id": push.project,
            "ref": "refs/heads/main",
            "commit_sha": commit,
            "extractor": EXTRACTOR,
        }
        run = self._send("open", "POST", "/api/v1/index/runs", json.dumps(fields).encode())
        if run is None:
            return
        path = f"/api/v1/index/runs/{run['run_id']}"
        entry = TreeEntry("empty.txt", "100644", commit, 0)
        record = FileRecord(entry.path, entry.mode, entry.blob, entry.size, language="text")
        tree = compress(b"".join(encode_tree([entry])))
        batch = compress(encode_records([record]))
        packed = {"Content-Type": "application/gzip"}
        if self._send("upload", "PUT", f"{path}/tree", tree, packed) is None:
            return
        if self._send("upload", "PUT", f"{path}/batches/1", batch, packed) is None:
            return
        announced = json.dumps(
            {
                **{name: fields[name] for name in ("org_id", "project_id", "commit_sha")},
                "run_id": run["run_id"],
                "base_commit": run["base_commit"],
                "mode": "full",
                "reason": "first_index" if run["base_commit"] is None else "requested",
                "batches": 1,
                "stats": {"files_changed": 1},
                "indexed_at": datetime.now(UTC).isoformat(timespec="seconds"),
            }
        )
        signed = _signature(run, announced)
        self._send("webhook", "POST", "/api/v1/index/updated", announced.encode(), signed)

    def _send(
        self,
        kind: str,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Record the outcome; return None for an error, an Open's JSON, {} for other answers."""
        began = time.perf_counter()
        sent = {**self._credential(path), "Content-Type": "application/json", **(headers or {})}
        try:
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as exc:
            self._connection.close()
            self._connection = self._new_connection()
            self._record(kind, began, TIMED_OUT if isinstance(exc, TimeoutError) else "lost")
            return None
        if response.status < http.client.MULTIPLE_CHOICES:
            self._record(kind, began)
            is_json = response.headers.get_content_type() == "application/json"
            return json.loads(content) if kind == "open" and is_json else {}
        retry_after = response.headers["Retry-After"]
        is_refusal = response.status in _REFUSED and retry_after is not None
        self._record(kind, began, _code(response.status, content), is_refusal=is_refusal)
        if is_refusal:
            self._connection.close()  # the server would, before the time is over
            time.sleep(parse_retry_after(retry_after))
        return None

    def _record(self, kind: str, began: float, code: str = "", *, is_refusal: bool = False) -> None:
        seconds = time.perf_counter() - began
        at = began - self._started
        self.outcomes.append(Outcome(self._tenant.slug, kind, at, seconds, code, is_refusal))

    def _credential(self, path: str) -> dict[str, str]:
        if path.startswith("/o/"):
            return {"Cookie": f"sessionid={self._session}", **BEHIND_TLS}
        return {"Authorization": f"Bearer {self._tenant.token}"}

    def _new_connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self._address, timeout=TIMEOUT_SECONDS)


def _signature(run: Mapping[str, str], content: str) -> dict[str, str]:
    now = datetime.now(UTC)
    return {
        "webhook-id": run["run_id"],
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(run["webhook_secret"]).sign(run["run_id"], now, content),
    }


def _code(status: int, content: bytes) -> str:
    try:
        return f"{status} {json.loads(content)['code']}"
    except (ValueError, LookupError, TypeError):  # a page
        return str(status)


def run_clients(
    urls: Sequence[str],
    groups: Sequence[ClientGroup],
    *,
    seed: int,
    seconds: float,
    requests: int | None = None,
) -> list[Outcome]:
    """Have all clients ask for `seconds`, or send `requests` each if that takes less.

    Each asks one of `urls`, in turn.
    """
    started = time.perf_counter()
    ending = threading.Event()

    def work(group: ClientGroup, number: int) -> list[Outcome]:
        with closing(Client(urls[number % len(urls)], group, started)) as client:
            for count, request in enumerate(requests_of(group.tenant, seed, number)):
                is_over = time.perf_counter() - started > seconds
                if ending.is_set() or is_over or count == requests:
                    break
                client.ask(request)
        return client.outcomes

    numbered = [(group, number) for group in groups for number in range(group.clients)]
    with ThreadPoolExecutor(len(numbered)) as pool:
        try:
            done = list(pool.map(lambda one: work(*one), numbered))
        finally:
            ending.set()
    return [outcome for outcomes in done for outcome in outcomes]
