"""Answers beside the truth, as numbers."""

from dataclasses import replace

import pytest

from benchmarks.callers.query import LEVELS, Answer, Found
from benchmarks.callers.sampling import choose
from benchmarks.callers.scoring import BASELINE, Score, judge, tabulate
from tests.benchmarks.callers.tiny import CACHE_GET, OPEN, STORE_GET, TRUTH, UNUSED

MAIN = ("app", "app/main.py")


def answer(*lines: int) -> Answer:
    """Callers in app's main file, told at every level."""
    found = tuple(Found(*MAIN, line, 0, "import", "high") for line in lines)
    return Answer(known=True, callers=dict.fromkeys(LEVELS, found))


def test_precision_recall_and_f1() -> None:
    score = Score(right=6, false=2, missed=4)
    assert (score.precision, score.recall) == (0.75, 0.6)
    assert score.f1 == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))


def test_no_answer_to_nothing_is_perfect() -> None:
    assert (Score().precision, Score().recall, Score().f1) == (1, 1, 1)


def test_answers_are_right_false_or_missed() -> None:
    verdict = judge(TRUTH, OPEN, {(*MAIN, 7, 0), (*MAIN, 8, 0)})
    assert verdict.right == {(*MAIN, 7, 0)}
    assert verdict.false == {(*MAIN, 8, 0)}
    assert verdict.missed == {("lib", "lib/cache.py", 9, 0), (*MAIN, 10, 0)}


def test_another_column_is_another_place() -> None:
    assert judge(TRUTH, OPEN, {(*MAIN, 7, 4)}).false == {(*MAIN, 7, 4)}


def test_a_mention_is_neither_false_nor_missed() -> None:
    mentions = {(*MAIN, 11, 0), (*MAIN, 13, 0)}
    assert not judge(TRUTH, OPEN, mentions).false
    assert not judge(TRUTH, OPEN, ()).missed & mentions


def test_a_call_through_a_base_is_neither_false_nor_missed_for_an_override() -> None:
    assert not judge(TRUTH, CACHE_GET, {(*MAIN, 6, 0)}).false
    assert not judge(TRUTH, CACHE_GET, ()).missed
    assert judge(TRUTH, STORE_GET, ()).missed == {(*MAIN, 6, 0)}


def test_a_file_that_the_tool_did_not_read_says_nothing() -> None:
    truth = replace(TRUTH, unread=frozenset({("app", "app/windows.py")}))
    assert not judge(truth, OPEN, {("app", "app/windows.py", 1, 0)}).false


def test_an_answer_in_a_document_that_the_tool_does_not_read_is_not_false() -> None:
    verdict = judge(TRUTH, OPEN, {("app", "README.md", 3, 0), (*MAIN, 3, 0)})
    assert verdict.false == {(*MAIN, 3, 0)}


def test_of_a_partial_truth_other_answers_may_be_right_too() -> None:
    verdict = judge(replace(TRUTH, is_partial=True), OPEN, {(*MAIN, 7, 0), (*MAIN, 99, 0)})
    assert (verdict.right, verdict.false) == ({(*MAIN, 7, 0)}, frozenset())
    assert choose(TRUTH) != choose(replace(TRUTH, is_partial=True)), "it knows no zeros"
    assert UNUSED not in {one.index for one in choose(replace(TRUTH, is_partial=True))}


def test_what_the_tool_cannot_tell_is_false_and_counted_apart() -> None:
    questions = choose(TRUTH)
    answers = {question.index: answer() for question in questions} | {STORE_GET: answer(6, 12)}
    score = tabulate(TRUTH, questions, answers).scores["all", "methods", "medium"]
    assert (score.right, score.false, score.unjudged) == (1, 1, 1)
    assert (score.precision, score.judged_precision) == (0.5, 1)


def test_callers_across_leave_the_own_repository_out() -> None:
    questions = [question for question in choose(TRUTH) if question.index == OPEN]
    table = tabulate(TRUTH, questions, {OPEN: answer(7)})
    kind = "functions and classes"
    assert table.scores["cross", kind, "high"] == Score(right=1, false=0, missed=1)
    assert table.scores["all", kind, "high"] == Score(right=1, false=0, missed=2)


def test_the_baseline_takes_every_call_of_the_name() -> None:
    questions = [question for question in choose(TRUTH) if question.index == OPEN]
    table = tabulate(TRUTH, questions, {OPEN: answer()})
    trap = table.scores["trap", "functions and classes", BASELINE]
    assert trap == Score(right=2, false=1, missed=1)
