"""The tables of a campaign, the bounds that it is held to, and its JSON file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeVar

from rich.console import Console
from rich.table import Table

from benchmarks.load.clients import TIMED_OUT, Outcome
from benchmarks.load.measurements import Measurements, Runs
from benchmarks.tables import Figure, percentile

_OF_RUNS: Final = ("open", "upload", "webhook")
_LARGEST_SECONDS: Final = {  # of the 99th percentile, with as many clients as the service is for
    "search": 1.0,
    "callers": 3.0,
    "callees": 3.0,
    "graph": 3.0,
    "status": 0.3,
}
_IN_PROGRESS: Final = "409 run_in_progress"  # to Open: the repository's last run is not applied yet
_LARGEST_IN_PROGRESS: Final = 50.0  # per cent of Opens; with a worker that keeps up, one of twenty
_LARGEST_STALE: Final = 10.0  # per cent of runs; one of some hundreds is
REFUSED_SECONDS: Final = 1.0
LIVEZ_SECONDS: Final = 0.1
_GROWTH: Final = 1.1  # of the last third to the one before it


@dataclass(frozen=True)
class Step:
    """So many clients for so long, and what came of it."""

    clients: int
    is_overload: bool
    seconds: float
    outcomes: Sequence[Outcome]
    measurements: Measurements
    runs: Runs  # some time after the end

    @property
    def name(self) -> str:
        """How figures name it."""
        return f"{self.clients} clients"


def details(step: Step) -> Table:
    """A row for each kind of request and organisation, and one for /livez."""
    table = Table(
        "organisation", "request", "answered", "p50 s", "p99 s", "worst s", "not answered"
    )
    for (organization, kind), outcomes in _grouped(
        step.outcomes, lambda one: (one.organization, one.kind)
    ):
        answered = [one.seconds for one in outcomes if not one.code]
        errors = Counter(one.code for one in outcomes if one.code)
        table.add_row(
            organization,
            kind,
            f"{len(answered):,}",
            *(f"{value:.3f}" for value in _spread(answered)),
            ", ".join(f"{code}: {count:,}" for code, count in sorted(errors.items())),
        )
    seconds = step.measurements.livez
    failures = f"failed: {step.measurements.failures}" if step.measurements.failures else ""
    spread = (f"{value:.3f}" for value in _spread(seconds))
    table.add_row("", "/livez", f"{len(seconds):,}", *spread, failures)
    return table


def resources(step: Step) -> Table:
    """Processor time and memory of each part."""
    table = Table("part", "processor s", "ms a request", "MB at first", "MB at last", "MB at most")
    answered = sum(not one.code for one in step.outcomes) or 1
    for part, seconds in step.measurements.processor.items():
        samples = step.measurements.memory.get(part, [0.0])
        table.add_row(
            part,
            f"{seconds:.1f}",
            f"{1000 * seconds / answered:.1f}",
            *(f"{value:.0f}" for value in (samples[0], samples[-1], max(samples))),
        )
    return table


def is_error(outcome: Outcome) -> bool:
    """Whether it is neither an answer nor a refusal that says when to come back."""
    return bool(outcome.code) and not outcome.is_refusal and outcome.code != _IN_PROGRESS


def show(step: Step) -> None:
    """Print what came of a step."""
    console = Console(width=120)
    console.print(f"{step.name}, {step.seconds:.0f} s, {rate(step):.1f} answers a second")
    console.print(details(step), resources(step))


def rate(step: Step) -> float:
    """Answers a second."""
    return sum(not one.code for one in step.outcomes) / step.seconds


def figures(step: Step) -> Iterator[Figure]:
    """The figures of a step beside their bounds."""
    yield Figure(f"{step.name}: answers", rate(step), "/s")
    yield from _answer_times(step)
    yield from _refusals_and_errors(step)
    yield from _runs(step)
    yield Figure(f"{step.name}: /livez, worst", max(step.measurements.livez), "s", LIVEZ_SECONDS)
    yield Figure(f"{step.name}: /livez failed", step.measurements.failures, "", 0)
    for part, samples in step.measurements.memory.items():
        yield from _memory(f"{step.name}: memory of {part}", samples)


def verdict(figures: Sequence[Figure]) -> int:
    """Print the bounds that were missed; return the exit code."""
    bounded = [figure for figure in figures if figure.holds is not None]
    missed = [figure for figure in bounded if not figure.holds]
    print(f"{len(bounded) - len(missed)} of {len(bounded)} bounds hold.")
    for figure in missed:
        print(f"missed: {figure.name}: {figure.value:.3g} of {figure.bound:g} {figure.unit}")
    return 1 if missed else 0


def _answer_times(step: Step) -> Iterator[Figure]:
    """Of each kind. One that has a bound and no answer is a miss: nothing was measured."""
    answered: dict[str, list[float]] = {kind: [] for kind in _LARGEST_SECONDS}
    for one in step.outcomes:
        if not one.code:
            answered.setdefault(one.kind, []).append(one.seconds)
    for kind, seconds in sorted(answered.items()):
        bound = None if step.is_overload else _LARGEST_SECONDS.get(kind)
        if seconds:
            yield Figure(f"{step.name}: {kind} p50", _spread(seconds)[0], "s")
            yield Figure(f"{step.name}: {kind} p99", _spread(seconds)[1], "s", bound)
        else:
            yield Figure(f"{step.name}: {kind} answered", 0, "", 1, at_least=True)


def _refusals_and_errors(step: Step) -> Iterator[Figure]:
    refusals = [one for one in step.outcomes if one.is_refusal]
    timed_out = sum(one.code == TIMED_OUT for one in step.outcomes)
    errors = sum(is_error(one) for one in step.outcomes)
    of_runs = sum(one.kind in _OF_RUNS for one in refusals)
    yield Figure(f"{step.name}: no answer in time", timed_out, "", 0)
    yield Figure(f"{step.name}: other errors", errors, "", 0)
    yield Figure(f"{step.name}: refused", len(refusals), "", None if step.is_overload else 0)
    if refusals:
        worst = max(one.seconds for one in refusals)
        yield Figure(f"{step.name}: slowest refusal", worst, "s", REFUSED_SECONDS)
    yield Figure(f"{step.name}: Open, upload or webhook refused", of_runs, "", 0)


def _runs(step: Step) -> Iterator[Figure]:
    """Whole runs. With a worker that applies nothing, each repository's first one waits."""
    opens = [one.code for one in step.outcomes if one.kind == "open"]
    announced = sum(one.kind == "webhook" and not one.code for one in step.outcomes)
    runs = step.runs.applied + step.runs.stale
    name = f"{step.name}: runs applied or stale, of those announced"
    yield Figure(name, runs, "", announced, at_least=True)
    if runs:
        yield Figure(
            f"{step.name}: runs that were stale", 100 * step.runs.stale / runs, "%", _LARGEST_STALE
        )
    yield Figure(f"{step.name}: runs that wait", step.runs.waiting, "", 0)
    if opens:
        share = 100 * opens.count(_IN_PROGRESS) / len(opens)
        name = f"{step.name}: Opens before the last run was applied"
        yield Figure(name, share, "%", _LARGEST_IN_PROGRESS)


def _memory(name: str, samples: Sequence[float]) -> Iterator[Figure]:
    """At most, and growth in the last third of the time: before that, caches fill.

    A part that has ended has 0 MB.
    """
    yield Figure(f"{name}, at most", max(samples), "MB")
    yield Figure(f"{name}, times without a process", samples.count(0.0), "", 0)
    third = len(samples) // 3
    before, last = samples[third : 2 * third], samples[-third:]
    if third and any(before):
        growth = (sum(last) / len(last)) / (sum(before) / len(before))
        yield Figure(f"{name}, last third to the one before", growth, "times", _GROWTH)


def _spread(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Median, 99th percentile, largest."""
    if len(seconds) < 2:
        only = seconds[0] if seconds else 0.0
        return only, only, only
    return percentile(seconds, 50), percentile(seconds, 99), max(seconds)


_Key = TypeVar("_Key", str, tuple[str, str])


def _grouped(
    outcomes: Iterable[Outcome], key: Callable[[Outcome], _Key]
) -> Iterator[tuple[_Key, list[Outcome]]]:
    """Group outcomes by a key, in its order."""
    for value, group in groupby(sorted(outcomes, key=key), key):
        yield value, list(group)
