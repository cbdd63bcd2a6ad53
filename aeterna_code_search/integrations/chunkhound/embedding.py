"""Vectors of queries, from the OpenAI model of ChunkHound's databases."""

from collections.abc import Sequence
from typing import Final

from aeterna_code_search.integrations.chunkhound.errors import (
    EmbeddingFailedError,
    NotInstalledError,
)
from indexer.embedding import open_embedder
from indexer.errors import EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec

SPEC: Final = EmbedderSpec("openai", "text-embedding-3-small", 1536)


def embed_queries(queries: Sequence[str], access: EmbedderConfig) -> list[list[float]]:
    """Embed the queries as unit vectors with one request. Raises EmbeddingFailedError."""
    try:
        rows = open_embedder(SPEC, access).embed_queries(list(queries))
    except ImportError as exc:
        raise NotInstalledError("openai") from exc
    except EmbeddingError as exc:
        raise EmbeddingFailedError(f"The queries could not be embedded: {exc}") from exc
    return [[float(value) for value in row] for row in rows]
