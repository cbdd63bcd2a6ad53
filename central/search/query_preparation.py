"""The query as the stores need it: terms weighed by document frequencies, and vectors."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from math import log
from typing import Final

import numpy as np
import structlog
from django.conf import settings
from django.core.cache import caches
from django.db.models import Sum

from central.circuit import Circuit, CircuitOpenError
from central.corpus.backends import embedder
from central.corpus.embeddings import unpack_term_ids
from central.corpus.models import TermStat
from central.observability.metrics import EMBEDDER_REQUESTS
from central.repositories.visibility import RepositoryInSight
from central.search.query import Mode, ParsedQuery, parse_query
from indexer.embedding.catalogue import REMOTE
from indexer.errors import EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec, TermVector, Vector

_log = structlog.get_logger(__name__)

_FAILURES: Final = 2  # in a row
_PAUSE_SECONDS: Final = 5.0
_VIEWS = 64  # sets of repositories that are remembered
_TERMS = 50_000  # terms remembered of each

_View = tuple[tuple[int, int], ...]
_lock = threading.Lock()
_views: OrderedDict[_View, dict[int, int]] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Asked:
    """One query, prepared: its vector under each embedder, its terms and how rare they are."""

    parsed: ParsedQuery
    vectors: Mapping[EmbedderSpec, Vector]
    terms: TermVector | None
    rarity: Mapping[int, float]

    @property
    def importance(self) -> list[float] | None:
        """How rare each word is; one that never occurs as written counts as the rarest does."""
        if not self.rarity:
            return None
        rarest = max(self.rarity.values())
        return [self.rarity.get(term, rarest) for term in self.parsed.word_terms]

    def coverage(self, term_ids: Sequence[bytes]) -> list[float]:
        """The share of the query's terms, weighed by rarity, that each chunk holds."""
        if self.terms is None or not term_ids:
            return [0.0] * len(term_ids)
        asked, weights = self.terms.ids, self.terms.weights
        held = unpack_term_ids(b"".join(term_ids))
        owners = np.repeat(
            np.arange(len(term_ids)), [len(ids) // held.itemsize for ids in term_ids]
        )
        places = np.minimum(asked.searchsorted(held), len(asked) - 1)
        found = asked[places] == held
        sums = np.bincount(owners[found], weights[places[found]], minlength=len(term_ids))
        shares: list[float] = (sums / weights.sum()).tolist()
        return shares

    def words_in(self, term_ids: bytes) -> list[str]:
        """The query's words that occur in the chunk, as written in the query."""
        ids = set(unpack_term_ids(term_ids).tolist())
        return list(dict.fromkeys(word for word, term in self.parsed.whole_terms if term in ids))


def document_frequencies(
    repositories: Sequence[RepositoryInSight], terms: Iterable[int]
) -> dict[int, int]:
    """In how many chunks of `repositories` each term occurs; 0 where it occurs in none."""
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
        # Another thread may have cleared what was known before: answer from both.
        fresh = {term: found.get(term, 0) for term in unknown}
        answer = {term: known.get(term, 0) for term in wanted - unknown} | fresh
        known.update(fresh)
        return answer
    return {term: known.get(term, 0) for term in wanted}


def _view(key: _View) -> dict[int, int]:
    with _lock:
        known = _views.setdefault(key, {})
        _views.move_to_end(key)
        while len(_views) > _VIEWS:
            _views.popitem(last=False)
        return known


def prepare(
    texts: Sequence[str],
    *,
    mode: Mode,
    embedders: Sequence[EmbedderSpec],
    organization: str,
    sight: Sequence[RepositoryInSight],
) -> tuple[list[Asked], set[EmbedderSpec]]:
    """Queries, and the embedders that could not be asked: their repositories lack similarity.

    `organization` is the credential's, `sight` every repository that it sees: their statistics
    weigh the terms. Raises EmbedderUnavailableError if a semantic search is left with no embedder.
    """
    vectors, away = _embed(texts, embedders, organization)
    if mode is Mode.SEMANTIC and embedders and len(away) == len(embedders):
        message = f"No embedder answers of {', '.join(sorted(map(str, away)))}."
        raise EmbedderUnavailableError(message)
    parsed = [parse_query(text) for text in texts]
    if mode in (Mode.SEMANTIC, Mode.SYMBOL):
        return [Asked(*pair, None, {}) for pair in zip(parsed, vectors, strict=True)], away
    rarities = _rarities(parsed, sight)
    asked = [
        Asked(query, of_query, query_vector(query.terms, rarity), rarity)
        for query, of_query, rarity in zip(parsed, vectors, rarities, strict=True)
    ]
    return asked, away


def _embed(
    texts: Sequence[str], embedders: Sequence[EmbedderSpec], organization: str
) -> tuple[list[dict[EmbedderSpec, Vector]], set[EmbedderSpec]]:
    """For each text its vectors; one call per embedder. Texts without direction have none."""
    vectors: list[dict[EmbedderSpec, Vector]] = [{} for _ in texts]
    away: set[EmbedderSpec] = set()
    ask = partial(_asked, texts=texts, organization=organization)
    for spec, given in zip(embedders, _at_once(ask, embedders), strict=True):
        if given is None:
            away.add(spec)
            continue
        for of_text, vector in zip(vectors, given, strict=True):
            if vector.any():
                of_text[spec] = vector
    return vectors, away


def _asked(
    spec: EmbedderSpec, *, texts: Sequence[str], organization: str
) -> Sequence[Vector] | None:
    """A vector for each text; None: the embedder is away."""
    try:
        return query_vectors(spec, texts, organization=organization)
    except EmbeddingError as exc:
        _log.warning("embedder_unavailable", embedder=str(spec), error=str(exc))
        return None


def _at_once(
    ask: Callable[[EmbedderSpec], Sequence[Vector] | None], embedders: Sequence[EmbedderSpec]
) -> list[Sequence[Vector] | None]:
    """What each answers; a search waits for the slowest, not for the sum.

    There are several while an organisation changes its embedder.
    """
    if len(embedders) < 2:
        return list(map(ask, embedders))
    with ThreadPoolExecutor(len(embedders)) as threads:
        return list(threads.map(ask, embedders))


def _rarities(
    parsed: Sequence[ParsedQuery], sight: Sequence[RepositoryInSight]
) -> list[dict[int, float]]:
    """Each query's inverse frequencies: what a query finds does not hang on its neighbours."""
    frequencies = document_frequencies(sight, {term for query in parsed for term in query.terms})
    chunks = sum(repository.chunks for repository in sight)
    return [
        inverse_frequencies({term: frequencies[term] for term in query.terms}, chunks=chunks)
        for query in parsed
    ]


# A term in more than this share of all chunks says nothing where a rarer one is asked for too; its
# posting list is what a lexical search spends its time on.
COMMON_SHARE = 0.25


def inverse_frequencies(frequencies: Mapping[int, int], *, chunks: int) -> dict[int, float]:
    """ln(1 + (N - df + 0.5) / (df + 0.5)) of each term that occurs (BM25's, never negative).

    Terms in more than COMMON_SHARE of the chunks are left out if a rarer one is there.
    """
    occurring = {term: df for term, df in frequencies.items() if df > 0}
    rare = {term: df for term, df in occurring.items() if df <= COMMON_SHARE * chunks}
    return {
        term: log(1.0 + (max(chunks - df, 0) + 0.5) / (df + 0.5))
        for term, df in (rare or occurring).items()
    }


def query_vector(counts: Mapping[int, int], inverse: Mapping[int, float]) -> TermVector | None:
    """The query's side of BM25, or None where none of its terms occurs."""
    weights = sorted((term, inverse[term] * n) for term, n in counts.items() if term in inverse)
    if not weights:
        return None
    return TermVector(
        ids=np.array([term for term, _ in weights], dtype=np.uint32),
        weights=np.array([weight for _, weight in weights], dtype=np.float32),
    )


def query_vectors(
    spec: EmbedderSpec, texts: Sequence[str], *, organization: str
) -> Sequence[Vector]:
    """A vector for each of `texts`, in one request at most; zero where nothing is known of it.

    `organization` is whose queries they are: what another asked is not known. Raises
    EmbeddingError.
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
        with _circuit(spec, settings.EMBEDDER_ACCESS).attempt(EmbeddingError):
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
    del access  # another service has a circuit of its own

    def changed(is_open: bool) -> None:
        _log.warning("embedder_left_alone" if is_open else "embedder_is_back", embedder=str(spec))

    return Circuit(threshold=_FAILURES, pause_seconds=_PAUSE_SECONDS, changed=changed)


def _key(organization: str, spec: EmbedderSpec, text: str) -> str:
    """Hashed: queries are of any length, and are nobody's to read in a cache."""
    return sha256("\0".join((organization, str(spec), text)).encode(errors="replace")).hexdigest()
