"""SQL statements of the pgvector store."""

import struct
from collections.abc import Sequence

import numpy as np
from psycopg import sql

from indexer.records.vectors import EmbedderSpec, TermVector, Vector
from indexer.store.base import Collection, Point, PointFilter
from indexer.store.pgvector.tables import COLUMNS, TERM_DIMENSIONS, TERM_IDS, table
from indexer.store.schema import MAX_TERM_WEIGHT, normalized_prefix, path_prefixes

TermWeights = Sequence[tuple[int, float]]

# So many terms, the heaviest, are told apart; a condition of more takes longer than it saves.
_TOLD_APART = 10
_ROUNDING = 0.999  # scores are sums of float32


def by_weight(terms: TermVector) -> TermWeights:
    """A query's (term id, weight), the heaviest first."""
    pairs = zip(terms.ids.tolist(), terms.weights.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def most(weights: TermWeights) -> float:
    """What no point's score is above."""
    return MAX_TERM_WEIGHT * sum(weight for _, weight in weights)


def any_of(weights: TermWeights) -> str:
    """A tsquery for the points that hold any of the terms."""
    return "|".join(str(term) for term, _ in weights)


def score_condition(weights: TermWeights, score: float) -> str:
    """A tsquery for the points that could reach `score`, and few others.

    `weights` as `by_weight` gives them. The lighter terms that are not told apart count as held by
    every point.
    """
    heavy, light = weights[:_TOLD_APART], weights[_TOLD_APART:]
    needed = _ROUNDING * score / MAX_TERM_WEIGHT - sum(weight for _, weight in light)
    if needed <= 0:
        return any_of(weights)
    return _holding(heavy, needed)


def _holding(weights: TermWeights, needed: float) -> str:
    """Terms whose weights are `needed` together: with the heaviest and the rest of it, or without.

    Empty where all together are not enough.
    """
    if sum(weight for _, weight in weights) < needed:
        return ""
    (term, weight), rest = weights[0], weights[1:]
    alone = weight >= needed
    with_it = str(term) if alone else f"{term}&({_holding(rest, needed - weight)})"
    without = _holding(rest, needed)
    return f"{with_it}|{without}" if without else with_it


# Types of COLUMNS in a binary COPY, which carries no types: pgvector's are handed over as bytes.
COPY_TYPES = (
    *("text", "uuid", "int8", "uuid", "text", "text", "text[]"),
    *("bytea", "int4[]", "bytea"),
)
COPY = f"COPY staged ({COLUMNS}) FROM STDIN (FORMAT BINARY)"

_STAGE = "CREATE TEMPORARY TABLE staged (LIKE {table}) ON COMMIT DROP"
_MERGE = f"""
INSERT INTO {{table}} ({COLUMNS}) SELECT DISTINCT ON (id) {COLUMNS} FROM staged
ON CONFLICT (organization, id) DO UPDATE SET ({COLUMNS}) = ROW (EXCLUDED.*)
"""  # noqa: S608 - constants
_ESTIMATE = "EXPLAIN (FORMAT JSON) SELECT FROM {table} WHERE {allowed}"
_DENSE = """
SELECT id, -(vector <#> %(vector)s::halfvec) FROM {table} WHERE {allowed}
ORDER BY {distance} LIMIT %(limit)s
"""
_LEXICAL = """
SELECT id, -(terms <#> %(terms)s::sparsevec) AS score FROM {table}
WHERE {allowed} AND {holding} ORDER BY score DESC, id LIMIT %(limit)s
"""
_HOLDING = f"{TERM_IDS} @@ %(holding)s::tsquery"
_HOLDING_ANY = "term_ids && %(term_ids)s::int[]"
_OWN = (
    "organization = %(organization)s AND repository = %(repository)s "
    "AND (%(ids)s::uuid[] IS NULL OR id = ANY(%(ids)s))"
)


def stage_sql(embedder: EmbedderSpec) -> sql.Composed:
    """A temporary table like the embedder's, gone at commit."""
    return sql.SQL(_STAGE).format(table=table(embedder))


def merge_sql(embedder: EmbedderSpec) -> sql.Composed:
    """Insert or replace what was staged; of an id that was staged twice, either."""
    return sql.SQL(_MERGE).format(table=table(embedder))


def allowed(wanted: PointFilter, *, narrow: bool) -> sql.SQL:
    """What may be found; `narrow`: so little that asking the index of repositories pays."""
    repository = "repository" if narrow else "repository + 0"
    conditions = [f"organization = %(organization)s AND {repository} = ANY(%(repositories)s)"]
    if wanted.languages:
        conditions.append("language = ANY(%(languages)s)")
    if wanted.types:
        conditions.append("type = ANY(%(types)s)")
    if normalized_prefix(wanted.path):
        conditions.append("dirs @> %(prefix)s")
    if wanted.files:
        conditions.append("dirs && %(files)s::text[]")
    return sql.SQL(" AND ".join(conditions))


def estimate(embedder: EmbedderSpec, allowed: sql.SQL) -> sql.Composed:
    """The planner's estimate (EXPLAIN's document) of how many points may be found."""
    return sql.SQL(_ESTIMATE).format(table=table(embedder), allowed=allowed)


def dense(embedder: EmbedderSpec, allowed: sql.SQL, *, exact: bool) -> sql.Composed:
    """(id, cosine) of the nearest points: vectors are of unit length or zero."""
    distance = "vector <#> %(vector)s::halfvec"
    if exact:
        distance = f"({distance}) + 0"  # an expression that the index does not know
    return sql.SQL(_DENSE).format(
        table=table(embedder), allowed=allowed, distance=sql.SQL(distance)
    )


def lexical(embedder: EmbedderSpec, allowed: sql.SQL, *, by_index: bool) -> sql.Composed:
    """(id, weighted term sum) of the best points: by the tsquery %(holding)s, or one by one."""
    holding = sql.SQL(_HOLDING if by_index else _HOLDING_ANY)
    return sql.SQL(_LEXICAL).format(table=table(embedder), allowed=allowed, holding=holding)


def select(what: str, embedder: EmbedderSpec) -> sql.Composed:
    """`what` of a repository's points that are among %(ids)s, or of all where that is null."""
    statement = f"SELECT {what} FROM {{table}} WHERE {_OWN}"  # noqa: S608 - constants
    return sql.SQL(statement).format(table=table(embedder))


def delete(embedder: EmbedderSpec) -> sql.Composed:
    """Remove a repository's points that are among %(ids)s, or all where that is null."""
    statement = f"DELETE FROM {{table}} WHERE {_OWN}"  # noqa: S608 - constants
    return sql.SQL(statement).format(table=table(embedder))


def row(collection: Collection, point: Point) -> tuple[object, ...]:
    """A point as COPY takes it."""
    return (
        *(collection.organization, point.id, collection.repository, point.run),
        *(point.language, point.type, path_prefixes(point.path)),
        *(_halfvec(point.vector), point.terms.ids.tolist(), _sparsevec(point.terms)),
    )


def vector_text(vector: Vector) -> str:
    """A query's vector as halfvec reads it."""
    return str(vector.tolist())


def terms_text(weights: TermWeights) -> str:
    """A query's terms as sparsevec reads them."""
    pairs = ",".join(f"{term}:{weight}" for term, weight in sorted(weights))
    return f"{{{pairs}}}/{TERM_DIMENSIONS}"


def filter_parameters(wanted: PointFilter) -> dict[str, object]:
    """The parameters that `estimate`, `dense` and `lexical` name for the filter."""
    return {
        "languages": list(wanted.languages),
        "types": list(wanted.types),
        "prefix": [normalized_prefix(wanted.path)],
        "files": list(wanted.files),
    }


def _halfvec(vector: Vector) -> bytes:
    # halfvec_recv: dimensions and an unused word as int16, then float16, all big-endian.
    return struct.pack(">hh", len(vector), 0) + vector.astype(">f2").tobytes()


def _sparsevec(terms: TermVector) -> bytes:
    # sparsevec_recv: dimensions, count, unused as int32, then indices from 0, then float32 values;
    # a zero value is refused.
    kept = terms.weights != 0
    head = struct.pack(">iii", TERM_DIMENSIONS, int(kept.sum()), 0)
    indices: bytes = (terms.ids[kept] - np.uint32(1)).astype(">i4").tobytes()
    values: bytes = terms.weights[kept].astype(">f4").tobytes()
    return head + indices + values
