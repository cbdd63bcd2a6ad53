"""Lists of repositories: filters, pages and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When

from central.db import fetch_rows, sql_with
from central.errors import NotFoundError
from central.repositories.models import Repository
from central.repositories.states import IndexState, with_live_runs, with_states
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
class Wanted:
    """Which repositories: of one state, with `name` in their names; "" is any. Pages from 1."""

    state: IndexState | None = None
    name: str = ""
    is_worst_first: bool = False
    page: int = 1


@dataclass(frozen=True, slots=True)
class RepositoryPage:
    """`repositories` have `index_state` and `live_run`; `totals` count all by state."""

    repositories: list[Repository]
    totals: dict[IndexState, int]
    count: int
    page: int
    pages: int

    @property
    def previous(self) -> int:
        """The page before."""
        return self.page - 1

    @property
    def next(self) -> int:
        """The page behind."""
        return self.page + 1


def list_repositories(*, credential: Credential, wanted: Wanted) -> RepositoryPage:
    """A page of what the credential sees, by name; a page beyond the last is the last.

    Two queries. `totals` are of whatever has the name, `count` of what has the state too.
    """
    named = visible_repositories(credential=credential)
    if wanted.name:
        named = named.filter(name__icontains=wanted.name)
    stated = with_states(named)
    rows = stated.order_by().values_list("index_state").annotate(count=Count("pk"))
    found = {IndexState(state): count for state, count in rows}
    totals = {state: found.get(state, 0) for state in IndexState}
    count = sum(totals.values()) if wanted.state is None else totals[wanted.state]
    pages = max(1, -(-count // PAGE_SIZE))
    page = min(max(1, wanted.page), pages)
    return RepositoryPage(_page(stated, wanted, page), totals, count, page, pages)


def repository_in_sight(*, credential: Credential, project: str) -> Repository:
    """One that the credential sees, with `live_run`. Raises NotFoundError."""
    visible = with_live_runs(visible_repositories(credential=credential))
    found = None if "\0" in project else visible.filter(name=project).first()
    if found is None:
        raise NotFoundError(
            "There is no such repository for you; the list of repositories has all that you see.",
            code="repository_not_found",
        )
    return found


def _page(stated: QuerySet[Repository], wanted: Wanted, page: int) -> list[Repository]:
    if wanted.state is not None:
        stated = stated.filter(Q(index_state=wanted.state))
    if wanted.is_worst_first:
        ranks = [When(index_state=state, then=Value(n)) for n, state in enumerate(_WORST_FIRST)]
        stated = stated.order_by(Case(*ranks, output_field=IntegerField()), "name")
    else:
        stated = stated.order_by("name")
    first = (page - 1) * PAGE_SIZE
    return list(with_live_runs(stated)[first : first + PAGE_SIZE])


NAMED_PROJECTS = 200  # a list that is longer helps nobody choose

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
    """Of the repositories in sight: counts, the newest apply, names and languages to choose from.

    `projects` are the first NAMED_PROJECTS; `languages` have their number of files, most first.
    """

    repositories: int
    indexed: int
    indexed_at: datetime | None
    chunks: int
    projects: Sequence[str]
    languages: Mapping[str, int]


def facets(*, credential: Credential) -> Facets:
    """What the credential may search."""
    rows = fetch_rows(_FACETS, [*visible_parameters(credential=credential), NAMED_PROJECTS])
    return Facets(*rows[0])
