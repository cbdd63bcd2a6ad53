"""Which repositories the follower has still to compare, and whether stored edges are current."""

from typing import Final

from central.db import fetch_rows, sql_with
from central.repositories.models import Repository
from central.tenancy.models import Organization
from central.trace.resolve.library_models import library_models
from central.trace.stored.models import FollowedRepository, Source
from central.trace.stored.recording import number

_RULES: Final = 1  # raise it whenever a rule of resolution changes
_sql = sql_with(repository=Repository, followed=FollowedRepository, source=Source)
# Also those that are gone.
_BEHIND: Final = _sql("""SELECT r.id FROM {repository} r
        LEFT JOIN {followed} f ON f.repository_id = r.id
    WHERE r.organization_id = %s::bigint AND r.retired_at IS NULL AND r.generation > 0
        AND (f.id IS NULL OR r.generation <> f.generation OR f.rules <> %s::bigint)
    UNION ALL
    SELECT f.repository_id FROM {followed} f
        LEFT JOIN {repository} r ON r.id = f.repository_id AND r.retired_at IS NULL
    WHERE f.organization_id = %s::bigint AND f.generation > 0 AND r.id IS NULL
    LIMIT 1""")
_DUE: Final = _sql("""SELECT FROM {repository} r JOIN {source} s ON s.repository_id = r.id AND s.due
    WHERE r.organization_id = %s::bigint LIMIT 1""")
_HIDDEN: Final = _sql("""SELECT FROM {repository} r
    WHERE r.organization_id = %s::bigint AND r.retired_at IS NULL AND r.generation > 0
        AND r.id <> ALL(%s::bigint[])
    LIMIT 1""")


def rules_digest(organization: Organization) -> int:
    """Return a digest of the rules that resolve the organisation's references."""
    models = library_models().version if organization.uses_models else ""
    return number("rules", f"{_RULES}:{models}")


def behind(organization: Organization) -> int | None:
    """Return a repository that differs from what was followed, or None."""
    key = organization.pk
    rows = fetch_rows(_BEHIND, [key, rules_digest(organization), key])
    return rows[0][0] if rows else None


def is_current(organization: Organization, repositories: str) -> bool:
    """Whether the stored edges are what resolution over these repositories says.

    They are edges of the whole organisation: what is hidden could decide what a name means.
    """
    key = organization.pk
    return not (
        fetch_rows(_HIDDEN, [key, repositories])
        or behind(organization) is not None
        or fetch_rows(_DUE, [key])
    )
