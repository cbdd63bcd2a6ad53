"""Search of one organisation's points in PostgreSQL, by the cheapest suitable plan."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil, sqrt
from typing import Any, TypeAlias

import psycopg
from psycopg import sql

from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Hit, HybridQuery, PointFilter, has_terms, is_nonzero
from indexer.store.pgvector import statements
from indexer.store.pgvector.maintenance import vector_indexes
from indexer.store.pgvector.statements import (
    TermWeights,
    any_of,
    by_weight,
    max_score,
    partition,
    score_condition,
)

# Exact comparison reaches further in a large organisation: points that pass a filter are seldom
# among the query's nearest, so the index reads many times as many and still misses some.
_EXACT_SHARE = 0.1
_MOST_EXACT_POINTS = 60_000
# Without a filter, so many lists times the square root of their number are read.
_LISTS_READ = 4

# For all repositories, the planner's estimate is 1 - 1/e of the points: their frequencies add up to
# a little more than 1, and then it takes them for independent (scalararraysel).
_WHOLE_SHARE = 0.6

# Above this share of an organisation's points, the index of repositories does not help.
_NARROW_SHARE = 0.2

# Expected score of the last hit as a share of the highest possible score, tried in turn.
_EXPECTED_SHARES = (0.3, 0.15)
_LONG_LIST = 2000  # for longer lists every candidate is read anyway

# The store restores the order. Read-ahead hands each page to another process, which costs more than
# a page that is already in memory.
_SETTINGS = {
    "work_mem": "64MB",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "effective_io_concurrency": "0",
    "ivfflat.iterative_scan": "relaxed_order",
}
_SET = "SELECT set_config(name, value, true) FROM unnest(%s::text[], %s::text[]) AS q (name, value)"
_READ_LISTS = "SELECT set_config('ivfflat.probes', %s, true)"
_SIZE = "SELECT coalesce(max(reltuples), 0) FROM pg_class WHERE oid = to_regclass(%s)"

PendingHits: TypeAlias = Callable[[], list[Hit]]  # waits for a statement that was sent


@contextmanager
def search_pipeline(connection: psycopg.Connection, *, seconds: float) -> Iterator[None]:
    """Pipeline the searches of a transaction; each statement has a time-out of `seconds`.

    A statement is sent before those ahead of it are answered: each wait costs as much as a small
    statement, and more on a busy machine.
    """
    settings = {"statement_timeout": str(int(1000 * seconds)), **_SETTINGS}
    with connection.pipeline():
        connection.execute(_SET, [list(settings), list(settings.values())])
        yield


class Scope:
    """The repositories of one organisation that may be searched, in one transaction.

    Reads sizes and estimates when it is made; `filters` has the filter of each query to come.
    """

    def __init__(
        self,
        connection: psycopg.Connection,
        embedder: EmbedderSpec,
        organization: str,
        repositories: list[int],
        *,
        filters: Iterable[PointFilter],
        exact_points: int,
    ) -> None:
        self._connection = connection
        self._embedder = embedder
        self._exact_points = exact_points
        self._allowed = {"organization": organization, "repositories": repositories}
        name = partition(embedder, organization)
        sizes = connection.execute(_SIZE, [name.as_string(connection)])
        plans = {wanted: self._plan(wanted) for wanted in filters}
        indexes = vector_indexes(connection, name)
        self._size: float
        [(self._size,)] = sizes
        self._points = {wanted: self._estimate(wanted, plan) for wanted, plan in plans.items()}
        is_exact = self._size <= exact_points
        lists = [index.lists for index in indexes if index.is_valid and not is_exact]
        self._lists = max(lists, default=0)

    def dense(self, query: HybridQuery) -> PendingHits:
        """Look for the nearest points by exact comparison or in the index's nearest lists.

        The index scan continues through further lists until it has found enough.
        """
        if not is_nonzero(query.vector):
            return list  # of nothing
        lists = self._lists_to_read(query.filter)
        if lists:
            self._connection.execute(_READ_LISTS, [str(lists)])
        allowed = statements.allowed(query.filter, narrow=not lists)
        return self._send(
            statements.dense(self._embedder, allowed, exact=not lists),
            {
                **self._parameters(query.filter, query.limit),
                "vector": statements.vector_text(query.vector),
            },
        )

    def lexical(self, query: HybridQuery) -> PendingHits:
        """Look for the exact best points, mostly without reading those with only common terms.

        A guess of the last hit's score limits the points that are read. Their last hit either
        reaches the guess or is a lower bound of the true last hit's score.
        """
        if not has_terms(query.terms):
            return list  # of nothing
        weights = by_weight(query.terms)
        if self._points[query.filter] <= self._exact_points:
            return self._score(query, weights, None)
        shares = _EXPECTED_SHARES if query.limit <= _LONG_LIST else ()
        guesses = [share * max_score(weights) for share in shares]
        first = self._score(query, weights, _condition(weights, guesses))
        return lambda: self._refined(query, weights, guesses, first())

    def _refined(
        self, query: HybridQuery, weights: TermWeights, guesses: list[float], hits: list[Hit]
    ) -> list[Hit]:
        """Return the best points; `hits` are the best of those that could reach the first guess."""
        while guesses:
            guess, *guesses = guesses
            if len(hits) == query.limit:
                last = hits[-1].score
                if last >= guess:
                    return hits
                return self._score(query, weights, score_condition(weights, last))()
            hits = self._score(query, weights, _condition(weights, guesses))()
        return hits

    def _lists_to_read(self, wanted: PointFilter) -> int:
        """Return how many of the index's lists to read; 0 for exact comparison."""
        if not self._lists:
            return 0
        points = self._points[wanted]
        if points <= max(self._exact_points, min(_EXACT_SHARE * self._size, _MOST_EXACT_POINTS)):
            return 0
        others = max(1.0, self._size / points)
        return min(self._lists, ceil(_LISTS_READ * sqrt(self._lists * others)))

    def _plan(self, wanted: PointFilter) -> psycopg.Cursor:
        statement = statements.estimate(self._embedder, statements.allowed(wanted, narrow=True))
        return self._connection.execute(statement, self._parameters(wanted, 0))

    def _estimate(self, wanted: PointFilter, plan: psycopg.Cursor) -> float:
        """Return the planner's estimate of matching points: counting is as slow as comparing.

        Without a filter, all points from _WHOLE_SHARE on.
        """
        [([document],)] = plan
        rows: float = document["Plan"]["Plan Rows"]
        is_whole = wanted == PointFilter() and rows >= _WHOLE_SHARE * self._size
        return self._size if is_whole or self._size <= self._exact_points else rows

    def _score(self, query: HybridQuery, weights: TermWeights, holding: str | None) -> PendingHits:
        """Look for the best points that match the tsquery `holding`; None: of all in the scope."""
        narrow = self._points[query.filter] <= _NARROW_SHARE * self._size
        allowed = statements.allowed(query.filter, narrow=narrow)
        return self._send(
            statements.lexical(self._embedder, allowed, by_index=holding is not None),
            {
                **self._parameters(query.filter, query.limit),
                "terms": statements.terms_text(weights),
                "term_ids": [term for term, _ in weights],
                "holding": holding,
            },
        )

    def _send(self, statement: sql.Composed, parameters: dict[str, Any]) -> PendingHits:
        cursor = self._connection.execute(statement, parameters)
        return lambda: [Hit(*row) for row in cursor]

    def _parameters(self, wanted: PointFilter, limit: int) -> dict[str, object]:
        return {**self._allowed, **statements.filter_parameters(wanted), "limit": limit}


def _condition(weights: TermWeights, guesses: Sequence[float]) -> str:
    """Return a tsquery for the points that could reach the first guess; without one, for all."""
    return score_condition(weights, guesses[0]) if guesses else any_of(weights)
