"""Texts as tokens, and the means of their vectors as one product of matrices."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.records.vectors import Matrix

Ids = NDArray[np.int64]
_ENCODED_TOGETHER = 512


@dataclass(frozen=True, slots=True)
class Texts:
    """Tokens of one text after the other; `offsets` has one more than there are texts."""

    tokens: NDArray[np.uint16]
    offsets: Ids

    @classmethod
    def joined(cls, parts: Sequence[NDArray[np.uint16]]) -> "Texts":
        """Of each text's own tokens."""
        tokens = np.concatenate([np.empty(0, np.uint16), *parts])
        return cls(tokens, np.cumsum([0, *(len(part) for part in parts)]))

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class Bag:
    """Some texts: each one's share of each token that occurs in any. The rows sum to 1, or to 0."""

    tokens: Ids
    shares: Matrix


def bag(texts: Texts, chosen: Ids) -> Bag:
    """The bag of the chosen texts."""
    starts, ends = texts.offsets[chosen], texts.offsets[chosen + 1]
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    every = np.concatenate([texts.tokens[start:end] for start, end in spans])
    tokens, columns = np.unique(every, return_inverse=True)
    lengths = ends - starts
    rows = np.repeat(np.arange(len(chosen)), lengths)
    cells = np.bincount(rows * len(tokens) + columns, minlength=len(chosen) * len(tokens))
    counts = cells.reshape(len(chosen), len(tokens)).astype(np.float32)
    shares = counts / np.maximum(lengths, 1).astype(np.float32)[:, None]
    return Bag(tokens.astype(np.int64), shares)


def encode(table: Matrix, texts: Texts) -> Matrix:
    """Unit vectors, as the embedder makes them; zeros of a text without tokens."""
    vectors = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
    for start in range(0, len(texts), _ENCODED_TOGETHER):
        chosen = np.arange(start, min(start + _ENCODED_TOGETHER, len(texts)))
        one = bag(texts, chosen)
        means = one.shares @ table[one.tokens]
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        vectors[chosen] = means / np.maximum(lengths, np.float32(1e-12))
    return vectors
