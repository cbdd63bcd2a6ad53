"""Embedders: text in, unit vectors out. `open_embedder` opens one."""

from indexer.embedding.base import Embedder
from indexer.embedding.catalogue import spec_error
from indexer.errors import EmbedderMismatchError, EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec


def open_embedder(spec: EmbedderSpec, access: EmbedderConfig | None = None) -> Embedder:
    """Open the embedder of `spec`. Loads its model; keep the result.

    Sends no request; `check` does. Raises EmbedderMismatchError if no provider supports the spec,
    EmbeddingError if a setting of the provider is missing.
    """
    if problem := spec_error(spec):
        raise EmbedderMismatchError(f"No embedder makes vectors of {spec}. {problem}")
    access = access or EmbedderConfig()
    # Imported lazily: a process loads only its provider's dependencies.
    if spec.provider == "openai":
        try:
            from indexer.embedding.openai import open_openai
        except ModuleNotFoundError as exc:
            if exc.name != "openai":
                raise
            raise EmbeddingError(
                f"The embedder {spec} needs the package openai, which is not installed: give the "
                "action its input openai-api-key; elsewhere, pip install openai."
            ) from exc

        return open_openai(spec, access)
    if spec.provider == "ollama":
        from indexer.embedding.ollama import open_ollama

        return open_ollama(spec, access)
    from indexer.embedding.builtin import open_static

    return open_static(spec, access.models)
