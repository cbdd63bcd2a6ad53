"""The client of central's indexing API: one method a call, records out.

Every call is idempotent: a repeated batch has the same bytes, a repeated webhook the same id, and a
run that a repeated Open creates expires. So `transport` repeats a request without an answer.
"""

import json
import math
import re
import time
from binascii import a2b_base64
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from standardwebhooks import Webhook

from indexer.bundle.gzip import compress, gzip_packer
from indexer.client.responses import malformed_answer, parse_commit
from indexer.client.transport import Transport
from indexer.errors import RunFailedError, RunStaleError
from indexer.records.authors import AuthorPolicy
from indexer.records.runs import RUN_END_WAIT_SECONDS, Plan, RunStats
from indexer.records.vectors import DirectUploadGrant, EmbedderSpec

_RUNS: Final = "/api/v1/index/runs"
_PROGRESS_SECONDS: Final = 5  # that a request waits while people see how far the run is
_SHORTEST_POLL_SECONDS: Final = 0.02
_LONGEST_POLL_SECONDS: Final = 1.0
_POLL_SHARE: Final = 0.04  # of the time waited so far, where central does not wait
_ENDED_BADLY: Final = frozenset({"failed", "abandoned", "expired"})
_KEY: Final = re.compile(r"(?:[0-9a-f]{2}){16,128}")  # of digests of authors
_GZIP: Final = {"Content-Type": "application/gzip"}


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """The request body of Open. `ref` and `default_branch` are full names."""

    org_id: str
    project_id: str
    ref: str
    commit_sha: str
    extractor: str
    repository_id: int | None = None
    owner_id: int | None = None
    default_branch: str | None = None
    event: str | None = None
    run_url: str | None = None
    repository_url: str | None = None
    vectors: str | None = None  # "direct": the indexer writes the points
    own_secret: bool | None = None  # in a direct run: no token is needed
    direct_refused: bool | None = None  # central has refused a direct run of this client


@dataclass(frozen=True, slots=True)
class DirectUpload:
    """The store and the `repository` key of the points of a direct run."""

    access: DirectUploadGrant
    repository: int


@dataclass(frozen=True, slots=True)
class AuthorRule:
    """What is sent of the authors of commits; `key` is that of digests."""

    policy: AuthorPolicy = AuthorPolicy.OFF
    key: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """The answer of Open; `base_*` are None until the repository has been indexed.

    `max_digests`: the maximum of one lookup; `direct` None: vectors are sent in the batches;
    `reindex`: an administrator requested that every file is processed; `record_fields`: the
    negotiated fields of records that central reads.
    """

    run_id: str
    webhook_secret: str
    base_commit: str | None
    base_extractor: str | None
    base_embedder: str | None
    embedder: EmbedderSpec
    batch_bytes: int
    batch_files: int
    max_digests: int
    direct: DirectUpload | None
    reindex: bool
    record_fields: frozenset[str] = frozenset()
    authors: AuthorRule = field(default_factory=AuthorRule)


@dataclass(frozen=True, slots=True)
class TreeDiff:
    """The files that a full run must send, and how many stored files the tree no longer has."""

    changed: frozenset[str]
    removed: int


@dataclass(frozen=True, slots=True)
class StoredScip:
    """A document of a SCIP index as central has it; see ScipDocument."""

    blob: str
    digest: str


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of a run at central; `progress` is central's text."""

    state: str
    error: str
    progress: dict[str, Any]


class RunLinks(NamedTuple):
    """The URLs of a run's state: for programs, and for people."""

    status_url: str
    page_url: str | None


