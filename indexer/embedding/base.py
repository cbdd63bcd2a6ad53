"""The Embedder protocol that every provider fulfils."""

from collections.abc import Sequence
from typing import Protocol

from indexer.records import EmbedderSpec, Matrix


class Embedder(Protocol):
    """Turns texts into unit vectors.

    Raises EmbeddingError: EmbedderMismatchError where the spec cannot be served,
    EmbedderUnavailableError where a service is away.
    """

    @property
    def spec(self) -> EmbedderSpec:
        """Provider, model and dimensions of the vectors."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embedder inputs (`records.embedder_input`) → float32 (n, dimensions), unit rows.

        A text in which the model knows nothing gives a zero row.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Search queries → float32 (n, dimensions), unit rows."""
        ...
