"""The look-up of stored embeddings, so that no client embeds or pays for a text twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils import timezone

from central.corpus.embeddings import known_digests, stored_vectors
from central.errors import InvalidError
from central.ingest.models import IndexRun
from central.ingest.selectors import visible_reuse_scope
from central.ingest.services.access import open_run_of
from central.tenancy.credentials import Credential
from indexer.records.vectors import EmbedderSpec

LOOKUP_DIGESTS: Final = 20_000
_VECTOR_BYTES = 20_000_000  # of an answer, before base64


@dataclass(frozen=True, slots=True)
class KnownEmbeddings:
    """Digests (hex) that need not be embedded; in a direct run with their packed vectors."""

    digests: list[str]
    vectors: dict[str, bytes] | None = None


def max_digests(run: IndexRun) -> int:
    """Return the number of digests that the run's client may send at once."""
    if not run.is_direct:
        return LOOKUP_DIGESTS
    return min(
        LOOKUP_DIGESTS, max(1, _VECTOR_BYTES // EmbedderSpec.parse(run.embedder).vector_bytes)
    )


def known_embeddings(
    *, credential: Credential, run_id: UUID, digests: Sequence[str]
) -> KnownEmbeddings:
    """Return and lease those of `digests` (SHA-256 in hex) that need not be embedded.

    Raises NotFoundError, ForbiddenError, ConflictError (`run_not_open`), InvalidError
    (`too_many_digests`).
    """
    run = open_run_of(credential=credential, run_id=run_id)
    if len(digests) > (most := max_digests(run)):
        raise InvalidError(
            f"Ask for at most {most} digests at a time in this run (limits.digests of Open's "
            "answer).",
            code="too_many_digests",
        )
    IndexRun.objects.filter(pk=run.pk).update(touched_at=timezone.now())
    asked = {digest: bytes.fromhex(digest) for digest in digests}
    lending = visible_reuse_scope(credential, run)
    known = known_digests(repositories=lending, embedder=run.embedder, digests=asked.values())
    if not run.is_direct:
        return KnownEmbeddings([text for text, digest in asked.items() if digest in known])
    found = stored_vectors(repositories=lending, embedder=run.embedder, digests=known)
    vectors = {text: found[digest] for text, digest in asked.items() if digest in found}
    return KnownEmbeddings(list(vectors), vectors)
