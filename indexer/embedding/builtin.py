"""The embedder that ships with the package: a static model, no key, no network.

See model/README.md for what it knows and how it was measured.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from indexer.records import EmbedderSpec, Matrix

SPEC: Final = EmbedderSpec("builtin", "aeterna-static-1", 256)

_MODEL: Final = Path(__file__).parent / "model"
_BATCH: Final = 1024
_MAX_CHARACTERS: Final = 3584  # as the model was trained: its 512 tokens of the median length


class BuiltinEmbedder:
    """The packaged table of token vectors; a text's vector is the mean of its tokens'.

    The arithmetic of model2vec's StaticModel, to the bit (a test compares), without the 0.3 s that
    importing and building that costs every run. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._tokenizer, self._table = load_model()
        self._unknown = self._tokenizer.token_to_id("[UNK]")

    @property
    def spec(self) -> EmbedderSpec:
        return SPEC

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        vectors = np.zeros((len(texts), SPEC.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            vectors[start : start + _BATCH] = self._encode(texts[start : start + _BATCH])
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self.embed_documents(texts)

    def _encode(self, texts: Sequence[str]) -> Matrix:
        tokens = self._tokenize(texts)
        by_length = defaultdict(list)
        for row, ids in enumerate(tokens):
            if ids:
                by_length[len(ids)].append(row)
        means = np.zeros((len(texts), SPEC.dimensions), dtype=np.float32)
        for rows in by_length.values():
            means[rows] = self._table[np.array([tokens[row] for row in rows])].mean(axis=1)
        lengths = np.linalg.norm(means, axis=1, keepdims=True) + 1e-32
        unit: Matrix = means / lengths
        return unit

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        # A lone surrogate cannot be handed to the tokenizer; a person may still paste one.
        clean = [text[:_MAX_CHARACTERS].encode(errors="replace").decode() for text in texts]
        encoded = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [[token for token in text.ids if token != self._unknown] for text in encoded]


@cache
def load_model() -> tuple[Tokenizer, NDArray[np.int8]]:
    """Tokenizer and table of the packaged model, read once a process."""
    config = json.loads((_MODEL / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(_MODEL / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=config["max_length"])
    return tokenizer, load_file(_MODEL / "model.safetensors")["embeddings"]
