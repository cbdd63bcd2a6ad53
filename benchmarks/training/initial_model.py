"""A table from nothing but texts: a truncated SVD of their TF-IDF matrix, with SIF weights.

Halko, Martinsson & Tropp 2011 for the SVD; Arora, Liang & Ma 2017 for the weights.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.training.model_folder import scaled
from benchmarks.training.tokens import Ids, Texts, bag
from indexer.records.vectors import Matrix, Vector

_TOGETHER = 512
_SPARE = 32  # dimensions beyond those wanted, so that those are accurate
_PASSES = 3
_SIF = 1e-3


def table_from_texts(
    texts: Sequence[Texts], *, vocabulary: int, dimensions: int, seed: int
) -> Matrix:
    """float32 (vocabulary, dimensions) of mean length 1; zeros for tokens of no text."""
    every = np.concatenate([one.tokens for one in texts])
    total = np.bincount(every, minlength=vocabulary)
    known = np.flatnonzero(total)
    kept = [
        Texts(np.searchsorted(known, one.tokens).astype(np.uint16), one.offsets) for one in texts
    ]
    documents = np.zeros(len(known))
    for tokens, counts in (block for one in kept for block in _counts(one)):
        documents[tokens] += (counts > 0).sum(axis=0)
    size = sum(len(one) for one in texts)
    rarity = (np.log((1 + size) / (1 + documents)) + 1).astype(np.float32)
    vectors = _strongest(kept, rarity, dimensions, np.random.default_rng(seed))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    share = total[known] / total.sum()
    table = np.zeros((vocabulary, dimensions), dtype=np.float32)
    table[known, : vectors.shape[1]] = vectors * (_SIF / (_SIF + share))[:, None]
    return scaled(table)


def _strongest(
    texts: Sequence[Texts], rarity: Vector, dimensions: int, chance: np.random.Generator
) -> Matrix:
    """Each token in the strongest dimensions, weighted by the root of their singular values."""
    wide = min(dimensions + _SPARE, len(rarity))
    basis = chance.standard_normal((len(rarity), wide), dtype=np.float32)
    for _ in range(_PASSES):
        basis = np.linalg.qr(_squared(texts, rarity, basis))[0]
    # The small matrix's eigenvalues are squares of the singular values.
    values, turn = np.linalg.eigh(basis.T @ _squared(texts, rarity, basis))
    strongest = np.argsort(-values)[:dimensions]
    strength = np.sqrt(np.sqrt(np.maximum(values[strongest], 0.0)))
    vectors: Matrix = (basis @ turn[:, strongest] * strength).astype(np.float32)
    return vectors


def _counts(texts: Texts) -> Iterator[tuple[Ids, Matrix]]:
    for start in range(0, len(texts), _TOGETHER):
        chosen = np.arange(start, min(start + _TOGETHER, len(texts)))
        one = bag(texts, chosen)
        lengths = np.diff(texts.offsets)[chosen].astype(np.float32)
        yield one.tokens, np.rint(one.shares * lengths[:, None])


def _squared(texts: Sequence[Texts], rarity: Vector, basis: Matrix) -> Matrix:
    """The TF-IDF matrix's transpose times itself times `basis`, some texts at a time."""
    product = np.zeros_like(basis)
    for one in texts:
        for tokens, counts in _counts(one):
            rows = np.log1p(counts) * rarity[tokens]
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
            product[tokens] += rows.T @ (rows @ basis[tokens])
    return product
