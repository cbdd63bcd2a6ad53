"""The query as the stores need it: terms weighted by idf, and vectors.

Vectors of network embedders are cached. While such an embedder is unavailable, a circuit breaker
skips it, so that only a search or two wait for it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from hashlib import sha256
from math import log
from typing import Final

import numpy as np
import structlog
from django.conf import settings
from django.core.cache import caches
from django.db.models import Sum

from aeterna_code_search.contract.search import Mode
from central.circuit import Circuit, CircuitOpenError
from central.corpus.backends import embedder
from central.corpus.branches.tables import IN_OTHERS
from central.corpus.embeddings import unpack_term_ids
from central.corpus.models import Chunk, TermStat
from central.db import fetch_rows, id_array, sql
from central.observability.metrics import EMBEDDER_REQUESTS
from central.repositories.visibility import RepositorySnapshot
from central.search.query import ParsedQuery, parse_query
from indexer.embedding.catalogue import REMOTE
from indexer.errors import EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec, TermVector, Vector

_log = structlog.get_logger(__name__)

_FAILURES: Final = 2  # in a row
_PAUSE_SECONDS: Final = 5.0
_VIEWS = 64  # cached sets of repositories
_TERMS = 50_000  # cached terms of each

# In what only other branches have: `terms` begin with packed numbers.
_TERMS_OF_OTHERS: Final = sql(
    """SELECT asked.term, count(*) FROM unnest(%b::bytea[]) AS asked(term)
    JOIN {others}{chunk} c
        ON position(asked.term IN substr(c.terms, 1, length(c.terms) / 2)) %% 4 = 1
    WHERE c.repository_id = ANY(%s::bigint[]) GROUP BY asked.term""",
    others=IN_OTHERS,
    chunk=Chunk,
)

_View = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """One query, prepared: its vector under each embedder, its terms and their idf.

    `known` is the share of the terms, weighted by idf, that occur in any chunk.
    """

    parsed: ParsedQuery
    vectors: Mapping[EmbedderSpec, Vector]
    terms: TermVector | None
    idf: Mapping[int, float]
    known: float = 1.0

    @property
    def importance(self) -> list[float] | None:
        """Return the idf of each word; a word that never occurs as written gets the highest."""
        if not self.idf:
            return None
        rarest = max(self.idf.values())
        return [self.idf.get(term, rarest) for term in self.parsed.word_terms]

    def coverage(self, term_ids: Sequence[bytes]) -> list[float]:
        """Return the share of the query's terms, weighted by idf, that each chunk contains."""
        if self.terms is None or not term_ids:
            return [0.0] * len(term_ids)
        own, weights = self.terms.ids, self.terms.weights
        held = unpack_term_ids(b"".join(term_ids))
        owners = np.repeat(
            np.arange(len(term_ids)), [len(ids) // held.itemsize for ids in term_ids]
        )
        places = np.minimum(own.searchsorted(held), len(own) - 1)
        found = own[places] == held
        once = np.unique(owners[found] * len(own) + places[found])
        sums = np.bincount(once // len(own), weights[once % len(own)], minlength=len(term_ids))
        shares: list[float] = (sums / weights.sum()).tolist()
        return shares

    def matched_words(self, term_ids: bytes) -> list[str]:
        """Return the query's words that occur in the chunk, as written in the query."""
        ids = set(unpack_term_ids(term_ids).tolist())
        return list(dict.fromkeys(word for word, term in self.parsed.whole_terms if term in ids))


def document_frequencies(
    repositories: Sequence[RepositorySnapshot],
    terms: Iterable[int],
    *,
    others: Collection[int] = (),
) -> dict[int, int]:
    """Return in how many chunks of `repositories` each term occurs, 0 included.

    The statistics are of default branches; of `others`, which are read by other branches, terms
    that occur nowhere else are counted in what these have alone.
    """
    known = _view(tuple((repository.id, repository.generation) for repository in repositories))
    wanted = set(terms)
    unknown = wanted.difference(known)
    if unknown:
        found = dict(
            TermStat.objects.filter(
                repository__in=[repository.id for repository in repositories], term__in=unknown
            )
            .values_list("term")
            .annotate(Sum("chunks"))
        )
        if len(known) > _TERMS:
            known.clear()
        absent = [term for term in unknown if term not in found]
        if others and absent:
            found |= _frequencies_of_others(absent, others)
        # Another thread may have cleared `known` meanwhile: answer from both.
        fresh = {term: found.get(term, 0) for term in unknown}
        answer = {term: known.get(term, 0) for term in wanted - unknown} | fresh
        known.update(fresh)
        return answer
    return {term: known.get(term, 0) for term in wanted}


def _frequencies_of_others(terms: Iterable[int], repositories: Collection[int]) -> dict[int, int]:
    packed = [term.to_bytes(4, "little") for term in terms]
    rows = fetch_rows(_TERMS_OF_OTHERS, [packed, id_array(repositories)])
    return {int.from_bytes(term, "little"): count for term, count in rows}


@lru_cache(maxsize=_VIEWS)
def _view(_key: _View) -> dict[int, int]:
    """Return the known frequencies of a set of repositories, to which others are added."""
    return {}


def prepare(
    texts: Sequence[str],
    *,
    mode: Mode,
    embedders: Sequence[EmbedderSpec],
    organization: str,
    visible: Sequence[RepositorySnapshot],
    others: Collection[int] = (),
) -> tuple[list[PreparedQuery], set[EmbedderSpec]]:
    """Return the prepared queries and the unavailable embedders.

    `organization` is the credential's. `visible` are all repositories visible to it: their
    statistics weight the terms; `others` of them are read by other branches. Raises
    EmbedderUnavailableError if a semantic search has no embedder left.
    """
    vectors, unavailable = _embed(texts, embedders, organization)
    if mode is Mode.SEMANTIC and embedders and len(unavailable) == len(embedders):
        message = f"No embedder answers of {', '.join(sorted(map(str, unavailable)))}."
        raise EmbedderUnavailableError(message)
    parsed = [parse_query(text) for text in texts]
    has_terms = mode in (Mode.HYBRID, Mode.LEXICAL)
    idfs = _idf_by_query(parsed, visible, others) if has_terms else [({}, 1.0) for _ in parsed]
    prepared = [
        PreparedQuery(query, of_query, query_vector(query.terms, idf), idf, known)
        for query, of_query, (idf, known) in zip(parsed, vectors, idfs, strict=True)
    ]
    return prepared, unavailable


def _embed(
    texts: Sequence[str], embedders: Sequence[EmbedderSpec], organization: str
) -> tuple[list[dict[EmbedderSpec, Vector]], set[EmbedderSpec]]:
    """Embed every text, with one call per embedder; zero vectors are left out."""
    vectors: list[dict[EmbedderSpec, Vector]] = [{} for _ in texts]
    unavailable: set[EmbedderSpec] = set()
    embed = partial(_try_embedder, texts=texts, organization=organization)
    for spec, given in zip(embedders, _in_parallel(embed, embedders), strict=True):
        if given is None:
            unavailable.add(spec)
            continue
        for of_text, vector in zip(vectors, given, strict=True):
            if vector.any():
                of_text[spec] = vector
    return vectors, unavailable


def _try_embedder(
    spec: EmbedderSpec, *, texts: Sequence[str], organization: str
) -> Sequence[Vector] | None:
    """Return a vector for each text, or None if the embedder is unavailable."""
    try:
        return query_vectors(spec, texts, organization=organization)
    except EmbeddingError as exc:
        _log.warning("embedder_unavailable", embedder=str(spec), error=str(exc))
        return None


def _in_parallel(
    embed: Callable[[EmbedderSpec], Sequence[Vector] | None], embedders: Sequence[EmbedderSpec]
) -> list[Sequence[Vector] | None]:
    """Call `embed` for all embedders at the same time: a search waits for the slowest only.

    There are several embedders while an organisation changes its embedder.
    """
    if len(embedders) < 2:
        return list(map(embed, embedders))
    with ThreadPoolExecutor(len(embedders)) as threads:
        return list(threads.map(embed, embedders))


def _idf_by_query(
    parsed: Sequence[ParsedQuery],
    visible: Sequence[RepositorySnapshot],
    others: Collection[int],
) -> list[tuple[dict[int, float], float]]:
    """Return the idf weights of each query and the known share, independent of other queries."""
    terms = {term for query in parsed for term in query.terms}
    frequencies = document_frequencies(visible, terms, others=others)
    chunks = sum(repository.chunks for repository in visible)
    own = [{term: frequencies[term] for term in query.terms} for query in parsed]
    idfs = [idf_weights(counts, chunks=chunks) for counts in own]
    return [(idf, known_share(counts, idf)) for counts, idf in zip(own, idfs, strict=True)]


# A term in more than this share of all chunks is ignored if the query has a rarer one: reading its
# posting list would take most of the time of a lexical search.
COMMON_SHARE = 0.25


def idf_weights(frequencies: Mapping[int, int], *, chunks: int) -> dict[int, float]:
    """Return BM25's ln(1 + (N - df + 0.5) / (df + 0.5)) of each term that occurs.

    Terms in more than COMMON_SHARE of the chunks are omitted if there is a rarer one.
    """
    occurring = {term: df for term, df in frequencies.items() if df > 0}
    rare = {term: df for term, df in occurring.items() if df <= COMMON_SHARE * chunks}
    return {
        term: log(1.0 + (max(chunks - df, 0) + 0.5) / (df + 0.5))
        for term, df in (rare or occurring).items()
    }


def known_share(frequencies: Mapping[int, int], idf: Mapping[int, float]) -> float:
    """Return the share of the terms that occur; one that does not weighs as much as the rarest."""
    absent = sum(df == 0 for df in frequencies.values())
    weight = sum(idf.values())
    return weight / (weight + absent * max(idf.values())) if weight else 0.0


def query_vector(counts: Mapping[int, int], idf: Mapping[int, float]) -> TermVector | None:
    """Return the query's side of BM25, or None if none of its terms occurs."""
    weights = sorted((term, idf[term] * n) for term, n in counts.items() if term in idf)
    if not weights:
        return None
    return TermVector(
        ids=np.array([term for term, _ in weights], dtype=np.uint32),
        weights=np.array([weight for _, weight in weights], dtype=np.float32),
    )


def query_vectors(
    spec: EmbedderSpec, texts: Sequence[str], *, organization: str
) -> Sequence[Vector]:
    """Return a vector for each of `texts`, with one request at most; zero if it has no known word.

    Cached vectors are separate for each `organization`. Raises EmbeddingError.
    """
    if spec.provider not in REMOTE:
        return list(embedder(spec).embed_queries(texts))
    keys = {text: _key(organization, spec, text) for text in texts}
    known = caches["queries"].get_many(keys.values())
    missing = [text for text, key in keys.items() if key not in known]
    if missing:
        fresh = {
            keys[text]: vector.tobytes()
            for text, vector in zip(missing, _request(spec, missing), strict=True)
        }
        caches["queries"].set_many(fresh)
        known |= fresh
    return [np.frombuffer(known[keys[text]], dtype=np.float32) for text in texts]


def _request(spec: EmbedderSpec, texts: Sequence[str]) -> Sequence[Vector]:
    outcome = "failed"
    try:
        with _circuit(spec, settings.EMBEDDER_ACCESS).guard(EmbeddingError):
            vectors = list(embedder(spec).embed_queries(texts))
        outcome = "answered"
    except CircuitOpenError as exc:
        outcome = "left_alone"
        message = f"{spec} failed a moment ago and is asked again in {exc.retry_seconds:.0f} s"
        raise EmbedderUnavailableError(message) from exc
    finally:
        EMBEDDER_REQUESTS.labels(spec.provider, outcome).inc()
    return vectors


@cache
def _circuit(spec: EmbedderSpec, access: EmbedderConfig) -> Circuit:
    del access  # part of the cache key: another service has its own circuit

    def changed(is_open: bool) -> None:
        _log.warning("embedder_left_alone" if is_open else "embedder_is_back", embedder=str(spec))

    return Circuit(threshold=_FAILURES, pause_seconds=_PAUSE_SECONDS, changed=changed)


def _key(organization: str, spec: EmbedderSpec, text: str) -> str:
    """Return a hash: queries have any length, and a cache must not disclose them."""
    return sha256("\0".join((organization, str(spec), text)).encode(errors="replace")).hexdigest()
