"""Signed statements of the forge about its repositories, kept in the forge's order.

A repository need not have a row here. A process that copies a statement's visibility to a row
locks the statement first; one that records a statement looks for the row afterwards. So neither
misses the other.
"""

from datetime import datetime

from central.db import execute, sql_with
from central.repositories.models import ForgeStatement

_RANK = "array_position(ARRAY['public', 'internal', 'private'], {}.visibility::text)"

_sql = sql_with(
    forge_statement=ForgeStatement,
    new_rank=_RANK.format("EXCLUDED"),
    known_rank=_RANK.format("known"),
)

# Of two from the same second, or both without a time, the more private one holds.
_NOTE_VISIBILITY = _sql("""INSERT INTO {forge_statement} AS known
        (organization_id, github_id, visibility, visibility_at)
    VALUES (%s, %s, %s, %s)
    ON CONFLICT (organization_id, github_id) DO UPDATE
    SET visibility = EXCLUDED.visibility, visibility_at = EXCLUDED.visibility_at
    WHERE known.visibility = ''
        OR (known.visibility_at IS NULL AND EXCLUDED.visibility_at IS NOT NULL)
        OR known.visibility_at < EXCLUDED.visibility_at
        OR (known.visibility_at IS NOT DISTINCT FROM EXCLUDED.visibility_at
            AND {new_rank} >= {known_rank})""")

_NOTE_NAME = _sql("""INSERT INTO {forge_statement} AS known
        (organization_id, github_id, visibility, named_at)
    VALUES (%s, %s, '', %s)
    ON CONFLICT (organization_id, github_id) DO UPDATE SET named_at = EXCLUDED.named_at
    WHERE known.named_at IS NULL OR known.named_at <= EXCLUDED.named_at""")

_NOTE_REMOVAL = _sql("""INSERT INTO {forge_statement} AS known
        (organization_id, github_id, visibility, removed_at)
    VALUES (%s, %s, '', %s)
    ON CONFLICT (organization_id, github_id) DO UPDATE SET removed_at = EXCLUDED.removed_at""")


def keep_visibility(
    *, organization_id: int, forge_key: int, visibility: str, at: datetime | None
) -> bool:
    """Keep the visibility; False if a later one is known. `at` None: it has no time."""
    return bool(execute(_NOTE_VISIBILITY, [organization_id, forge_key, visibility, at]))


def keep_name(*, organization_id: int, forge_key: int, at: datetime) -> bool:
    """Keep when the forge signed the name; False if it signed a name later."""
    return bool(execute(_NOTE_NAME, [organization_id, forge_key, at]))


def keep_removal(*, organization_id: int, forge_key: int, at: datetime) -> None:
    """Keep when the repository was deleted or transferred."""
    execute(_NOTE_REMOVAL, [organization_id, forge_key, at])


def statement_of(*, organization_id: int, forge_key: int) -> ForgeStatement | None:
    """Return what is kept of the repository."""
    return ForgeStatement.objects.filter(
        organization_id=organization_id, forge_key=forge_key
    ).first()


def locked_statement_of(*, organization_id: int, forge_key: int) -> ForgeStatement | None:
    """Return what `statement_of` does, locked until the transaction ends."""
    return (
        ForgeStatement.objects.select_for_update(no_key=True)
        .filter(organization_id=organization_id, forge_key=forge_key)
        .first()
    )
