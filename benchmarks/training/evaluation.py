"""Two embedders asked the same questions of the same chunks: by similarity alone, and as served."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from benchmarks.retrieval.index import Index, Place
from benchmarks.retrieval.measures import Difference, difference, judge
from benchmarks.retrieval.queries import Kind, Query, Target
from benchmarks.training.corpus import Reading, chunk_inputs
from benchmarks.training.pairs import Question
from indexer.embedding.base import Embedder

MEASURES = ("MRR@10", "Recall@1", "Recall@10")


class Way(StrEnum):
    """By similarity alone, or the service's own order: with words and its rules."""

    DENSE = "dense"
    SERVED = "hybrid, as served"


@dataclass
class Outcome:
    """Of each question and way, the values of MEASURES before and after."""

    before: dict[Way, list[tuple[float, ...]]] = field(default_factory=lambda: {w: [] for w in Way})
    after: dict[Way, list[tuple[float, ...]]] = field(default_factory=lambda: {w: [] for w in Way})

    def add(self, other: "Outcome") -> None:
        """Take the questions of another repository in."""
        for way in Way:
            self.before[way] += other.before[way]
            self.after[way] += other.after[way]

    @property
    def questions(self) -> int:
        """How many were asked."""
        return len(self.before[Way.DENSE])

    def change(self, way: Way, measure: int) -> Difference:
        """After less before, with a paired bootstrap interval."""
        before = [values[measure] for values in self.before[way]]
        return difference([values[measure] for values in self.after[way]], before)

    def means(self, way: Way, *, is_after: bool) -> tuple[float, ...]:
        """Of each of MEASURES."""
        values = (self.after if is_after else self.before)[way]
        return tuple(np.mean(np.array(values), axis=0).tolist()) if values else (0.0,) * 3


def compare(
    reading: Reading, questions: Sequence[Question], before: Embedder, after: Embedder
) -> Outcome:
    """Ask one repository's questions of all of its chunks."""
    outcome = Outcome()
    if questions:
        inputs = list(chunk_inputs(reading))
        queries = [_query(reading, question) for question in questions]
        for embedder, found in ((before, outcome.before), (after, outcome.after)):
            corpus = replace(reading.corpus, vectors=embedder.embed_documents(inputs))
            _ask(Index([corpus], embedder), queries, found)
    return outcome


def _ask(index: Index, queries: list[Query], found: dict[Way, list[tuple[float, ...]]]) -> None:
    for query in queries:
        prepared = index.prepare(query.text)
        found[Way.DENSE].append(_values(query, index.dense(prepared)))
        found[Way.SERVED].append(_values(query, index.ours(prepared)))


def _query(reading: Reading, question: Question) -> Query:
    target = Target(question.path, (question.lines,), 2)
    return Query(reading.name, question.text, Kind.DERIVED, (target,))


def _values(query: Query, hits: list[Place]) -> tuple[float, ...]:
    scores = judge(query, hits)
    return scores.mrr, float(scores.mrr == 1.0), scores.recall
