from collections import Counter

import pytest

from benchmarks.retrieval.isotonic import Outcome, bins, brier, calibration_error, fit
from benchmarks.retrieval.matches import other_words
from benchmarks.retrieval.sample import sample

OUTCOMES: list[Outcome] = [(0.1, False), (0.2, True), (0.3, False), (0.4, True), (0.4, False)]


def test_a_fitted_curve_rises_and_keeps_the_number_of_right_answers() -> None:
    blocks = fit(OUTCOMES)
    assert [(one.low, one.high, one.outcomes, one.share) for one in blocks] == [
        (0.1, 0.1, 1, 0.0),
        (0.2, 0.4, 4, 0.5),
    ]


def test_equal_signals_are_of_one_block() -> None:
    assert len(fit([(0.5, False), (0.5, True)])) == 1


def test_tenths_and_errors_of_estimates() -> None:
    estimates = [(0.05, False), (1.0, True), (1.0, False)]
    assert list(bins(estimates)) == [(1, 0.05, 0.0), (2, 1.0, 0.5)]
    assert calibration_error(estimates) == pytest.approx((0.05 + 2 * 0.5) / 3)
    assert brier(estimates) == pytest.approx((0.05**2 + 1) / 3)


def test_questions_in_other_words_are_of_the_sample_and_have_answers() -> None:
    asked = [query for one in sample() for query in other_words(one.name)]
    assert len(asked) == 43
    assert max(Counter(query.text for query in asked).values()) == 1
    assert all(query.targets for query in asked)
