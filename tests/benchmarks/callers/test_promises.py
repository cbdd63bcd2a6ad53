"""What is promised of a family, beside what was measured."""

from dataclasses import replace

from benchmarks.callers.promises import figures
from benchmarks.callers.query import LEVELS, Answer
from benchmarks.callers.report import Outcome, markdown
from benchmarks.callers.sampling import choose
from tests.benchmarks.callers.tiny import TRUTH

NOTHING = Answer(known=True, callers=dict.fromkeys(LEVELS, ()))
QUESTIONS = choose(TRUTH)
SILENT = Outcome(
    "python", TRUTH, QUESTIONS, {question.index: NOTHING for question in QUESTIONS}, {}
)


def test_what_is_missed_and_told_nowhere_breaks_the_promises() -> None:
    broken = {figure.name for figure in figures(SILENT) if figure.holds is False}
    assert broken == {
        "python: recall across",
        "python: recall of methods across",
        "python: callers that no answer tells of",
        "python: F1 on traps",
    }


def test_of_a_partial_truth_nothing_is_promised_but_what_is_found() -> None:
    partial = replace(SILENT, truth=replace(TRUTH, is_partial=True))
    assert [figure.name.partition(": ")[2] for figure in figures(partial)] == [
        "recall across",
        "recall of methods across",
        "callers that no answer tells of",
        "receipts that count otherwise at low",
    ]
    assert "bare name |" not in markdown([partial]).partition("###")[0]
