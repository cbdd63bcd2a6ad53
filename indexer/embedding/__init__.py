"""Embedders: text in, unit vectors out. `open_embedder` is the one way to get one."""

from indexer.access import EmbedderAccess
from indexer.embedding.base import Embedder
from indexer.errors import EmbedderMismatchError
from indexer.records import EmbedderSpec


def open_embedder(spec: EmbedderSpec, access: EmbedderAccess | None = None) -> Embedder:
    """The embedder that makes vectors of `spec`. Loads its model; keep the result.

    Raises EmbedderMismatchError if nothing here serves the spec.
    """
    del access  # the packaged model needs none
    from indexer.embedding.builtin import SPEC, BuiltinEmbedder

    if spec == SPEC:
        return BuiltinEmbedder()
    message = (
        f"No embedder here makes vectors of {spec}: set the organisation's embedder to {SPEC}."
    )
    raise EmbedderMismatchError(message)
