"""What each rule and weight is worth: each one off or moved, everything else as it is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.retrieval.experiment import Version, our_scores
from benchmarks.retrieval.measures import Scores
from benchmarks.retrieval.queries import Kind
from benchmarks.retrieval.results import Change, change
from benchmarks.retrieval.sample import Half
from central.search.ranking.rules import DENSE, DENSE_SYMBOLIC, FILE, WEIGHTS

# For a weight that is no rule's, "off" is the one list or the other.
_MOVED = {
    DENSE: (0.5, 0.85, 1.0),
    DENSE_SYMBOLIC: (0.0, 1.0),
    FILE: (0.2, 0.6),
    "project": (0.2, 1.0),
    "coverage": (0.4, 1.2),
    "mention": (2.0,),
    "name_words": (0.4,),
    "file_stem": (0.3, 1.0),
    "docs": (0.3,),
}

Scored = Mapping[tuple[Half, Kind], Sequence[Scores]]


class Ablation(NamedTuple):
    """What a setting changes, by half and kind."""

    name: str
    changes: dict[tuple[Half, Kind], Change]


def settings() -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield a name and weights: no rules at all, each rule off, some weights moved."""
    none = {name: 0.0 for name in WEIGHTS if name not in {DENSE, DENSE_SYMBOLIC}}
    yield "no rules", {**WEIGHTS, **none}
    for name, weight in WEIGHTS.items():
        if name in none:
            yield f"{name} off ({weight:g})", {**WEIGHTS, name: 0.0}
        for other in _MOVED.get(name, ()):
            yield f"{name} {weight:g} → {other:g}", {**WEIGHTS, name: other}


def scored(versions: Iterable[Version], weights: Mapping[str, float] = WEIGHTS) -> Scored:
    """Return our scores of every query, in a fixed order."""
    found: dict[tuple[Half, Kind], list[Scores]] = {}
    for version in versions:
        for query, prepared in zip(version.queries, version.prepared, strict=True):
            scores = our_scores(version.index, query, prepared, weights)
            found.setdefault((version.half, query.kind), []).append(scores)
    return found


def ablations(versions: Sequence[Version]) -> Iterator[Ablation]:
    """Yield what each setting changes."""
    before = scored(versions)
    for name, weights in settings():
        after = scored(versions, weights)
        yield Ablation(name, {key: change(after[key], before[key]) for key in before})
