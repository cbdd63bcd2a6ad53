"""What the project promises of each family, beside what was measured."""

from collections.abc import Iterator

from benchmarks.callers import misses
from benchmarks.callers.misses import Fate
from benchmarks.callers.report import KINDS, Outcome
from benchmarks.callers.scoring import BASELINE, Score, Table
from benchmarks.tables import Figure

PRECISION = 0.98
RECALL = 0.95  # of functions and classes
METHODS_RECALL = {"python": 0.80, "typescript": 0.50}


def figures(outcome: Outcome) -> Iterator[Figure]:
    """Callers in other repositories, traps, zeros, and what no answer tells of."""
    table, name = outcome.table, outcome.family
    functions, methods = (table.scores["cross", kind, "medium"] for kind in KINDS)
    if not outcome.truth.is_partial:
        yield from _of_what_is_said(name, table, functions, methods)
    yield Figure(f"{name}: recall across", functions.recall, "", RECALL, True)
    least = METHODS_RECALL.get(name)
    yield Figure(f"{name}: recall of methods across", methods.recall, "", least, True)
    silent = sum(one.fate is Fate.SILENT for one in outcome.callers)
    yield Figure(f"{name}: callers that no answer tells of", silent, "", 0)
    counted = misses.miscounts(outcome.answers.values())
    yield Figure(f"{name}: receipts that count otherwise at low", counted, "", 0)


def _of_what_is_said(name: str, table: Table, functions: Score, methods: Score) -> Iterator[Figure]:
    yield Figure(f"{name}: precision across", functions.precision, "", PRECISION, True)
    title = f"{name}: precision of methods across, of what is judged"
    yield Figure(title, methods.judged_precision, "", PRECISION, True)
    ours, bare = (_both_kinds(table, "trap", way).f1 for way in ("medium", BASELINE))
    yield Figure(f"{name}: F1 on traps", ours, "", 2 * bare, True)
    false = _both_kinds(table, "zero", "high").false
    yield Figure(f"{name}: false at high for true zeros", false, "", 0)


def _both_kinds(table: Table, measure: str, way: str) -> Score:
    total = Score()
    for kind in KINDS:
        total.add(table.scores.get((measure, kind, way), Score()))
    return total
