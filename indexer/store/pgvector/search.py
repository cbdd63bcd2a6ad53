"""Search of one organisation's points in PostgreSQL, by the cheapest suitable plan."""

from math import ceil, sqrt
from typing import Any

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
    score_condition,
)
from indexer.store.pgvector.tables import partition

# Exact comparison reaches further in a large organisation: points that pass a filter are seldom
# among the query's nearest, so the index reads many times as many and still misses some.
_EXACT_SHARE = 0.1
_MOST_EXACT_POINTS = 60_000
# Without a filter, so many lists times the square root of their number are read.
_LISTS_READ = 4

# Above this share of an organisation's points, the index of repositories does not help.
_NARROW_SHARE = 0.2

# Expected score of the last hit as a share of the highest possible score, tried in turn.
_EXPECTED_SHARES = (0.3, 0.15)
_LONG_LIST = 2000  # for longer lists every candidate is read anyway

# The store restores the order. Read-ahead hands each page to another process, which costs more than
# a page that is already in memory.
_SETTINGS = """
SET LOCAL statement_timeout = {milliseconds};
SET LOCAL work_mem = '64MB';
SET LOCAL jit = off;
SET LOCAL max_parallel_workers_per_gather = 0;
SET LOCAL effective_io_concurrency = 0;
SET LOCAL ivfflat.iterative_scan = relaxed_order
"""
_READ_LISTS = "SELECT set_config('ivfflat.probes', %s, true)"
_SIZE = "SELECT coalesce(max(reltuples), 0) FROM pg_class WHERE oid = to_regclass(%s)"


def begin(connection: psycopg.Connection, *, seconds: float) -> None:
    """Configure a transaction for searches, each with a time-out of `seconds`."""
    milliseconds = sql.Literal(int(1000 * seconds))
    connection.execute(sql.SQL(_SETTINGS).format(milliseconds=milliseconds))


class Scope:
    """The repositories of one organisation that may be searched, in one transaction."""

    def __init__(
        self,
        connection: psycopg.Connection,
        embedder: EmbedderSpec,
        organization: str,
        repositories: list[int],
        *,
        exact_points: int,
    ) -> None:
        self._connection = connection
        self._embedder = embedder
        self._exact_points = exact_points
        self._estimates: dict[PointFilter, float] = {}
        self._allowed = {"organization": organization, "repositories": repositories}
        name = partition(embedder, organization)
        self._size: float
        [(self._size,)] = connection.execute(_SIZE, [name.as_string(connection)])
        indexes = vector_indexes(connection, name) if self._size > exact_points else []
        self._lists = max((index.lists for index in indexes if index.is_valid), default=0)

    def dense(self, query: HybridQuery) -> list[Hit]:
        """Return the nearest points by exact comparison or from the index's nearest lists.

        The index scan continues through further lists until it has found enough.
        """
        if not is_nonzero(query.vector):
            return []
        lists = self._lists_to_read(query.filter)
        if lists:
            self._connection.execute(_READ_LISTS, [str(lists)])
        allowed = statements.allowed(query.filter, narrow=not lists)
        return self._hits(
            statements.dense(self._embedder, allowed, exact=not lists),
            {
                **self._parameters(query.filter, query.limit),
                "vector": statements.vector_text(query.vector),
            },
        )

    def lexical(self, query: HybridQuery) -> list[Hit]:
        """Return the exact best points, mostly without reading those with only common terms.

        A guess of the last hit's score limits the points that are read. Their last hit either
        reaches the guess or is a lower bound of the true last hit's score.
        """
        if not has_terms(query.terms):
            return []
        weights = by_weight(query.terms)
        points = self._points(query.filter)
        narrow = points <= _NARROW_SHARE * self._size
        if points <= self._exact_points:
            return self._score(query, weights, None, narrow=narrow)
        for share in _EXPECTED_SHARES if query.limit <= _LONG_LIST else ():
            guess = share * max_score(weights)
            hits = self._score(query, weights, score_condition(weights, guess), narrow=narrow)
            if len(hits) == query.limit:
                last = hits[-1].score
                if last >= guess:
                    return hits
                return self._score(query, weights, score_condition(weights, last), narrow=narrow)
        return self._score(query, weights, any_of(weights), narrow=narrow)

    def _lists_to_read(self, wanted: PointFilter) -> int:
        """Return how many of the index's lists to read; 0 for exact comparison."""
        if not self._lists:
            return 0
        points = self._points(wanted)
        if points <= max(self._exact_points, min(_EXACT_SHARE * self._size, _MOST_EXACT_POINTS)):
            return 0
        others = max(1.0, self._size / points)
        return min(self._lists, ceil(_LISTS_READ * sqrt(self._lists * others)))

    def _points(self, wanted: PointFilter) -> float:
        """Return the planner's estimate of matching points: counting is as slow as comparing."""
        if self._size <= self._exact_points:
            return self._size
        if wanted not in self._estimates:
            statement = statements.estimate(self._embedder, statements.allowed(wanted, narrow=True))
            [([plan],)] = self._connection.execute(statement, self._parameters(wanted, 0))
            self._estimates[wanted] = plan["Plan"]["Plan Rows"]
        return self._estimates[wanted]

    def _score(
        self, query: HybridQuery, weights: TermWeights, holding: str | None, *, narrow: bool
    ) -> list[Hit]:
        """Return the best points that match the tsquery `holding`; None: of all in the scope."""
        allowed = statements.allowed(query.filter, narrow=narrow)
        return self._hits(
            statements.lexical(self._embedder, allowed, by_index=holding is not None),
            {
                **self._parameters(query.filter, query.limit),
                "terms": statements.terms_text(weights),
                "term_ids": [term for term, _ in weights],
                "holding": holding,
            },
        )

    def _hits(self, statement: sql.Composed, parameters: dict[str, Any]) -> list[Hit]:
        return [Hit(*row) for row in self._connection.execute(statement, parameters)]

    def _parameters(self, wanted: PointFilter, limit: int) -> dict[str, object]:
        return {**self._allowed, **statements.filter_parameters(wanted), "limit": limit}
