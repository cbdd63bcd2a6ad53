"""A client of the indexing API for tests: real requests through the real URL map."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from django.test import Client
from standardwebhooks import Webhook

from central.ingest.services.apply_run import apply_claimed
from central.ingest.services.claims import RunClaim, sweep
from central.repositories.states import RunState
from central.tenancy.models import Organization, Scope
from central.tenancy.tokens import new_token
from indexer.bundle.encode import encode_records, encode_tree
from indexer.bundle.gzip import compress
from indexer.records.files import (
    Chunk,
    ChunkType,
    FileRecord,
    Removal,
    SkipReason,
    Span,
    Symbol,
    TreeEntry,
)
from indexer.records.references import Access, Binding, Export, Import, Reference, ReferenceKind
from indexer.records.vectors import TermVector, Vector
from tests.central.factories import ApiTokenFactory

DIMENSIONS = 256
EXTRACTOR = "extractor-1"


def metrics() -> str:
    """What Prometheus reads."""
    headers = {"Authorization": f"Bearer {settings.METRICS_TOKEN}"}
    response = Client().get("/metrics", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def blob_of(content: str) -> str:
    """A stand-in for git's blob id: a function of the content."""
    return hashlib.sha1(content.encode()).hexdigest()  # noqa: S324 (as git does)


