"""Document frequencies over the repositories that a credential sees.

Kept per set of (repository, generation): an apply moves a generation, so nothing here is ever
stale, and one tenant's statistics never shape another's answers.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from django.db.models import Sum

from central.corpus.models import TermStat
from central.repositories.sight import RepositoryInSight

_VIEWS = 64  # sets of repositories that are remembered
_TERMS = 50_000  # terms remembered of each

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


def _view(key: _View) -> dict[int, int]:
    with _lock:
        known = _views.setdefault(key, {})
        _views.move_to_end(key)
        while len(_views) > _VIEWS:
            _views.popitem(last=False)
        return known
