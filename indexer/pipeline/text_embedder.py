"""Embeds texts as packed vectors: a local model in worker processes, or a service.

Threads of this process call a service, so that no worker holds a secret.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Final, Protocol

from indexer.bundle.encode import packed_floats
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder, Usage
from indexer.errors import EmbeddingError
from indexer.pipeline.worker_pool import WorkerPool
from indexer.records.vectors import EmbedderConfig, EmbedderSpec

_LOCAL: Final = "builtin"  # the provider whose models are files
_TEXTS: Final = 256  # a task: enough to keep a process busy for some 40 ms

_log = logging.getLogger(__name__)


class TextEmbedder(Protocol):
    """Embeds texts. Raises EmbeddingError, whose `done` has the packed vectors so far."""

    @property
    def usage(self) -> Usage:
        """Return the requests and tokens of a service so far."""
        ...

    def check(self) -> None:
        """Raise EmbeddingError unless the vectors are of central's model."""
        ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return a packed vector for each text."""
        ...


def text_embedder(spec: EmbedderSpec, access: EmbedderConfig, pool: WorkerPool) -> TextEmbedder:
    """Return the embedder of `spec`; its `check` raises if it is not set up here."""
    if spec.provider == _LOCAL:
        return LocalEmbedder(spec, access, pool)
    return ServiceEmbedder(spec, access)


class LocalEmbedder:
    """A model in files, loaded in the worker processes only."""

    def __init__(self, spec: EmbedderSpec, access: EmbedderConfig, pool: WorkerPool) -> None:
        self._spec = spec
        self._access = EmbedderConfig(models=access.models)  # nothing secret
        self._pool = pool

    @property
    def usage(self) -> Usage:
        return Usage()

    def check(self) -> None:
        try:
            self._pool.submit(_check, self._spec, self._access).result()
        except BrokenProcessPool:
            self._pool.run_isolated(_check, self._spec, self._access)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        groups = [texts[start : start + _TEXTS] for start in range(0, len(texts), _TEXTS)]
        tasks = [
            (group, self._pool.submit(_embed, self._spec, self._access, group)) for group in groups
        ]
        return [vector for group, task in tasks for vector in self._finished(group, task)]

    def _finished(self, texts: Sequence[str], task: "Future[bytes]") -> list[bytes]:
        try:
            return self._cut(task.result())
        except BrokenProcessPool:  # most likely by a file that was being read
            return self._embed_isolated(texts)

    def _embed_isolated(self, texts: Sequence[str]) -> list[bytes]:
        """Embed texts in an isolated process; halve them if one kills it.

        The text that kills its process gets a zero vector.
        """
        try:
            return self._cut(self._pool.run_isolated(_embed, self._spec, self._access, texts))
        except BrokenProcessPool:
            if len(texts) == 1:
                _log.warning("a chunk ended the process that embedded it; its vector is zero")
                return [bytes(self._spec.vector_bytes)]
        half = len(texts) // 2
        return [*self._embed_isolated(texts[:half]), *self._embed_isolated(texts[half:])]

    def _cut(self, packed: bytes) -> list[bytes]:
        size = self._spec.vector_bytes
        return [packed[start : start + size] for start in range(0, len(packed), size)]


class ServiceEmbedder:
    """A service on the network; its client batches, retries and sends requests in parallel."""

    def __init__(self, spec: EmbedderSpec, access: EmbedderConfig) -> None:
        self._spec = spec
        self._access = access
        self._opened: Embedder | None = None

    @property
    def usage(self) -> Usage:
        return self._opened.usage if self._opened else Usage()

    @property
    def _embedder(self) -> Embedder:
        self._opened = self._opened or open_embedder(self._spec, self._access)
        return self._opened

    def check(self) -> None:
        self._embedder.check()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        try:
            return [packed_floats(row) for row in self._embedder.embed_documents(texts)]
        except EmbeddingError as exc:
            done = {index: packed_floats(vector) for index, vector in exc.done.items()}
            raise type(exc)(str(exc), done=done) from exc


def _check(spec: EmbedderSpec, access: EmbedderConfig) -> None:
    from indexer.pipeline.worker import check_embedder

    check_embedder(spec, access)


def _embed(spec: EmbedderSpec, access: EmbedderConfig, texts: Sequence[str]) -> bytes:
    from indexer.pipeline.worker import embed_texts

    return embed_texts(spec, access, texts)
