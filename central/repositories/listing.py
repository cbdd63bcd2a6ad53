"""Lists of repositories: filters, pages and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from aeterna_code_search.contract.status import IndexState
from central.db import fetch_rows, sql_with
from central.errors import NotFoundError
from central.repositories.models import Repository
from central.repositories.states import with_live_runs, with_states
from central.repositories.visibility import VISIBLE, visible_parameters, visible_repositories
from central.tenancy.credentials import Credential

PAGE_SIZE = 100
_WORST_FIRST = (
    IndexState.FAILED,
    IndexState.BEHIND,
    IndexState.NEVER,
    IndexState.PAUSED,
    IndexState.INDEXING,
    IndexState.CURRENT,
)


@dataclass(frozen=True, slots=True)
class ListFilter:
    """A filter by state and by part of the name; "" is any name. Pages count from 1."""

    state: IndexState | None = None
    name: str = ""
    is_worst_first: bool = False
    page: int = 1


@dataclass(frozen=True, slots=True)
class RepositoryPage:
    """A page: `repositories` have `index_state` and `live_run`; `totals` count all by state."""

    repositories: list[Repository]
    totals: dict[IndexState, int]
    count: int
    page: int
    pages: int

    @property
    def previous(self) -> int:
        """Return the number of the previous page."""
        return self.page - 1

    @property
    def next(self) -> int:
        """Return the number of the next page."""
        return self.page + 1


def list_repositories(*, credential: Credential, list_filter: ListFilter) -> RepositoryPage:
    """Return a page of the visible repositories by name; a page beyond the last is the last.

    Two queries. `totals` count what matches the name, `count` what also matches the state.
    """
    named = visible_repositories(credential=credential)
    if list_filter.name:
        named = named.filter(name__icontains=list_filter.name)
    stated = with_states(named)
    rows = stated.order_by().values_list("index_state").annotate(count=Count("pk"))
    found = {IndexState(state): count for state, count in rows}
    totals = {state: found.get(state, 0) for state in IndexState}
    count = sum(totals.values()) if list_filter.state is None else totals[list_filter.state]
    pages = max(1, -(-count // PAGE_SIZE))
    page = min(max(1, list_filter.page), pages)
    return RepositoryPage(_page(stated, list_filter, page), totals, count, page, pages)


def visible_repository(*, credential: Credential, project: str) -> Repository:
    """Return a visible repository with `live_run`. Raises NotFoundError."""
    visible = with_live_runs(visible_repositories(credential=credential))
    found = None if "\0" in project else visible.filter(name=project).first()
    if found is None:
        raise NotFoundError(
            "There is no such repository for you; the list of repositories has all that you see.",
            code="repository_not_found",
        )
    return found


def _page(stated: QuerySet[Repository], list_filter: ListFilter, page: int) -> list[Repository]:
    if list_filter.state is not None:
        stated = stated.filter(Q(index_state=list_filter.state))
    if list_filter.is_worst_first:
        ranks = [When(index_state=state, then=Value(n)) for n, state in enumerate(_WORST_FIRST)]
        stated = stated.order_by(Case(*ranks, output_field=IntegerField()), "name")
    else:
        stated = stated.order_by("name")
    first = (page - 1) * PAGE_SIZE
    return list(with_live_runs(stated)[first : first + PAGE_SIZE])


NAMED_PROJECTS = 200  # a longer list does not help to choose

_sql = sql_with(visible=VISIBLE, repository=Repository)
_FACETS = _sql("""WITH seen AS (
        SELECT r.name, r.generation, r.indexed_at, r.chunks, r.languages
        FROM {repository} r WHERE {visible}
    )
    SELECT count(*), count(*) FILTER (WHERE generation > 0), max(indexed_at),
        coalesce(sum(chunks), 0)::bigint,
        (SELECT coalesce(array_agg(name ORDER BY name), '{}')
            FROM (SELECT name FROM seen ORDER BY name LIMIT %s) named),
        (SELECT coalesce(json_object_agg(key, files ORDER BY files DESC, key), '{}')
            FROM (SELECT key, sum(value::bigint)::bigint AS files
                FROM seen, jsonb_each_text(languages) GROUP BY key) counted)
    FROM seen""")


@dataclass(frozen=True, slots=True)
class Facets:
    """Of the visible repositories: counts, the newest apply, names and languages to choose from.

    `projects` are the first NAMED_PROJECTS; `languages` have their number of files, most first.
    """

    repositories: int
    indexed: int
    indexed_at: datetime | None
    chunks: int
    projects: Sequence[str]
    languages: Mapping[str, int]


def facets(*, credential: Credential) -> Facets:
    """Return what the credential may search."""
    rows = fetch_rows(_FACETS, [*visible_parameters(credential=credential), NAMED_PROJECTS])
    return Facets(*rows[0])
