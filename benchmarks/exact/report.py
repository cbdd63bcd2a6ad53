"""The outcome as figures, and as a list of all differences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.exact.comparing import Comparison, Reason
from benchmarks.exact.corpus import IndexedFile
from benchmarks.exact.speed import Times
from benchmarks.tables import Figure, percentile

_LEAST_P50 = 20.0
_SHOWN = 3  # differences of a query


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that was measured. `on_top`: drawn lines that the first result holds."""

    files: Sequence[IndexedFile]
    comparisons: Sequence[Comparison]
    drawn_lines: int
    on_top: int
    times: Times


def figures(outcome: Outcome) -> Iterator[Figure]:
    """Return each figure beside its bound."""
    files, compared = outcome.files, outcome.comparisons
    yield Figure("repositories", len({one.project for one in files}), "", 25, at_least=True)
    yield Figure("files", len(files), "")
    megabytes = sum(len(one.content.encode()) for one in files) / 1e6
    yield Figure("text", megabytes, "MB", 100, at_least=True)
    equal = sum(not one.differences for one in compared)
    explained = sum(Reason.BUG not in one.reasons for one in compared)
    yield Figure("queries with the same lines", equal, f"of {len(compared)}")
    yield Figure("… or explained", explained, f"of {len(compared)}", len(compared), at_least=True)
    reasons = Counter(reason for one in compared for reason in one.reasons)
    for reason, count in sorted(reasons.items()):
        yield Figure(f"… with differences of the class {reason}", count, "queries")
    yield Figure("lines that both find", sum(one.same for one in compared), "")
    yield Figure("random lines on top", outcome.on_top, "", outcome.drawn_lines, at_least=True)
    yield from _speed(outcome.times)


def _speed(times: Times) -> Iterator[Figure]:
    theirs = percentile(times.zoekt, 50)
    bound = max(_LEAST_P50, 2 * theirs)
    yield Figure("p50", percentile(times.service, 50), "ms", bound)
    yield Figure("p50 of zoekt", theirs, "ms")
    yield Figure("p99", percentile(times.service, 99), "ms", 300)
    yield Figure("p99 of zoekt", percentile(times.zoekt, 99), "ms")
    yield Figure("structural p50", percentile(times.structural, 50), "ms", 500)
    yield Figure("structural p99", percentile(times.structural, 99), "ms")


def differences(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Return lines of text: each query with differences, and the first of these."""
    for one in comparisons:
        if one.differences:
            yield f"{one.query.for_service()}   (zoekt: {one.query.for_zoekt()}): {one.same} same"
        for reason in sorted(one.reasons):
            rows = [row for row in one.differences if row.reason is reason]
            yield f"  {reason}: {len(rows)}"
            for row in rows[:_SHOWN]:
                project, path, line = row.place
                yield f"    {'service' if row.by_service else 'zoekt'}: {project} {path}:{line}"
