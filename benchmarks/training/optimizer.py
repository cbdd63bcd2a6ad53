"""One step after the other: the symmetric contrastive loss over a block of pairs, and Adam.

A block is of one repository. Each text is to find its own document among the block's, and each
document its text (InfoNCE, https://arxiv.org/abs/1807.03748); the temperature is learnt.
"""

from dataclasses import dataclass
from math import cos, pi

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.tokens import Bag, Ids, Texts, bag
from indexer.records.vectors import Matrix

FIRST_MOMENT, SECOND_MOMENT = 0.9, 0.999
MAX_SHARPNESS = 100.0


@dataclass(frozen=True, slots=True)
class Settings:
    """`anchor` pulls each touched row back to where it began, as a share of the learning rate.

    `epsilon` is of Adam, as a share of the usual gradient: raised, rare tokens move little.
    """

    rate: float = 1e-3
    anchor: float = 100.0
    epsilon: float = 0.3
    sharpness: float = 20.0  # one over the temperature, at first


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs that are each other's wrong answers; equal `keys` are of one chunk."""

    asked: Texts
    documents: Texts
    chosen: Ids
    keys: Ids


class Descent:
    """A table on its way; `table` is its present state."""

    def __init__(self, table: Matrix, settings: Settings, *, steps: int) -> None:
        self.table = table.copy()
        self.sharpness = settings.sharpness
        self._begin = table
        self._settings = settings
        self._steps = steps
        self._step = 0
        self._first = np.zeros_like(table)
        self._second = np.zeros_like(table)
        self._seen = np.zeros(len(table), dtype=np.int32)
        self._epsilon = 0.0
        self._sharpness_moments = (0.0, 0.0)

    def step(self, block: Block) -> float:
        """Learn from one block; its loss before."""
        asked = bag(block.asked, block.chosen)
        documents = bag(block.documents, block.chosen)
        left, left_lengths = _means(self.table, asked)
        right, right_lengths = _means(self.table, documents)
        cosines = left @ right.T
        same = block.keys[:, None] == block.keys[None, :]
        np.fill_diagonal(same, val=False)
        loss, slope = contrastive(self.sharpness * cosines, same)
        wanted: Matrix = slope * np.float32(self.sharpness)
        touched = np.union1d(asked.tokens, documents.tokens)
        gradient = np.zeros((len(touched), self.table.shape[1]), dtype=np.float32)
        for one, rows in (
            (asked, _back(wanted @ right, left, left_lengths, asked)),
            (documents, _back(wanted.T @ left, right, right_lengths, documents)),
        ):
            gradient[np.searchsorted(touched, one.tokens)] += rows
        self._step += 1
        self._move(touched, gradient)
        self._sharpen(float((slope * cosines).sum()))
        return loss

    @property
    def _rate(self) -> float:
        """A cosine from the full rate to none."""
        share = min(1.0, (self._step - 1) / self._steps)
        return self._settings.rate * 0.5 * (1.0 + cos(pi * share))

    def _move(self, rows: Ids, gradient: Matrix) -> None:
        if not self._epsilon:
            usual = float(np.sqrt(np.mean(gradient**2)))
            self._epsilon = self._settings.epsilon * usual
        self._seen[rows] += 1
        first = FIRST_MOMENT * self._first[rows] + (1 - FIRST_MOMENT) * gradient
        second = SECOND_MOMENT * self._second[rows] + (1 - SECOND_MOMENT) * gradient**2
        self._first[rows], self._second[rows] = first, second
        seen = self._seen[rows].astype(np.float32)[:, None]
        first = first / (1 - FIRST_MOMENT**seen)
        second = second / (1 - SECOND_MOMENT**seen)
        old = self.table[rows]
        moved = first / (np.sqrt(second) + np.float32(self._epsilon))
        pulled = self._settings.anchor * (old - self._begin[rows])
        self.table[rows] = old - np.float32(self._rate) * (moved + pulled)

    def _sharpen(self, slope: float) -> None:
        """Adam for one number, the logarithm of the sharpness."""
        slope *= self.sharpness
        first, second = self._sharpness_moments
        first = FIRST_MOMENT * first + (1 - FIRST_MOMENT) * slope
        second = SECOND_MOMENT * second + (1 - SECOND_MOMENT) * slope**2
        self._sharpness_moments = (first, second)
        unbiased = first / (1 - FIRST_MOMENT**self._step)
        spread = (second / (1 - SECOND_MOMENT**self._step)) ** 0.5 + 1e-8
        changed = self.sharpness * float(np.exp(-self._rate * unbiased / spread))
        self.sharpness = min(changed, MAX_SHARPNESS)


def contrastive(scores: Matrix, ignored: NDArray[np.bool_]) -> tuple[float, Matrix]:
    """The loss of square `scores`, whose diagonal is right, and its slope for each score.

    What is `ignored` is neither right nor wrong.
    """
    masked = np.where(ignored, np.float32(-1e9), scores)
    count = len(scores)
    loss, slope = 0.0, np.zeros_like(masked)
    for axis in (0, 1):
        highest = masked.max(axis=axis, keepdims=True)
        weights = np.exp(masked - highest)
        total = weights.sum(axis=axis, keepdims=True)
        logs = np.diag(masked) - (highest + np.log(total)).ravel()
        loss -= 0.5 * float(logs.mean())
        slope += 0.5 * weights / total
    slope[np.diag_indices(count)] -= 1.0
    return loss, (slope / np.float32(count)).astype(np.float32)


def _means(table: Matrix, one: Bag) -> tuple[Matrix, Matrix]:
    """Unit vectors, and their lengths before."""
    means = one.shares @ table[one.tokens]
    lengths = np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.float32(1e-6))
    return means / lengths, lengths


def _back(slope: Matrix, unit: Matrix, lengths: Matrix, one: Bag) -> Matrix:
    """From the slope for unit vectors to that for the rows of the tokens."""
    along = (slope * unit).sum(axis=1, keepdims=True)
    rows: Matrix = one.shares.T @ ((slope - along * unit) / lengths)
    return rows
