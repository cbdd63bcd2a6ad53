"""Precision, recall and F1 of answers beside the truth."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.callers.query import LEVELS, Answer
from benchmarks.callers.sampling import Question
from benchmarks.callers.truth import Place, Truth

BASELINE = "bare name"
WAYS = (*LEVELS, BASELINE)


@dataclass(slots=True)
class Score:
    """Sums over symbols. `unjudged` of the `false` are sites whose meaning the tool cannot tell."""

    right: int = 0
    false: int = 0
    missed: int = 0
    unjudged: int = 0

    def add(self, other: "Score") -> None:
        """Count another symbol's sites too."""
        self.right += other.right
        self.false += other.false
        self.missed += other.missed
        self.unjudged += other.unjudged

    @property
    def precision(self) -> float:
        """Share of the answers that are right; 1 without answers."""
        answers = self.right + self.false
        return self.right / answers if answers else 1.0

    @property
    def judged_precision(self) -> float:
        """The same of the answers at sites whose meaning the tool can tell."""
        answers = self.right + self.false - self.unjudged
        return self.right / answers if answers else 1.0

    @property
    def recall(self) -> float:
        """Share of the true callers that are answered; 1 without true callers."""
        callers = self.right + self.missed
        return self.right / callers if callers else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = 2 * self.right + self.false + self.missed
        return 2 * self.right / total if total else 1.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """One symbol, asked in one way: the places that were answered, rightly or not, and missed."""

    right: frozenset[Place]
    false: frozenset[Place]
    missed: frozenset[Place]

    def score(self, unjudged: frozenset[Place], project: str | None = None) -> Score:
        """As numbers; with `project`, of callers outside that repository alone."""
        right, false, missed = (
            {place for place in places if place[0] != project}
            for places in (self.right, self.false, self.missed)
        )
        return Score(len(right), len(false), len(missed), len(false & unjudged))


@dataclass(frozen=True, slots=True)
class Table:
    """Scores by (measure, kind of symbol, way of asking)."""

    scores: dict[tuple[str, str, str], Score] = field(default_factory=dict)
    symbols: dict[tuple[str, str], int] = field(default_factory=dict)


def judge(truth: Truth, index: int, answered: Iterable[Place]) -> Verdict:
    """Compare what was answered for a definition with the truth.

    A call through a base may end in an override of it, and a mention in a call: they are no miss
    and not false either, so such places are left out, and so are files that the tool did not read,
    and all that a partial truth does not know.
    """
    true = {site.place for site in truth.callers.get(index, [])}
    through_base = [truth.callers.get(method, []) for method in truth.overridden(index)]
    maybe = {
        site.place for sites in (*through_base, truth.mentions.get(index, [])) for site in sites
    } - true
    places = {place for place in set(answered) - maybe if truth.is_read(*place[:2])}
    if truth.is_partial:
        places &= true
    return Verdict(frozenset(places & true), frozenset(places - true), frozenset(true - places))


def answered_places(truth: Truth, index: int, answer: Answer, way: str) -> set[Place]:
    """The places that one way of asking gives."""
    if way == BASELINE:
        name = truth.definitions[index].name
        return {site.place for site in truth.calls_by_name.get(name, [])}
    return {one.place for one in answer.callers[way]}


def tabulate(truth: Truth, questions: Sequence[Question], answers: dict[int, Answer]) -> Table:
    """Add up: callers in other repositories and all callers of every symbol; traps; zeros."""
    table = Table()
    unjudged = frozenset(site.place for site in truth.sites if not site.judged)
    for question in questions:
        definition = truth.definitions[question.index]
        kind = "methods" if definition.kind == "method" else "functions and classes"
        measures = ["all", "cross", *(one for one in question.groups if one in {"trap", "zero"})]
        for measure in measures:
            table.symbols[measure, kind] = table.symbols.get((measure, kind), 0) + 1
        for way in WAYS:
            places = answered_places(truth, question.index, answers[question.index], way)
            verdict = judge(truth, question.index, places)
            for measure in measures:
                own = definition.project if measure == "cross" else None
                score = table.scores.setdefault((measure, kind, way), Score())
                score.add(verdict.score(unjudged, own))
    return table
