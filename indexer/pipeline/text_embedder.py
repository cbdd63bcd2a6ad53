"""How a run embeds: with a local model where files are extracted, or by asking a service.

Threads of this process call a service, so that no worker holds a secret.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from indexer.bundle.encode import packed_floats
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder, Usage
from indexer.errors import EmbeddingError
from indexer.pipeline.forkserver import WorkerDiedError
from indexer.pipeline.tasks import check_in_worker
from indexer.pipeline.worker_pool import WorkerPool
from indexer.records.vectors import EmbedderConfig, EmbedderSpec, LocalModel

_LOCAL: Final = "builtin"  # the provider whose models are files


class TextEmbedder(Protocol):
    """The embedder of a run's texts, or of none, if workers embed what they extract."""

    @property
    def model(self) -> LocalModel | None:
        """The model with which workers embed what they extract; None for a service."""
        ...

    @property
    def usage(self) -> Usage:
        """Return the requests and tokens of a service so far."""
        ...

    def check(self) -> None:
        """Raise EmbeddingError unless the vectors are of central's model."""
        ...

    def embed(self, inputs: Sequence[Any]) -> list[bytes]:
        """Return a packed vector for each input of an extracted file.

        Raises EmbeddingError, whose `done` has the packed vectors so far.
        """
        ...


def text_embedder(spec: EmbedderSpec, access: EmbedderConfig, pool: WorkerPool) -> TextEmbedder:
    """Return the embedder of `spec`; its `check` raises if it is not set up here."""
    if spec.provider == _LOCAL:
        return LocalEmbedder(LocalModel(spec, access.models), pool)
    return ServiceEmbedder(spec, access)


class LocalEmbedder:
    """A model in files, loaded in the worker processes only."""

    def __init__(self, model: LocalModel, pool: WorkerPool) -> None:
        self._model = model
        self._pool = pool

    @property
    def model(self) -> LocalModel:
        return self._model

    @property
    def usage(self) -> Usage:
        return Usage()

    def check(self) -> None:
        try:
            self._pool.submit(check_in_worker, self._model).result()
        except WorkerDiedError:
            self._pool.run_isolated(check_in_worker, self._model)

    def embed(self, inputs: Sequence[bytes]) -> list[bytes]:
        """Return the inputs: the vectors that workers computed."""
        return list(inputs)


class ServiceEmbedder:
    """A service on the network; its client batches, retries and sends requests in parallel."""

    def __init__(self, spec: EmbedderSpec, access: EmbedderConfig) -> None:
        self._spec = spec
        self._access = access
        self._opened: Embedder | None = None

    @property
    def model(self) -> None:
        return None

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
