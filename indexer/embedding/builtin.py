"""Static models: no key, no network. One ships with the package, others are in a directory.

See model/README.md for the packaged model's training and measurements.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from indexer.embedding.base import Usage
from indexer.embedding.catalogue import PACKAGED
from indexer.embedding.static_model import PACKAGED_FOLDER, StaticModel, load_model
from indexer.errors import EmbedderMismatchError, EmbeddingError
from indexer.records.vectors import EmbedderSpec, Matrix

SPEC: Final = PACKAGED

_BATCH: Final = 1024


class StaticEmbedder:
    """A static model as an embedder; safe to share between threads.

    The model's configuration sets where texts are cut: the packaged model at 3,584 characters and
    512 tokens, as it was trained.
    """

    def __init__(self, spec: EmbedderSpec, model: StaticModel) -> None:
        if model.dimensions != spec.dimensions:
            raise EmbedderMismatchError(
                f"The model {spec.model} makes vectors of {model.dimensions} dimensions, the "
                f"organisation's embedder is {spec}: set that to "
                f"{spec.provider}/{spec.model}/{model.dimensions}, or put another model in its "
                "place."
            )
        self._spec = spec
        self._model = model

    @property
    def spec(self) -> EmbedderSpec:
        return self._spec

    @property
    def usage(self) -> Usage:
        return Usage()

    def check(self) -> None:
        """Do nothing: the spec was checked when the model was loaded."""

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        vectors = np.zeros((len(texts), self._spec.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):  # so that few tokens are in memory
            batch = texts[start : start + _BATCH]
            vectors[start : start + _BATCH] = self._model.vectors(self._model.tokens(batch))
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self.embed_documents(texts)

    def embed_words(self, texts: Sequence[str], words: Sequence[Sequence[str]]) -> Matrix:
        """Embed documents whose words are split already, by `split_words`."""
        return self._model.vectors(self._model.tokens(texts, words))


def open_static(spec: EmbedderSpec, models: Path | None) -> StaticEmbedder:
    """Open the static model of `spec`: the packaged one, or a folder in `models`.

    Raises EmbeddingError if the folder is missing or holds no model.
    """
    if spec.model == SPEC.model:
        return StaticEmbedder(spec, load_packaged())
    if models is None:
        raise EmbeddingError(
            f"The embedder {spec} is a model of your own: set AETERNA_MODELS_DIR to the directory "
            f"that holds the folder {spec.model}, or the organisation's embedder to {SPEC}."
        )
    try:
        model = load_model(models / spec.model)
    # The tokenizers library raises nothing more specific than Exception.
    except Exception as exc:
        raise EmbeddingError(
            f"The embedder {spec} cannot be loaded from {models / spec.model} "
            f"({type(exc).__name__}): it must hold config.json, model.safetensors and "
            "tokenizer.json, as AETERNA_MODELS_DIR's other models do."
        ) from exc
    return StaticEmbedder(spec, model)


@cache
def load_packaged() -> StaticModel:
    """Return the packaged model, read once a process."""
    return load_model(PACKAGED_FOLDER)
