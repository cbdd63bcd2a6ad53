"""The Embedder protocol that every provider fulfils."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from indexer.records.vectors import EmbedderSpec, Matrix


@dataclass(frozen=True, slots=True)
class Usage:
    """What an embedder has asked of its service so far; `cost_usd` None: no price is known."""

    requests: int = 0
    tokens: int = 0
    cost_usd: float | None = None


class Embedder(Protocol):
    """Turns texts into unit vectors.

    Raises EmbeddingError with what was `done`: EmbedderMismatchError where the spec cannot be
    served, EmbedderUnavailableError where a service is away.
    """

    @property
    def spec(self) -> EmbedderSpec:
        """Provider, model and dimensions of the vectors."""
        ...

    @property
    def usage(self) -> Usage:
        """Of this embedder since it was opened."""
        ...

    def check(self) -> None:
        """Return if the vectors are of `spec`; at most one small request. Raises EmbeddingError."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embedder inputs (`records.embedder_input`) → float32 (n, dimensions), unit rows.

        A text in which the model knows nothing gives a zero row.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Search queries → float32 (n, dimensions), unit rows."""
        ...
