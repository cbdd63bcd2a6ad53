"""Which repositories the follower has still to compare, and which stored edges are current."""

from collections.abc import Collection
from functools import cache
from typing import Final, NamedTuple

from central.db import fetch_rows, id_array, sql_with
from central.repositories.models import Repository
from central.tenancy.models import Organization
from central.trace.resolve.library_models import library_models
from central.trace.stored.models import FollowedRepository, Source
from central.trace.stored.recording import number

EDGES_LIVE_FILES: Final = 5_000  # of which an answer resolves the references beside stored edges
_RULES: Final = 4  # raise it whenever a rule of resolution changes
_DIFFERS: Final = """r.retired_at IS NULL AND r.generation > 0
    AND (f.id IS NULL OR r.generation <> f.generation OR f.rules <> %s::bigint)"""
_sql = sql_with(
    differs=_DIFFERS,
    organization=Organization,
    repository=Repository,
    followed=FollowedRepository,
    source=Source,
)
# Also those that are gone.
_BEHIND: Final = _sql("""SELECT r.id FROM {repository} r
        LEFT JOIN {followed} f ON f.repository_id = r.id
    WHERE r.organization_id = %s::bigint AND {differs}
    UNION ALL
    SELECT f.repository_id FROM {followed} f
        LEFT JOIN {repository} r ON r.id = f.repository_id AND r.retired_at IS NULL
    WHERE f.organization_id = %s::bigint AND r.id IS NULL
    LIMIT 1""")
# The parameters: the digests of rules with and without models of libraries.
_WITH_WORK: Final = _sql("""SELECT o.id FROM {organization} o
    WHERE o.retired_at IS NULL AND (
        EXISTS (SELECT FROM {repository} r LEFT JOIN {followed} f ON f.repository_id = r.id
            WHERE r.organization_id = o.id AND r.retired_at IS NULL AND r.generation > 0
                AND (f.id IS NULL OR r.generation <> f.generation
                    OR f.rules <> CASE WHEN o.uses_models THEN %s::bigint ELSE %s::bigint END))
        OR EXISTS (SELECT FROM {followed} f
            LEFT JOIN {repository} r ON r.id = f.repository_id AND r.retired_at IS NULL
            WHERE f.organization_id = o.id AND r.id IS NULL)
        OR EXISTS (SELECT FROM {repository} r JOIN {source} s ON s.repository_id = r.id AND s.due
            WHERE r.organization_id = o.id))
    ORDER BY o.id""")
# Of a Source `s`: whether its edges are what resolution says, with the hidden repositories as a
# parameter. What was read in one of them could decide what a name of the file means. If they are
# cut, so is what resolution says; a trace resolves these to tell which limit was met.
CURRENT: Final = "NOT (s.due OR s.repositories && %s::bigint[])"
# Also those that are gone, until what depended on them is due.
_HIDDEN: Final = _sql("""SELECT f.repository_id FROM {followed} f
    WHERE f.organization_id = %s::bigint AND f.repository_id <> ALL(%s::bigint[])""")
# All other files and those that are cut, found by indexes, and whether they are due or cut. None:
# of a visible repository it is not known which; what is to be done for others is not told.
_LIVE: Final = _sql("""WITH seen AS MATERIALIZED (SELECT %s::bigint[] AS ids),
    hidden AS MATERIALIZED (
        SELECT coalesce(array_agg(f.repository_id), '{}') AS ids FROM {followed} f, seen
        WHERE f.organization_id = %s::bigint AND f.repository_id <> ALL(seen.ids))
    (SELECT NULL::bigint, true FROM {repository} r LEFT JOIN {followed} f ON f.repository_id = r.id
    WHERE r.id = ANY((SELECT ids FROM seen)::bigint[]) AND {differs} LIMIT 1)
    UNION ALL
    SELECT s.file_id, true FROM {source} s
    WHERE s.repository_id = ANY((SELECT ids FROM seen)::bigint[]) AND (s.due OR s.is_cut)
    UNION ALL
    SELECT s.file_id, false FROM {source} s
    WHERE s.repositories && (SELECT ids FROM hidden)::bigint[]
        AND s.repository_id = ANY((SELECT ids FROM seen)::bigint[]) AND NOT (s.due OR s.is_cut)
    LIMIT %s""")


class Live(NamedTuple):
    """The files whose stored edges are not what resolution says; None: that may be any file.

    `behind`: how many of them are so for every credential; None while the follower has still to
    compare a repository.
    """

    files: Collection[int] | None
    behind: int | None


ALL_LIVE: Final = Live(None, None)


@cache
def rules_digest(*, uses_models: bool) -> int:
    """Return a digest of the rules that resolve an organisation's references."""
    models = library_models().version if uses_models else ""
    return number("rules", f"{_RULES}:{models}")


def organizations_with_work() -> list[int]:
    """Return the keys of organisations with a repository to compare, or with due files."""
    rules = [rules_digest(uses_models=True), rules_digest(uses_models=False)]
    return [key for (key,) in fetch_rows(_WITH_WORK, rules)]


def behind(organization: Organization) -> int | None:
    """Return a repository that differs from what was followed, or None."""
    key = organization.pk
    rules = rules_digest(uses_models=organization.uses_models)
    rows = fetch_rows(_BEHIND, [key, rules, key])
    return rows[0][0] if rows else None


def live_files(organization: Organization, repositories: str) -> Live:
    """Return the files whose stored edges are not what resolution over these repositories says.

    All may be, until the follower has compared these repositories, or if the files are too many.
    """
    rules = rules_digest(uses_models=organization.uses_models)
    asked = [repositories, organization.pk, rules, EDGES_LIVE_FILES + 1]
    rows = fetch_rows(_LIVE, asked)
    if any(file is None for file, _ in rows):
        return ALL_LIVE
    files = frozenset(file for file, _ in rows) if len(rows) <= EDGES_LIVE_FILES else None
    return Live(files, sum(is_behind for _, is_behind in rows))


def hidden_repositories(organization: Organization, repositories: str) -> str:
    """Return the followed repositories of the organisation that are not among these."""
    return id_array(key for (key,) in fetch_rows(_HIDDEN, [organization.pk, repositories]))
