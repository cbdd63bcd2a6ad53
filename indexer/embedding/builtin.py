"""Static models: no key, no network. One ships with the package, others are in a directory.

See model/README.md for the packaged model's training and measurements.
"""

import json
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from model2vec import StaticModel
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from indexer.embedding.base import Usage
from indexer.embedding.catalogue import PACKAGED
from indexer.errors import EmbedderMismatchError, EmbeddingError
from indexer.records.vectors import EmbedderSpec, Matrix

SPEC: Final = PACKAGED

_PACKAGED: Final = Path(__file__).parent / "model"
_BATCH: Final = 1024
_MAX_TOKENS: Final = 512  # the default if a model's configuration has none


class StaticEmbedder:
    """model2vec over a table of vectors; safe to share between threads.

    The model's configuration sets where texts are cut: the packaged model at 3,584 characters and
    512 tokens, as it was trained.
    """

    def __init__(self, spec: EmbedderSpec, model: StaticModel) -> None:
        if model.dim != spec.dimensions:
            raise EmbedderMismatchError(
                f"The model {spec.model} makes vectors of {model.dim} dimensions, the "
                f"organisation's embedder is {spec}: set that to "
                f"{spec.provider}/{spec.model}/{model.dim}, or put another model in its place."
            )
        self._spec = spec
        self._model = model
        # `encode` sets the tokenizer's truncation on every call, which the tokenizer refuses while
        # another thread uses it.
        self._lock = threading.Lock()

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
        for start in range(0, len(texts), _BATCH):  # so that a query waits for one batch at most
            vectors[start : start + _BATCH] = self._encode(texts[start : start + _BATCH])
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self.embed_documents(texts)

    def _encode(self, texts: Sequence[str]) -> Matrix:
        # The tokenizer refuses lone surrogates; pasted text may hold one.
        clean = [text.encode(errors="replace").decode() for text in texts]
        with self._lock:
            encoded: Matrix = self._model.encode(clean, use_multiprocessing=False)
        return encoded


def open_static(spec: EmbedderSpec, models: Path | None) -> StaticEmbedder:
    """Open the static model of `spec`: the packaged one, or a folder in `models`.

    Raises EmbeddingError if the folder is missing or holds no model.
    """
    if spec.model == SPEC.model:
        return StaticEmbedder(spec, load_model())
    if models is None:
        raise EmbeddingError(
            f"The embedder {spec} is a model of your own: set AETERNA_MODELS_DIR to the directory "
            f"that holds the folder {spec.model}, or the organisation's embedder to {SPEC}."
        )
    try:
        model = _load(models / spec.model)
    # The tokenizers library raises nothing more specific than Exception.
    except Exception as exc:
        raise EmbeddingError(
            f"The embedder {spec} cannot be loaded from {models / spec.model} "
            f"({type(exc).__name__}): it must hold config.json, model.safetensors and "
            "tokenizer.json, as AETERNA_MODELS_DIR's other models do."
        ) from exc
    return StaticEmbedder(spec, model)


@cache
def load_model() -> StaticModel:
    """Return the packaged model, read once a process."""
    return _load(_PACKAGED)


def _load(folder: Path) -> StaticModel:
    # `StaticModel.from_pretrained` does the same but spends half a second importing a hub client.
    config = json.loads((folder / "config.json").read_text())
    table = load_file(folder / "model.safetensors")
    return StaticModel(
        table["embeddings"],
        Tokenizer.from_file(str(folder / "tokenizer.json")),
        config=config,
        normalize=True,
        weights=table.get("weights"),
        token_mapping=table.get("mapping"),
        max_length=config.get("max_length", _MAX_TOKENS),
    )
