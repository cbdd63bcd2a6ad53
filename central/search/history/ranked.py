"""The commits that resemble a query's words: BM25 of messages, and the meaning of subjects."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeterna_code_search.contract.search import Mode
from central.corpus.backends import embedder
from central.corpus.embeddings import unpack_term_ids
from central.corpus.models import Commit
from central.db import fetch_rows, id_array, sql
from central.search.confidence import Evidence, Signal, match_of
from central.search.history.messages import Messages, kept_messages, read_messages
from central.search.history.ranking import Signals, rank
from central.search.history.scan import CommitSearch
from central.search.query import MAX_RESULTS, ParsedQuery, parse_query
from central.search.query_preparation import idf_weights, known_share
from indexer.embedding.catalogue import PACKAGED
from indexer.records.vectors import Vector

_ID: Final = re.compile(r"[0-9a-f]{7,64}")
_NAMED: Final = sql(
    "SELECT id FROM {commit} WHERE repository_id = ANY(%s::bigint[])"
    " AND sha >= %s AND sha < %s LIMIT %s",
    commit=Commit,
)
_COMPARED: Final = 400  # commits of each list, by words and by meaning, that are ranked together
_FIRST: Final = 10  # commits that decide how good the match is


class RankedCommit(NamedTuple):
    """A commit with its score, from 0 to 1; `cosine` is that of its subject, if it has one."""

    id: int
    repository: int
    score: float
    cosine: float | None
    coverage: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Commits, best first. `match`: how likely the first ones are what is asked for."""

    parsed: ParsedQuery
    commits: list[RankedCommit]
    match: float

    def matched(self, terms: bytes) -> list[str]:
        """Return the words of the query that a message with these packed terms has."""
        own = set(unpack_term_ids(terms[: len(terms) // 2]).tolist())
        return list(dict.fromkeys(word for word, term in self.parsed.whole_terms if term in own))


class _Question(NamedTuple):
    """A query as messages are compared with it; `idf` of its terms that occur."""

    parsed: ParsedQuery
    mode: Mode
    idf: Mapping[int, float]
    vector: "Vector | None"


def rank_commits(search: CommitSearch, *, wanted: int) -> Ranking:
    """Return the first commits, at most `wanted`, that resemble the query's words."""
    request = search.plan.exact.read.request
    messages = _messages(search)
    parsed = parse_query(request.queries[0])
    counts = {
        term: sum(len(own.holding(term)[0]) for own in messages.values()) for term in parsed.terms
    }
    idf = idf_weights(counts, chunks=sum(len(search.stored[key].ids) for key in messages))
    question = _Question(parsed, request.mode, idf, _vector(request.queries[0], request.mode))
    parts = [*_signals(search, question, messages)]
    if not parts:
        return Ranking(parsed, [], 0.0)
    found = _joined(parts)
    if named := _named(search, request.queries[0]):
        found = found.only(np.isin(found.ids, named))
        pairs = zip(found.ids.tolist(), found.repositories.tolist(), strict=True)
        return Ranking(parsed, [RankedCommit(*pair, 1.0, None, 1.0) for pair in pairs], 1.0)
    if request.min_similarity is not None:
        found = found.only(found.cosines >= request.min_similarity)
    found = found.only(_best(found.bm25) | _best(found.cosines))
    order, scores = rank(found, words=frozenset(request.queries[0].lower().split()))
    commits = [
        RankedCommit(
            int(found.ids[place]),
            int(found.repositories[place]),
            float(score),
            float(found.cosines[place]) or None,
            float(found.coverage[place]),
        )
        for place, score in zip(order[:wanted].tolist(), scores[:wanted].tolist(), strict=True)
    ]
    return Ranking(parsed, commits, _match(commits, known_share(counts, idf), request.mode))


def _named(search: CommitSearch, text: str) -> list[int]:
    """Return the commits whose id begins with the query, if that is how an id looks."""
    text = text.strip().lower()
    if not _ID.fullmatch(text):
        return []
    asked = [id_array(search.stored), text, f"{text}g", MAX_RESULTS]
    return [key for (key,) in fetch_rows(_NAMED, asked)]


def _messages(search: CommitSearch) -> dict[int, Messages]:
    """Return what ranks the commits of each repository, as far as time allows to read it."""
    found: dict[int, Messages] = {}
    for key, own in search.stored.items():
        kept = kept_messages(key, own)
        if kept is None and not search.is_late:
            kept = read_messages(key, own)
        if kept is None:
            search.reasons.setdefault(key, "timeout")
        else:
            found[key] = kept
    return found


def _vector(text: str, mode: Mode) -> "Vector | None":
    if mode is Mode.LEXICAL:
        return None
    [vector] = embedder(PACKAGED).embed_queries([text])
    return vector if vector.any() else None


def _signals(
    search: CommitSearch, question: _Question, messages: Mapping[int, Messages]
) -> Iterator[Signals]:
    """Yield the commits of each repository that the query admits."""
    plan = search.plan
    admitted: NDArray[np.int64] | None = None
    if plan.exact.reads_content or plan.reads_paths:
        admitted = np.array(sorted(hit.place.id for hit in search.hits()), np.int64)
    weight = sum(question.idf.values()) or 1.0
    for key, of_repository in messages.items():
        own = search.stored[key]
        kept = search.admitted(key, own)
        if admitted is not None:
            kept &= np.isin(own.ids, admitted)
        bm25 = np.zeros(len(own.ids), np.float32)
        coverage = np.zeros(len(own.ids), np.float32)
        for term, idf in question.idf.items() if question.mode is not Mode.SEMANTIC else ():
            places, weights = of_repository.holding(term)
            bm25[places] += weights * (idf * question.parsed.terms[term])
            coverage[places] += idf / weight
        cosines = np.zeros(len(own.ids), np.float32)
        if question.vector is not None:
            cosines = np.maximum(of_repository.cosines(question.vector), 0.0)
        yield Signals(
            own.ids,
            own.times,
            np.full(len(own.ids), key, np.int64),
            bm25,
            cosines,
            coverage,
            of_repository.is_merge,
            of_repository.is_revert,
        ).only(kept)


def _joined(parts: Sequence[Signals]) -> Signals:
    columns: list[Any] = [np.concatenate(own) for own in zip(*parts, strict=True)]
    return Signals(*columns)


def _best(values: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which are the highest, _COMPARED at least if so many are above 0."""
    if len(values) <= _COMPARED:
        return values > 0.0
    least = float(np.partition(values, -_COMPARED)[-_COMPARED])
    return np.logical_and(values >= least, values > 0.0)


def _match(commits: list[RankedCommit], known: float, mode: Mode) -> float:
    first = commits[:_FIRST]
    if not first:
        return match_of(Evidence(Signal.NOTHING))
    if mode is Mode.SEMANTIC:
        return match_of(Evidence(Signal.COSINE, max(commit.cosine or 0.0 for commit in first)))
    return match_of(Evidence(Signal.TERMS, known * max(commit.coverage for commit in first)))
