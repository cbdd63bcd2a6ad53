"""The Embedder protocol that every provider implements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from indexer.records.vectors import EmbedderSpec, Matrix


@dataclass(frozen=True, slots=True)
class Usage:
    """An embedder's requests to its service so far; `cost_usd` is None if the price is unknown."""

    requests: int = 0
    tokens: int = 0
    cost_usd: float | None = None


class Embedder(Protocol):
    """Turns texts into unit vectors.

    Raises EmbeddingError, with the work `done` so far: EmbedderMismatchError if the spec is not
    supported, EmbedderUnavailableError if the service is unavailable.
    """

    @property
    def spec(self) -> EmbedderSpec:
        """The provider, model and dimensions of the vectors."""
        ...

    @property
    def usage(self) -> Usage:
        """The usage since this embedder was opened."""
        ...

    def check(self) -> None:
        """Check that vectors match `spec` with at most one small request. Raises EmbeddingError."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed inputs (`records.embedder_input`) → float32 (n, dimensions), unit rows.

        A text without known tokens gives a zero row.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Embed search queries → float32 (n, dimensions), unit rows."""
        ...
