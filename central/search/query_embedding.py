"""Queries' vectors. Those that are asked for over a network are kept, and not asked for while the
service is away: a search waits for it once or twice, not each time.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Final

import numpy as np
import structlog
from django.conf import settings
from django.core.cache import caches

from central.circuit import Circuit, CircuitOpenError
from central.corpus.backends import embedder
from central.observability.metrics import EMBEDDER_REQUESTS
from indexer.embedding.catalogue import REMOTE
from indexer.errors import EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec, Vector

_FAILURES: Final = 2  # in a row
_PAUSE_SECONDS: Final = 5.0

_log = structlog.get_logger(__name__)


def query_vectors(
    spec: EmbedderSpec, texts: Sequence[str], *, organization: str
) -> Sequence[Vector]:
    """A vector for each of `texts`, in one request at most; zero where nothing is known of it.

    `organization` is whose queries they are: what another asked is not known. Raises
    EmbeddingError.
    """
    if spec.provider not in REMOTE:
        return list(embedder(spec).embed_queries(texts))
    keys = {text: _key(organization, spec, text) for text in texts}
    known = caches["queries"].get_many(keys.values())
    missing = [text for text, key in keys.items() if key not in known]
    if missing:
        fresh = {
            keys[text]: vector.tobytes()
            for text, vector in zip(missing, _asked(spec, missing), strict=True)
        }
        caches["queries"].set_many(fresh)
        known |= fresh
    return [np.frombuffer(known[keys[text]], dtype=np.float32) for text in texts]


def _asked(spec: EmbedderSpec, texts: Sequence[str]) -> Sequence[Vector]:
    outcome = "failed"
    try:
        with _circuit(spec, settings.EMBEDDER_ACCESS).guard(EmbeddingError):
            vectors = list(embedder(spec).embed_queries(texts))
        outcome = "answered"
    except CircuitOpenError as exc:
        outcome = "left_alone"
        message = f"{spec} failed a moment ago and is asked again in {exc.retry_seconds:.0f} s"
        raise EmbedderUnavailableError(message) from exc
    finally:
        EMBEDDER_REQUESTS.labels(spec.provider, outcome).inc()
    return vectors


@cache
def _circuit(spec: EmbedderSpec, access: EmbedderConfig) -> Circuit:
    del access  # another service has a circuit of its own

    def changed(is_open: bool) -> None:
        _log.warning("embedder_left_alone" if is_open else "embedder_is_back", embedder=str(spec))

    return Circuit(threshold=_FAILURES, pause_seconds=_PAUSE_SECONDS, changed=changed)


def _key(organization: str, spec: EmbedderSpec, text: str) -> str:
    """Hashed: queries are of any length, and are nobody's to read in a cache."""
    return sha256("\0".join((organization, str(spec), text)).encode(errors="replace")).hexdigest()
