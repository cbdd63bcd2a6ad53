"""The scores of every query in every way, kept as JSON, and two runs compared query by query."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.retrieval.experiment import OURS
from benchmarks.retrieval.measures import Difference, Scores, difference
from benchmarks.retrieval.queries import Kind, Query
from benchmarks.retrieval.sample import Half

MRR, FILE_NDCG = Scores._fields.index("mrr"), Scores._fields.index("file_ndcg")


class Judged(NamedTuple):
    """What one way of ranking is worth for one query."""

    way: str
    half: Half
    kind: Kind
    repository: str
    text: str
    scores: Scores


@dataclass
class Table:
    """The queries of one scope; all ways have them in one order."""

    judged: list[Judged] = field(default_factory=list)

    def add(self, way: str, half: Half, query: Query, scores: Scores) -> None:
        """Add the scores of a query."""
        self.judged.append(Judged(way, half, query.kind, query.repository, query.text, scores))

    @property
    def ways(self) -> list[str]:
        """The ways of ranking, in the order in which they were asked."""
        return list(dict.fromkeys(one.way for one in self.judged))

    def of(self, way: str, half: Half, kinds: Iterable[Kind] = tuple(Kind)) -> list[Scores]:
        """Return the scores of some kinds of one half, kind after kind."""
        return [
            one.scores
            for kind in kinds
            for one in self.judged
            if (one.way, one.half, one.kind) == (way, half, kind)
        ]

    def lead(self, way: str, half: Half, kinds: Iterable[Kind], measure: int = MRR) -> Difference:
        """Return how much better ours is than another way."""
        kinds = tuple(kinds)
        ours, theirs = self.of(OURS, half, kinds), self.of(way, half, kinds)
        return difference([one[measure] for one in ours], [one[measure] for one in theirs])


class Change(NamedTuple):
    """What another setting or run changes, by definitions and by files."""

    definitions: Difference
    files: Difference


def since(before: Table, after: Table) -> dict[tuple[Half, Kind], Change]:
    """Return what changed in our answers to the queries that both runs asked."""
    earlier = {_key(one): one.scores for one in before.judged if one.way == OURS}
    pairs: dict[tuple[Half, Kind], list[tuple[Scores, Scores]]] = {}
    for one in after.judged:
        if one.way == OURS and _key(one) in earlier:
            pairs.setdefault((one.half, one.kind), []).append((one.scores, earlier[_key(one)]))
    return {key: change(*zip(*own, strict=True)) for key, own in pairs.items()}


def change(after: Iterable[Scores], before: Iterable[Scores]) -> Change:
    """Compare scores of the same queries in one order."""
    pairs = list(zip(after, before, strict=True))
    return Change(
        *(
            difference([new[measure] for new, _ in pairs], [old[measure] for _, old in pairs])
            for measure in (MRR, FILE_NDCG)
        )
    )


def write(tables: dict[str, Table], file: Path) -> None:
    """Write the scores of every query, by scope."""
    content = {scope: table.judged for scope, table in tables.items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def read(file: Path) -> dict[str, Table]:
    """Read what `write` wrote."""
    content = json.loads(file.read_text(encoding="utf-8"))
    return {
        scope: Table(
            [
                Judged(way, Half(half), Kind(kind), repository, text, Scores(*scores))
                for way, half, kind, repository, text, scores in rows
            ]
        )
        for scope, rows in content.items()
    }


def _key(judged: Judged) -> tuple[str, str, str]:
    return judged.repository, judged.kind, judged.text
