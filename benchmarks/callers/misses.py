"""Why callers are missed: through what the name is reached, and what the service says of each."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.callers.query import Answer, Bound, Line
from benchmarks.callers.sampling import Question
from benchmarks.callers.scoring import answered_places, judge
from benchmarks.callers.truth import Definition, Place, Site, Truth

APPLIED = frozenset({"call", "new"})


class Fate(StrEnum):
    """What is known of a caller that was asked for at medium confidence."""

    FOUND = "found"
    LOW = "listed at low"
    COUNTED = "counted as unresolved"
    BOUND = "bound to another"
    UNKNOWN = "definition not found"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Judged:
    """A true caller of a definition that was asked for, its class and what became of it."""

    definition: Definition
    site: Site
    fate: Fate

    @property
    def way(self) -> str:
        """Through what the definition is reached, and how it is used if it is not called."""
        through = self.site.receiver or "bare name"
        return through if self.site.kind in APPLIED else f"{through}, {self.site.kind}"

    @property
    def is_across(self) -> bool:
        """Whether it is in another repository than the definition."""
        return self.site.project != self.definition.project


def judged(
    truth: Truth,
    questions: Sequence[Question],
    answers: Mapping[int, Answer],
    bound: Mapping[Line, set[Bound]],
) -> Iterator[Judged]:
    """Every true caller of every definition that was asked for."""
    for question in questions:
        definition, answer = truth.definitions[question.index], answers[question.index]
        places = answered_places(truth, question.index, answer, "medium")
        missed = judge(truth, question.index, places).missed
        sites = {site.place: site for site in truth.callers.get(question.index, [])}
        if answer.known:
            fates = _fates(sorted(missed), definition, sites, answer, bound)
        else:
            fates = dict.fromkeys(missed, Fate.UNKNOWN)
        for place, site in sites.items():
            yield Judged(definition, site, fates.get(place, Fate.FOUND))


def _fates(
    missed: Iterable[Place],
    definition: Definition,
    sites: Mapping[Place, Site],
    answer: Answer,
    bound: Mapping[Line, set[Bound]],
) -> dict[Place, Fate]:
    """Only their number is told of references that are counted: so many of the rest are meant."""
    fates = {}
    counted = max(0, max(answer.counted, default=0) - answer.by_name)
    for place in missed:
        if place in answer.listed:
            fates[place] = Fate.LOW
        elif _is_bound(definition, sites[place], bound.get(place[:3], set())):
            fates[place] = Fate.BOUND
        elif counted:
            counted -= 1
            fates[place] = Fate.COUNTED
        else:
            fates[place] = Fate.SILENT
    return fates


def _is_bound(definition: Definition, site: Site, bound: Iterable[Bound]) -> bool:
    own = (definition.project, definition.file, definition.qualified_name)
    names = {definition.name, site.name}
    return any(one != own and one[2].rpartition(".")[2] in names for one in bound)


def miscounts(answers: Iterable[Answer]) -> int:
    """For how many definitions the receipt counts otherwise at low, where it lists them."""
    return sum(len({*one.counted}) > 1 for one in answers)


Counts = dict[str, dict[str, int]]  # by way (or ALL), then by fate
ALL = "all"
ACROSS = "all in other repositories"


def count(callers: Iterable[Judged]) -> Counts:
    """How many callers there are of each way and fate."""
    found: dict[str, Counter[str]] = {ALL: Counter(), ACROSS: Counter()}
    for one in callers:
        keys = [ALL, one.way, *([ACROSS] if one.is_across else [])]
        for key in keys:
            found.setdefault(key, Counter())[one.fate.value] += 1
    return {way: dict(counts) for way, counts in found.items()}


def recall(counts: Mapping[str, int]) -> float:
    """Share of the callers that are found; 1 without callers."""
    total = sum(counts.values())
    return counts.get(Fate.FOUND.value, 0) / total if total else 1.0


def table(counts: Counts) -> Iterator[str]:
    """Lines of a table, the way with most misses first."""
    fates = [fate.value for fate in Fate if fate is not Fate.FOUND]
    yield f"| reached through | callers | recall | missed | {' | '.join(fates)} |"
    yield f"|{'---|' * (4 + len(fates))}"
    for way in sorted(counts, key=lambda one: (one not in {ALL, ACROSS}, -_missed(counts[one]))):
        one = counts[way]
        cells = [way, str(sum(one.values())), f"{recall(one):.3f}", str(_missed(one))]
        yield f"| {' | '.join([*cells, *(str(one.get(fate, 0)) for fate in fates)])} |"


def _missed(counts: Mapping[str, int]) -> int:
    return sum(counts.values()) - counts.get(Fate.FOUND.value, 0)
