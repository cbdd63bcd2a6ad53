"""Why callers are missed, and what the service says of each."""

from dataclasses import replace

from benchmarks.callers.misses import ACROSS, ALL, Fate, Judged, count, judged, miscounts, table
from benchmarks.callers.query import LEVELS, Answer, Bound, Found, Line
from benchmarks.callers.sampling import Question
from tests.benchmarks.callers.tiny import OPEN, STORE, TRUTH

MAIN = ("app", "app/main.py")
CACHE_LINE = ("lib", "lib/cache.py", 9)
FOUND = Found(*MAIN, 7, 0, "import", "high")
NOTHING = Answer(known=True, callers=dict.fromkeys(LEVELS, ()))
KNOWN = Answer(known=True, callers=dict.fromkeys(LEVELS, (FOUND,)))


def fates(answer: Answer, bound: dict[Line, set[Bound]] | None = None) -> list[Fate]:
    """Of the callers of `open`: app's lines 7 and 10 after lib's line 9."""
    found = judged(TRUTH, [Question(OPEN, ("cross",))], {OPEN: answer}, bound or {})
    return [one.fate for one in sorted(found, key=lambda one: (one.is_across, one.site.line))]


def test_a_caller_is_found_or_silent() -> None:
    assert fates(KNOWN) == [Fate.SILENT, Fate.FOUND, Fate.SILENT]


def test_a_caller_may_be_listed_at_low() -> None:
    low = replace(KNOWN, listed=frozenset({(*CACHE_LINE, 0)}), counted=(1, 1), by_name=1)
    assert fates(low) == [Fate.LOW, Fate.FOUND, Fate.SILENT]


def test_so_many_callers_are_counted_as_the_receipt_says_beyond_those_listed() -> None:
    assert fates(replace(KNOWN, counted=(3, 3), by_name=2)).count(Fate.COUNTED) == 1
    assert fates(replace(KNOWN, counted=(9, 9), by_name=2)).count(Fate.COUNTED) == 2
    assert fates(replace(KNOWN, counted=(2, 2), by_name=2)).count(Fate.COUNTED) == 0


def test_a_caller_may_be_bound_to_another_definition_of_that_name() -> None:
    another = {CACHE_LINE: {("app", "app/main.py", "open")}}
    assert fates(KNOWN, another) == [Fate.BOUND, Fate.FOUND, Fate.SILENT]
    own = {CACHE_LINE: {("lib", "lib/store.py", "open"), ("lib", "lib/store.py", "Store")}}
    assert fates(KNOWN, own) == [Fate.SILENT, Fate.FOUND, Fate.SILENT]


def test_a_definition_that_is_not_found_has_no_callers() -> None:
    assert set(fates(replace(NOTHING, known=False))) == {Fate.UNKNOWN}


def test_callers_are_counted_by_what_stands_before_the_name() -> None:
    site = TRUTH.callers[OPEN][0]
    callers = [
        Judged(TRUTH.definitions[OPEN], replace(site, receiver="field"), Fate.FOUND),
        Judged(TRUTH.definitions[OPEN], replace(site, kind="value"), Fate.SILENT),
        Judged(TRUTH.definitions[STORE], replace(site, project="lib"), Fate.LOW),
    ]
    counts = count(callers)
    assert counts == {
        ALL: {"found": 1, "silent": 1, "listed at low": 1},
        ACROSS: {"found": 1, "silent": 1},
        "field": {"found": 1},
        "bare name, value": {"silent": 1},
        "bare name": {"listed at low": 1},
    }
    rows = list(table(counts))
    assert rows[2] == "| all | 3 | 0.333 | 2 | 1 | 0 | 0 | 0 | 1 |"
    assert rows[-1] == "| field | 1 | 1.000 | 0 | 0 | 0 | 0 | 0 | 0 |"


def test_receipts_ought_to_count_alike_at_low() -> None:
    assert (
        miscounts([NOTHING, replace(NOTHING, counted=(4,)), replace(NOTHING, counted=(4, 3))]) == 1
    )
