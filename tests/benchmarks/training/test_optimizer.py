"""One step: the slope is the loss's, and following it lowers the loss."""

import numpy as np

from benchmarks.training.optimizer import Block, Descent, Settings, contrastive
from benchmarks.training.tokens import Texts

SIZE = 12


def block(seed: int = 3) -> Block:
    """Each text shares one token of its own with its document; the others are chance."""
    chance = np.random.default_rng(seed)

    def texts() -> Texts:
        return Texts.joined(
            [
                np.array([number, *chance.integers(SIZE, 40, 6)], dtype=np.uint16)
                for number in range(SIZE)
            ]
        )

    return Block(texts(), texts(), np.arange(SIZE), np.arange(SIZE))


def table(seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((40, 16), dtype=np.float32)


def test_the_slope_is_that_of_the_loss() -> None:
    scores = np.random.default_rng(1).standard_normal((5, 5))
    ignored = np.zeros((5, 5), dtype=bool)
    ignored[0, 3] = True
    _, slope = contrastive(scores, ignored)

    for place in ((0, 0), (2, 4), (0, 3)):
        more, less = scores.copy(), scores.copy()
        more[place] += 1e-4
        less[place] -= 1e-4
        measured = (contrastive(more, ignored)[0] - contrastive(less, ignored)[0]) / 2e-4
        np.testing.assert_allclose(slope[place], measured, atol=1e-6)


def test_a_step_lowers_the_loss() -> None:
    descent = Descent(table(), Settings(rate=0.05, anchor=0.0), steps=10)

    before = descent.step(block())

    assert descent.step(block()) < before


def test_an_anchor_keeps_the_table_near_its_beginning() -> None:
    moved = []
    for anchor in (0.0, 10.0):
        descent = Descent(table(), Settings(rate=0.05, anchor=anchor), steps=50)
        for _ in range(20):
            descent.step(block())
        moved.append(float(np.abs(descent.table - table()).sum()))

    assert moved[1] < moved[0]


def test_rows_of_tokens_that_do_not_occur_stay() -> None:
    begin = np.concatenate([table(), np.ones((3, 16), dtype=np.float32)])
    descent = Descent(begin, Settings(), steps=1)

    descent.step(block())

    np.testing.assert_array_equal(descent.table[40:], begin[40:])
    assert (descent.table[:SIZE] != begin[:SIZE]).any()
