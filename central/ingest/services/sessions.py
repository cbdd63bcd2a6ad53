"""Database sessions whose process was stopped, or whose machine is gone, in a long transaction.

PostgreSQL would wait for them, with all their locks, until TCP gives the client up.
"""

from typing import Final

import structlog
from django.db import connection, transaction

from central.db import end_if_idle, execute, fetch_rows, sql

_NAME: Final = "aeterna writes "  # with a run's id: 51 of the 63 bytes that PostgreSQL keeps
_COPY_SECONDS: Final = 120  # one COPY has the rows of some batches: it takes seconds

# A COPY that waits for rows is no idle transaction, and no time-out of PostgreSQL ends it. The name
# is that of the transaction, so that this works behind PgBouncer, too.
_END_STOPPED: Final = sql(
    "SELECT application_name, pg_terminate_backend(pid) FROM pg_stat_activity"
    " JOIN pg_roles AS theirs ON theirs.oid = usesysid"
    " JOIN pg_roles AS ours ON ours.rolname = current_user"
    " WHERE pg_has_role(usesysid, 'USAGE') AND (ours.rolsuper OR NOT theirs.rolsuper)"
    " AND datname = current_database()"
    " AND starts_with(application_name, %s) AND state = 'active' AND wait_event = 'ClientRead'"
    " AND query_start <= statement_timestamp() - make_interval(secs => %s::float8)"
)

_log = structlog.get_logger(__name__)


def guard_writer(*, run_id: object, idle_seconds: float) -> None:
    """Have the database end this transaction if its process is stopped.

    It does so by itself after `idle_seconds` without a statement; in a COPY, `end_stopped_writers`.
    """
    end_if_idle(idle_seconds)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('application_name', %s, true)", [f"{_NAME}{run_id}"])


def end_stopped_writers() -> None:
    """End sessions that have sent no row for two minutes in the midst of a COPY.

    One that was only slow has lost nothing: its run is queued again.
    """
    asked = [_NAME, _COPY_SECONDS]
    with transaction.atomic():
        ended = fetch_rows(_END_STOPPED, asked)
        # A login that acts as another role sees and ends sessions of its own only as itself.
        execute("SET LOCAL ROLE NONE", [])
        ended += fetch_rows(_END_STOPPED, asked)
    for name, is_ended in ended:
        _log.warning("stopped_writer_ended", run=name.removeprefix(_NAME), ended=is_ended)
