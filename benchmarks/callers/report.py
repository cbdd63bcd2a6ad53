"""The scores as a Markdown table and JSON, and each miss and false caller for those who ask."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.callers.query import Answer
from benchmarks.callers.sampling import Question
from benchmarks.callers.scoring import (
    BASELINE,
    WAYS,
    Place,
    Score,
    Table,
    judge,
    place_of,
    tabulate,
)
from benchmarks.callers.truth import Truth
from benchmarks.tables import Figure

MEASURES = {
    "cross": "callers in other repositories",
    "all": "all callers",
    "trap": "same-named traps",
    "zero": "true zeros",
}
KINDS = ("functions and classes", "methods")
MARKDOWN, JSON = Path("build/callers.md"), Path("build/callers.json")
PROMISED_CROSS_PRECISION = 0.95
PROMISED_CROSS_RECALL = 0.90


@dataclass(frozen=True)
class Outcome:
    """A family's truth, what was asked and what was answered."""

    family: str
    truth: Truth
    questions: Sequence[Question]
    answers: dict[int, Answer]

    @property
    def table(self) -> Table:
        """The scores."""
        return tabulate(self.truth, self.questions, self.answers)


def markdown(outcomes: Iterable[Outcome]) -> str:
    """A table for each family: what is found at each confidence, and by bare names."""
    lines = []
    for outcome in outcomes:
        table = outcome.table
        lines += [f"## {outcome.family} ({outcome.truth.tool})", ""]
        lines += ["| of | symbols | asked | precision | recall | F1 | right | false | missed |"]
        lines += ["|---|---|---|---|---|---|---|---|---|"]
        for measure, title in MEASURES.items():
            for kind in KINDS:
                lines += _rows(table, measure, kind, f"{title}: {kind}")
        lines.append("")
    return "\n".join(lines)


def _rows(table: Table, measure: str, kind: str, title: str) -> Iterator[str]:
    for way in WAYS:
        score = table.scores.get((measure, kind, way))
        if score is None:
            continue
        rates = ("", "", "")
        if measure != "zero":
            rates = (f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}")
        false = f"{score.false} ({score.unjudged} unjudged)" if score.unjudged else str(score.false)
        cells = (title, str(table.symbols[measure, kind]), way, *rates)
        yield f"| {' | '.join([*cells, str(score.right), false, str(score.missed)])} |"


def figures(outcome: Outcome) -> Iterator[Figure]:
    """What is promised, beside its bound."""
    table, name = outcome.table, outcome.family
    cross = table.scores["cross", KINDS[0], "medium"]
    yield Figure(f"{name}: precision across", cross.precision, "", PROMISED_CROSS_PRECISION, True)
    yield Figure(f"{name}: recall across", cross.recall, "", PROMISED_CROSS_RECALL, True)
    ours, bare = (_both_kinds(table, "trap", way).f1 for way in ("medium", BASELINE))
    yield Figure(f"{name}: F1 on traps", ours, "", 2 * bare, True)
    yield Figure(
        f"{name}: false at high for true zeros", _both_kinds(table, "zero", "high").false, "", 0
    )


def _both_kinds(table: Table, measure: str, way: str) -> Score:
    total = Score()
    for kind in KINDS:
        total.add(table.scores.get((measure, kind, way), Score()))
    return total


def write(outcomes: Sequence[Outcome]) -> None:
    """Both files; the JSON holds every symbol."""
    MARKDOWN.parent.mkdir(exist_ok=True)
    MARKDOWN.write_text(markdown(outcomes) + "\n", encoding="utf-8")
    content = {outcome.family: _content(outcome) for outcome in outcomes}
    JSON.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _content(outcome: Outcome) -> dict[str, Any]:
    table = outcome.table
    return {
        "tool": outcome.truth.tool,
        "definitions": len(outcome.truth.definitions),
        "sites": len(outcome.truth.sites),
        "scores": [
            {"of": measure, "kind": kind, "asked": way, **asdict(score)}
            | {"precision": score.precision, "recall": score.recall, "f1": score.f1}
            for (measure, kind, way), score in table.scores.items()
        ],
        "symbols": [
            asdict(outcome.truth.definitions[question.index]) | {"groups": question.groups}
            for question in outcome.questions
        ],
    }


def differences(outcome: Outcome, way: str = "medium") -> Iterator[str]:
    """Each miss and each false caller at one confidence, by rule, with what the site means."""
    truth = outcome.truth
    sites = {place_of(site): site for site in truth.sites}
    counted: Counter[str] = Counter()
    lines = []
    for question in outcome.questions:
        answer = outcome.answers[question.index]
        definition = truth.definitions[question.index]
        said = {
            (found.project, found.file, found.line, found.column): found
            for level in ("low", way)
            for found in answer.callers[level]
        }
        answered = [(one.project, one.file, one.line, one.column) for one in answer.callers[way]]
        verdict = judge(truth, question.index, answered)
        for word, places in (("missed", verdict.missed), ("false", verdict.false)):
            for place in sorted(places):
                rule = said[place].rule if place in said else "nothing" if answer.known else "404"
                side = "across" if place[0] != definition.project else "within"
                counted[f"{word} {side}, {definition.kind}, {rule}"] += 1
                meant = _meaning(truth, sites, place) if word == "false" else ""
                lines.append(
                    f"{word} {side} by {rule}: {definition.project} {definition.file} "
                    f"{definition.qualified_name} ({definition.kind}) at {_shown(place)}{meant}"
                )
    yield from (f"{count:6} {words}" for words, count in counted.most_common())
    yield from sorted(lines)


def _meaning(truth: Truth, sites: dict[Place, Any], place: Place) -> str:
    site = sites.get(place)
    if site is None:
        return "; no site there"
    if not site.judged:
        return "; unknown"
    named = [truth.definitions[target] for target in site.targets]
    return "; it means " + (
        ", ".join(f"{one.project} {one.file} {one.qualified_name}" for one in named)
        or "what is not in the sample"
    )


def _shown(place: Place) -> str:
    project, file, line, column = place
    return f"{project}/{file}:{line}:{column}"
