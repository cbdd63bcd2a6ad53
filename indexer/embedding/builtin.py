"""The embedder that ships with the package: a static model, no key, no network.

See model/README.md for what it knows and how it was measured.
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
from indexer.records import EmbedderSpec, Matrix

SPEC: Final = EmbedderSpec("builtin", "aeterna-static-1", 256)

_MODEL: Final = Path(__file__).parent / "model"
_BATCH: Final = 1024


class BuiltinEmbedder:
    """model2vec over the packaged table; safe to share between threads.

    Texts are cut at 3,584 characters and 512 tokens, as the model was trained.
    """

    def __init__(self) -> None:
        self._model = load_model()
        # `encode` sets the tokenizer's truncation anew on every call, which the tokenizer refuses
        # while another thread is using it.
        self._lock = threading.Lock()

    @property
    def spec(self) -> EmbedderSpec:
        return SPEC

    @property
    def usage(self) -> Usage:
        return Usage()

    def check(self) -> None:
        """The model is the spec's: it comes with the package."""

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        vectors = np.zeros((len(texts), SPEC.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):  # so that a query waits for one batch at most
            vectors[start : start + _BATCH] = self._encode(texts[start : start + _BATCH])
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self.embed_documents(texts)

    def _encode(self, texts: Sequence[str]) -> Matrix:
        # A lone surrogate cannot be handed to the tokenizer; a person may still paste one.
        clean = [text.encode(errors="replace").decode() for text in texts]
        with self._lock:
            encoded: Matrix = self._model.encode(clean, use_multiprocessing=False)
        return encoded


@cache
def load_model() -> StaticModel:
    """The packaged model, read once a process."""
    # `StaticModel.from_pretrained` does the same after half a second of importing a hub client.
    config = json.loads((_MODEL / "config.json").read_text())
    return StaticModel(
        load_file(_MODEL / "model.safetensors")["embeddings"],
        Tokenizer.from_file(str(_MODEL / "tokenizer.json")),
        config=config,
        normalize=config["normalize"],
        max_length=config["max_length"],
    )