def unit_vector(text: str) -> Vector:
    """A unit vector that is a function of `text`."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return vector / np.linalg.norm(vector)


def file_record(path: str, content: str, *, has_vectors: bool = True) -> FileRecord:
    """A file with a chunk, a symbol and a reference for each line, an import and an export."""
    lines = content.removesuffix("\n").split("\n") if content else []
    return FileRecord(
        path=path,
        mode="100644",
        blob=blob_of(content),
        size=len(content),
        language="python",
        content=content,
        chunks=tuple(
            Chunk(
                span=Span(number, number),
                type=ChunkType.FUNCTION,
                name=f"f{number}",
                container="",
                terms=_terms(line),
                vector=unit_vector(line) if has_vectors else None,
            )
            for number, line in enumerate(lines, start=1)
        ),
        symbols=tuple(
            Symbol(
                name=f"f{number}",
                qualified_name=f"f{number}",
                kind="function",
                span=Span(number, number),
                signature=line[:500],
                exported=True,
            )
            for number, line in enumerate(lines, start=1)
        ),
        imports=tuple(
            Import("kit", "acme_kit", "acme_kit", wildcard=False, line=1) for _ in lines[:1]
        ),
        exports=tuple(Export("kit", "acme_kit", is_local=False, wildcard=False) for _ in lines[:1]),
        references=tuple(
            Reference(
                kind=ReferenceKind.CALL,
                name="run",
                binding=Binding.IMPORT,
                root="kit",
                chain="run",
                access=Access.PATH,
                caller=f"f{number}",
                line=number,
                column=0,
            )
            for number in range(1, len(lines) + 1)
        ),
    )


def _terms(line: str) -> TermVector:
    ids = sorted(
        {1 + int(hashlib.sha256(word.encode()).hexdigest()[:6], 16) for word in line.split()}
    )
    return TermVector(np.array(ids, dtype=np.uint32), np.ones(len(ids), dtype=np.float32))


def skipped_record(path: str, reason: SkipReason = SkipReason.BINARY) -> FileRecord:
    """A file that is not indexed."""
    return FileRecord(path=path, mode="100644", blob=blob_of(path), size=1, skipped=reason)


def tree_of(files: Mapping[str, str]) -> list[TreeEntry]:
    """The tree of a commit that has `files`."""
    return [
        TreeEntry(path=path, mode="100644", blob=blob_of(content), size=len(content))
        for path, content in files.items()
    ]


def commit_of(files: Mapping[str, str]) -> str:
    """A commit id that is a function of the tree."""
    return blob_of(json.dumps(files, sort_keys=True))


@dataclass
class Api:
    """One token's view of the API."""

    organization: Organization
    token: str
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def request(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Send JSON, or bytes as they are; the response as Django's test client gives it."""
        is_bytes = isinstance(body, bytes)
        return self.client.generic(
            method,
            path,
            data=body if is_bytes else b"" if body is None else json.dumps(body).encode(),
            content_type="application/octet-stream" if is_bytes else "application/json",
            headers={"Authorization": f"Bearer {self.token}"} | headers,
        )

    def open(self, project: str = "shop", **members: object) -> Any:
        """POST /api/v1/index/runs."""
        body = {
            "org_id": self.organization.slug,
            "project_id": project,
            "ref": "refs/heads/main",
            "commit_sha": "a" * 40,
            "extractor": EXTRACTOR,
        } | members
        return self.request("POST", "/api/v1/index/runs", body)

    def put_tree(self, run: Mapping[str, Any], entries: Iterable[TreeEntry]) -> Any:
        """PUT …/tree."""
        body = b"".join(encode_tree(list(entries)))
        return self.request("PUT", f"/api/v1/index/runs/{run['run_id']}/tree", body)

    def put_batch(
        self, run: Mapping[str, Any], number: int, records: Iterable[FileRecord | Removal]
    ) -> Any:
        """PUT …/batches/{number}."""
        return self.put_bytes(run, number, compress(encode_records(records)))

    def put_bytes(self, run: Mapping[str, Any], number: int, data: bytes) -> Any:
        """PUT …/batches/{number} with any body."""
        return self.request("PUT", f"/api/v1/index/runs/{run['run_id']}/batches/{number}", data)

    def announcement(self, run: Mapping[str, Any], **members: object) -> dict[str, Any]:
        """The webhook's body for a full run of one batch, with `members` instead."""
        return {
            "org_id": self.organization.slug,
            "project_id": "shop",
            "run_id": run["run_id"],
            "commit_sha": "a" * 40,
            "base_commit": run["base_commit"],
            "mode": "full",
            "reason": "first_index",
            "batches": 1,
            "stats": {"files_changed": 1, "seconds": {"parse": 0.5}},
            "indexed_at": datetime.now(UTC).isoformat(),
        } | members

    def deliver(self, run: Mapping[str, Any], body: object, **headers: str) -> Any:
        """POST /api/v1/index/updated, signed with the run's secret."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request(
            "POST",
            "/api/v1/index/updated",
            data,
            **{**signature(run, data), **headers},
        )

    def state(self, run: Mapping[str, Any]) -> dict[str, Any]:
        """GET …/runs/{id}."""
        answer: dict[str, Any] = self.request("GET", f"/api/v1/index/runs/{run['run_id']}").json()
        return answer

    def status(self, **query: str) -> Any:
        """GET /api/v1/index/status."""
        query = {"org_id": self.organization.slug} | query
        return self.client.get(
            "/api/v1/index/status", query, headers={"Authorization": f"Bearer {self.token}"}
        )

    def queue_full(
        self, files: Mapping[str, str], *, project: str = "shop", **members: object
    ) -> dict[str, Any]:
        """A full run of `files`, up to the webhook."""
        run = self.open(project, **{"commit_sha": commit_of(files)} | members).json()
        changed = self.put_tree(run, tree_of(files)).json()["changed"]
        self._send(run, [file_record(path, files[path]) for path in changed])
        return self._announce(run, files, project, "full", batches=1 if changed else 0)

    def queue_incremental(
        self, before: Mapping[str, str], files: Mapping[str, str], *, project: str = "shop"
    ) -> dict[str, Any]:
        """An incremental run from `before` to `files`, up to the webhook."""
        run = self.open(project, commit_sha=commit_of(files)).json()
        records: list[FileRecord | Removal] = [
            file_record(path, content)
            for path, content in files.items()
            if before.get(path) != content
        ]
        records += [Removal(path) for path in before if path not in files]
        self._send(run, records)
        return self._announce(run, files, project, "incremental", batches=1 if records else 0)

    def _send(self, run: Mapping[str, Any], records: list[Any]) -> None:
        if records:
            assert self.put_batch(run, 1, records).status_code == 204

    def _announce(
        self, run: dict[str, Any], files: Mapping[str, str], project: str, mode: str, batches: int
    ) -> dict[str, Any]:
        body = self.announcement(
            run, project_id=project, mode=mode, commit_sha=commit_of(files), batches=batches
        )
        answer = self.deliver(run, body)
        assert answer.status_code == 202, answer.content
        return run

    def index(self, files: Mapping[str, str], *, project: str = "shop") -> dict[str, Any]:
        """A full run of `files`, applied."""
        run = self.queue_full(files, project=project)
        apply_queued()
        return run


def signature(run: Mapping[str, Any], data: bytes, at: datetime | None = None) -> dict[str, str]:
    """The Standard Webhooks headers for a body."""
    now = at or datetime.now(UTC)
    signed = Webhook(run["webhook_secret"]).sign(run["run_id"], now, data.decode())
    return {
        "webhook-id": run["run_id"],
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signed,
    }


def claim_run(*, run_id: str | UUID) -> RunClaim | None:
    """A claim on this run, as if it were its turn; None if it is not claimable."""
    return RunClaim.take(RunClaim.claimable().filter(pk=run_id))


def apply_run(*, run_id: str | UUID) -> RunState | None:
    """Apply this run, as if it were its turn; its final state, None if it is taken or waits."""
    claim = claim_run(run_id=run_id)
    return None if claim is None else apply_claimed(claim)


def apply_queued() -> list[Any]:
    """Apply what waits, as the sweeper does; the states that came of it."""
    return [apply_run(run_id=run_id) for run_id in sweep()]


def api_of(
    organization: Organization | None = None,
    *,
    scopes: Iterable[Scope] = (Scope.INDEX, Scope.SEARCH),
    repositories: list[str] | None = None,
) -> Api:
    """A new token of an organisation ("acme" by default) and the API as it sees it.

    One name for all tests: the embedded store makes a shard for each, which takes a second.
    """
    token = new_token()
    stored = ApiTokenFactory.create(
        organization=organization or Organization.objects.get_or_create(slug="acme")[0],
        token=token,
        scopes=list(scopes),
        repositories=repositories,
    )
    return Api(stored.organization, token)