class IndexingClient:
    """A client of one central service with one credential. Thread-safe.

    Every method raises CentralError: CentralUnreachableError, CentralRefusedError,
    RunConflictError (open_run alone) or RunStaleError.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def open_run(self, request: OpenRequest) -> OpenedRun:
        """Open a run. RunConflictError: another run of the repository must end first."""
        fields = {key: value for key, value in asdict(request).items() if value is not None}
        answer = self._transport.request("POST", _RUNS, content=_json(fields))
        with malformed_answer(answer):
            return OpenedRun(
                run_id=answer["run_id"],
                webhook_secret=answer["webhook_secret"],
                base_commit=parse_commit(answer["base_commit"]),
                base_extractor=answer["base_extractor"],
                base_embedder=answer["base_embedder"],
                embedder=EmbedderSpec(**answer["embedder"]),
                batch_bytes=answer["limits"]["batch_bytes"],
                batch_files=answer["limits"]["batch_files"],
                max_digests=answer["limits"]["digests"],
                direct=_direct(answer["vector_store"]),
                reindex=answer.get("reindex") is True,  # older services do not send it
                record_fields=frozenset(answer.get("record_fields", ())),  # nor this
                authors=_author_rule(answer.get("authors")),  # nor this
            )

    def put_tree(self, run_id: str, parts: Iterable[bytes]) -> TreeDiff:
        """Compress and send the tree of a full run, as NDJSON."""
        packer = gzip_packer()
        body = b"".join([*map(packer.compress, parts), packer.flush()])
        answer = self._transport.request(
            "PUT", f"{_RUNS}/{run_id}/tree", content=body, headers=lambda: _GZIP
        )
        with malformed_answer(answer):
            return TreeDiff(frozenset(answer["changed"]), int(answer["removed"]))

    def known_embeddings(
        self, run_id: str, digests: Collection[bytes]
    ) -> dict[bytes, bytes | None]:
        """Return those of `digests` that need no embedding; in a direct run with their vectors.

        Packed: little-endian float32.
        """
        content = _json({"digests": [digest.hex() for digest in digests]})
        answer = self._transport.request("POST", f"{_RUNS}/{run_id}/embeddings", content=content)
        with malformed_answer(answer):
            vectors = answer.get("vectors", {})
            return {
                bytes.fromhex(digest): a2b_base64(vectors[digest]) if vectors else None
                for digest in answer["known"]
            }

    def scip_documents(self, run_id: str) -> dict[str, StoredScip]:
        """Return the documents of SCIP indexes that central has of the repository, by path."""
        answer = self._transport.request("GET", f"{_RUNS}/{run_id}/scip")
        with malformed_answer(answer):
            return {
                str(path): StoredScip(str(blob), str(digest))
                for path, blob, digest, *_ in answer["documents"]
            }

    def stored_commits(self, run_id: str) -> list[str]:
        """Return the commits that central has of the repository."""
        answer = self._transport.request("GET", f"{_RUNS}/{run_id}/commits")
        with malformed_answer(answer):
            return [parse_commit(sha) or "" for sha in answer["commits"]]

    def put_batch(self, run_id: str, number: int, body: bytes) -> None:
        """Compress and send batch `number` (from 1)."""
        path = f"{_RUNS}/{run_id}/batches/{number}"
        self._transport.request("PUT", path, content=compress(body), headers=lambda: _GZIP)

    def send_webhook(
        self, request: OpenRequest, run: OpenedRun, plan: Plan, *, batches: int, stats: RunStats
    ) -> RunLinks:
        """Announce that the run is uploaded, signed with the run's secret."""
        content = _json(
            {
                "org_id": request.org_id,
                "project_id": request.project_id,
                "run_id": run.run_id,
                "commit_sha": request.commit_sha,
                "base_commit": run.base_commit,
                "mode": plan.mode,
                "reason": plan.reason,
                "batches": batches,
                "stats": asdict(stats),
                "indexed_at": datetime.now(UTC).isoformat(timespec="seconds"),
            }
        )

        def signed() -> dict[str, str]:
            now = datetime.now(UTC)
            signature = Webhook(run.webhook_secret).sign(run.run_id, now, content.decode())
            return {
                "Content-Type": "application/json",
                "webhook-id": run.run_id,
                "webhook-timestamp": str(int(now.timestamp())),
                "webhook-signature": signature,
            }

        answer = self._transport.request(
            "POST", "/api/v1/index/updated", content=content, headers=signed
        )
        with malformed_answer(answer):
            page_url = answer.get("page_url")  # older services have no pages
            return RunLinks(str(answer["status_url"]), str(page_url) if page_url else None)

    def get_run(self, run_id: str, *, wait_seconds: int = 0) -> RunState:
        """Return the state of the run.

        While it is queued or being applied, central may answer `wait_seconds` later, or at once.
        """
        query = f"?wait={wait_seconds}" if wait_seconds else ""
        answer = self._transport.request("GET", f"{_RUNS}/{run_id}{query}")
        with malformed_answer(answer):
            return RunState(
                state=answer["state"],
                error=answer.get("error") or "",
                progress=answer.get("progress") or {},
            )

    def abandon_run(self, run_id: str, reason: str) -> None:
        """Abandon the run; `reason` is `up_to_date`, `superseded` or `cancelled`."""
        path = f"{_RUNS}/{run_id}?reason={reason}"
        self._transport.request("DELETE", path, retry=reason != "cancelled")

    def wait_for_apply(
        self,
        run_id: str,
        *,
        timeout_seconds: float,
        on_state: Callable[[RunState], None] = lambda _: None,
    ) -> None:
        """Return when the run is applied.

        Raises RunStaleError (plan again) or RunFailedError, also when the time is up.
        """
        states = {"applied", "stale"} | _ENDED_BADLY
        last = self._wait(run_id, states, timeout_seconds, _PROGRESS_SECONDS, on_state)
        if last.state == "stale":
            raise RunStaleError(f"run {run_id} is stale: another run was applied meanwhile")
        if last.state in _ENDED_BADLY:
            raise RunFailedError(f"run {run_id} ended as {last.state}: {last.error or 'no reason'}")
        if last.state != "applied":
            raise RunFailedError(
                f"run {run_id} was still {last.state} after {timeout_seconds:.0f} s; central "
                "continues it: check its workers and GET /api/v1/index/status"
            )

    def wait_for_end(self, run_id: str, *, timeout_seconds: float) -> None:
        """Return when the run is neither queued nor applying, or when the time is up."""
        states = {"applied", "stale", "open"} | _ENDED_BADLY
        self._wait(run_id, states, timeout_seconds, RUN_END_WAIT_SECONDS, lambda _: None)

    def _wait(
        self,
        run_id: str,
        states: Collection[str],
        timeout_seconds: float,
        portion_seconds: int,
        on_state: Callable[[RunState], None],
    ) -> RunState:
        """Have central wait for one of `states`, up to `portion_seconds` a request.

        Where it answers sooner, poll, quickly at first: a small run is applied within milliseconds.
        Older services ignore `wait`; one where too many wait answers at once.
        """
        began = asked = time.monotonic()
        while True:
            remaining = max(0, math.ceil(began + timeout_seconds - asked))
            run = self.get_run(run_id, wait_seconds=min(portion_seconds, remaining))
            on_state(run)
            now = time.monotonic()
            waited = now - began
            pause = min(max(_POLL_SHARE * waited, _SHORTEST_POLL_SECONDS), _LONGEST_POLL_SECONDS)
            if run.state in states or waited + pause > timeout_seconds:
                return run
            time.sleep(min(pause, max(0.0, asked + portion_seconds - now)))
            asked = time.monotonic()


def _author_rule(answer: Any) -> AuthorRule:
    """Return the rule; without one that is known in full, no author is sent."""
    if not isinstance(answer, dict) or answer.get("policy") not in set(AuthorPolicy):
        return AuthorRule()
    policy, key = AuthorPolicy(answer["policy"]), answer.get("key")
    if policy is not AuthorPolicy.HASHED:
        return AuthorRule(policy)
    is_key = isinstance(key, str) and _KEY.fullmatch(key)
    return AuthorRule(policy, bytes.fromhex(str(key))) if is_key else AuthorRule()


def _direct(answer: Any) -> DirectUpload | None:
    if answer is None:
        return None
    ends = answer["expires_at"]
    access = DirectUploadGrant(
        url=answer["url"],
        collection=answer["collection"],
        token=answer["token"],
        expires_at=datetime.fromisoformat(ends) if ends else None,
    )
    return DirectUpload(access, repository=answer["repository"])


def _json(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields).encode()
