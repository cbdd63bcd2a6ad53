"""The scores and misses as Markdown and JSON, and each miss and false caller for those who ask."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.callers import bulk, misses
from benchmarks.callers.misses import Counts, Fate
from benchmarks.callers.query import LEVELS, Answer, Edge, Found, bindings
from benchmarks.callers.sampling import Question
from benchmarks.callers.scoring import (
    BASELINE,
    WAYS,
    Score,
    Table,
    judge,
    tabulate,
)
from benchmarks.callers.truth import Definition, Place, Truth

MEASURES = {
    "cross": "callers in other repositories",
    "all": "all callers",
    "trap": "same-named traps",
    "zero": "true zeros",
}
KINDS = ("functions and classes", "methods")
MARKDOWN, JSON = Path("build/callers.md"), Path("build/callers.json")


@dataclass(frozen=True)
class Outcome:
    """A family's truth, what was asked and answered, and all edges that the service has."""

    family: str
    truth: Truth
    questions: Sequence[Question]
    answers: dict[int, Answer]
    edges: Sequence[Edge]

    @cached_property
    def table(self) -> Table:
        """The scores."""
        return tabulate(self.truth, self.questions, self.answers)

    @cached_property
    def callers(self) -> list[misses.Judged]:
        """Every true caller, and what became of it."""
        return list(misses.judged(self.truth, self.questions, self.answers, bindings(self.edges)))

    @cached_property
    def judged_edges(self) -> list[tuple[Edge, bulk.Verdict]]:
        """Every edge between definitions of the truth, and whether it is right."""
        return list(bulk.judged(self.truth, self.edges))

    def count_edges(self, level: str) -> Counter[bulk.Verdict]:
        """How many edges of this confidence or better are right, false and unknown."""
        accepted = LEVELS[: LEVELS.index(level) + 1]
        return Counter(said for edge, said in self.judged_edges if edge.confidence in accepted)

    @property
    def misses(self) -> dict[str, Counts]:
        """The callers by kind of definition, by way and by fate."""
        return {
            kind: misses.count(one for one in self.callers if _kind(one) == kind) for kind in KINDS
        }


def _kind(caller: misses.Judged) -> str:
    return KINDS[caller.definition.kind == "method"]


def markdown(outcomes: Iterable[Outcome]) -> str:
    """A table for each family: what is found at each confidence, and by bare names."""
    lines = []
    for outcome in outcomes:
        lines += [f"## {outcome.family} ({outcome.truth.tool})", ""]
        lines += ["| of | symbols | asked | precision | recall | F1 | right | false | missed |"]
        lines += ["|---|---|---|---|---|---|---|---|---|"]
        for measure, title in MEASURES.items():
            for kind in KINDS:
                lines += _rows(outcome, measure, kind, f"{title}: {kind}")
        lines += ["", *_edges(outcome)]
        for kind, counts in outcome.misses.items():
            lines += ["", f"### {outcome.family}: callers of {kind}, by how they are reached", ""]
            lines += misses.table(counts)
        lines.append("")
    return "\n".join(lines)


def _edges(outcome: Outcome) -> Iterator[str]:
    """All edges at once; those of which the truth says nothing certain count neither way."""
    yield "| all edges at | right | false | unknown | precision |"
    yield "|---|---|---|---|---|"
    for level in LEVELS:
        counts = outcome.count_edges(level)
        right, false, unknown = (counts[verdict] for verdict in bulk.Verdict)
        precision = Score(right=right, false=false).precision
        yield f"| {level} | {right} | {false} | {unknown} | {precision:.4f} |"


def _rows(outcome: Outcome, measure: str, kind: str, title: str) -> Iterator[str]:
    """A partial truth tells how much is found, and nothing of what is said beyond."""
    table, is_partial = outcome.table, outcome.truth.is_partial
    for way in WAYS:
        score = table.scores.get((measure, kind, way))
        if score is None or (is_partial and way == BASELINE):
            continue
        rates = ("", "", "")
        if measure != "zero":
            rates = (f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}")
        if is_partial:
            rates = ("", rates[1], "")
        false = f"{score.false} ({score.unjudged} unjudged)" if score.unjudged else str(score.false)
        cells = (title, str(table.symbols[measure, kind]), way, *rates)
        yield f"| {' | '.join([*cells, str(score.right), false, str(score.missed)])} |"


def write(outcomes: Sequence[Outcome]) -> None:
    """Both files; the JSON holds every symbol."""
    MARKDOWN.parent.mkdir(exist_ok=True)
    MARKDOWN.write_text(markdown(outcomes) + "\n", encoding="utf-8")
    contents = {outcome.family: content(outcome) for outcome in outcomes}
    JSON.write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")


def content(outcome: Outcome) -> dict[str, Any]:
    """What the JSON holds of a family."""
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
        "edges": {level: outcome.count_edges(level) for level in LEVELS},
        "misses": outcome.misses,
        "silent": [
            f"{_shown(one.site.place)} {one.definition.qualified_name} ({one.way})"
            for one in outcome.callers
            if one.fate is Fate.SILENT
        ],
        "symbols": [
            asdict(outcome.truth.definitions[question.index]) | {"groups": question.groups}
            for question in outcome.questions
        ],
    }


def differences(outcome: Outcome, way: str = "medium") -> Iterator[str]:
    """Each miss by its fate and each false caller by its rule, with what the site means."""
    counted: Counter[str] = Counter()
    lines = []
    for caller in outcome.callers:
        if caller.fate is Fate.FOUND:
            continue
        definition, place = caller.definition, caller.site.place
        side = "across" if caller.is_across else "within"
        counted[f"missed {side}, {definition.kind}, {caller.fate.value}, {caller.way}"] += 1
        lines.append(
            f"missed {side}, {caller.fate.value}: {_named(definition)} at {_shown(place)} "
            f"({caller.way})"
        )
    for definition, found, meant in _false(outcome, way):
        side = "across" if found.project != definition.project else "within"
        counted[f"false {side}, {definition.kind}, {found.rule}"] += 1
        lines.append(
            f"false {side} by {found.rule}: {_named(definition)} at {_shown(found.place)}{meant}"
        )
    for edge, said in outcome.judged_edges:
        if said is bulk.Verdict.FALSE:
            counted[f"false edge, {edge.confidence}, {edge.rule}"] += 1
            (project, file, line), bound = edge.line, " ".join(edge.bound)
            lines.append(
                f"false edge, {edge.confidence}, {edge.rule}: {bound} at {project}/{file}:{line}"
            )
    yield from (f"{count:6} {words}" for words, count in counted.most_common())
    yield from sorted(lines)


def _false(outcome: Outcome, way: str) -> Iterator[tuple[Definition, Found, str]]:
    truth = outcome.truth
    sites = {site.place: site for site in truth.sites}
    for question in outcome.questions:
        found = {one.place: one for one in outcome.answers[question.index].callers[way]}
        for place in judge(truth, question.index, found).false:
            yield truth.definitions[question.index], found[place], _meaning(truth, sites, place)


def _named(definition: Definition) -> str:
    return f"{definition.project} {definition.file} {definition.qualified_name} ({definition.kind})"


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
