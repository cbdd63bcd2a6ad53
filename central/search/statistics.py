"""Document frequencies over the repositories that a credential sees, and what they make of terms.

Kept per set of (repository, generation): an apply moves a generation, so nothing here is ever
stale, and one tenant's statistics never shape another's answers.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from math import log

import numpy as np
from django.db.models import Sum

from central.corpus.models import TermStat
from central.repositories.sight import RepositoryInSight
from indexer.records import TermVector

_VIEWS = 64  # sets of repositories that are remembered
_TERMS = 50_000  # terms remembered of each

# A term in more than this share of all chunks says nothing where a rarer one is asked for too; its
# posting list is what a lexical search spends its time on.
COMMON_SHARE = 0.25

_View = tuple[tuple[int, int], ...]
_lock = threading.Lock()
_views: OrderedDict[_View, dict[int, int]] = OrderedDict()


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


def _view(key: _View) -> dict[int, int]:
    with _lock:
        known = _views.setdefault(key, {})
        _views.move_to_end(key)
        while len(_views) > _VIEWS:
            _views.popitem(last=False)
        return known
