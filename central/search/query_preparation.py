"""The query as the stores need it: terms weighed by document frequencies, and vectors."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import structlog
from django.db.models import Sum

from central.corpus.models import TermStat
from central.repositories.visibility import RepositorySnapshot
from central.search.query import Mode, ParsedQuery, parse_query
from central.search.query_embedding import query_vectors
from central.search.ranking.fusion import inverse_frequencies, query_vector
from central.search.retrieval import Asked
from indexer.errors import EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import EmbedderSpec, Vector

_VIEWS = 64  # sets of repositories that are remembered
_TERMS = 50_000  # terms remembered of each

_View = tuple[tuple[int, int], ...]
_lock = threading.Lock()
_views: OrderedDict[_View, dict[int, int]] = OrderedDict()


def document_frequencies(
    repositories: Sequence[RepositorySnapshot], terms: Iterable[int]
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


_log = structlog.get_logger(__name__)


def prepare(
    texts: Sequence[str],
    *,
    mode: Mode,
    embedders: Sequence[EmbedderSpec],
    organization: str,
    sight: Sequence[RepositorySnapshot],
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
    parsed: Sequence[ParsedQuery], sight: Sequence[RepositorySnapshot]
) -> list[dict[int, float]]:
    """Each query's inverse frequencies: what a query finds does not hang on its neighbours."""
    frequencies = document_frequencies(sight, {term for query in parsed for term in query.terms})
    chunks = sum(repository.chunks for repository in sight)
    return [
        inverse_frequencies({term: frequencies[term] for term in query.terms}, chunks=chunks)
        for query in parsed
    ]
