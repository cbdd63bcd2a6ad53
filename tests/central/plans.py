"""What PostgreSQL does for a statement that our code sends, counted in rows instead of seconds."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection

MODES = ("force_custom_plan", "force_generic_plan")


class Sent(NamedTuple):
    """A statement with its parameters."""

    sql: str
    parameters: Sequence[Any]


@contextmanager
def statements_sent() -> Iterator[list[Sent]]:
    """The statements that this thread's connection sends meanwhile."""
    sent: list[Sent] = []

    def note(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        sent.append(Sent(sql, tuple(parameters or ())))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        yield sent


def rows_handled(sent: Sent, mode: str) -> int:
    """How many rows its plan reads, drops or joins, all nodes together; `mode` as PostgreSQL's.

    The statement is written for binding by the server: `%s` becomes `$1`, `$2` and so on.
    """
    pieces = sent.sql.split("%s")
    text = pieces[0] + "".join(f"${n}{piece}" for n, piece in enumerate(pieces[1:], 1))
    blanks = ", ".join(["%s"] * len(sent.parameters))
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL plan_cache_mode = {mode}")
        cursor.execute(f"PREPARE looked_at AS {text.replace('%%', '%')}")
        try:
            cursor.execute(
                f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE looked_at ({blanks})",
                sent.parameters,
            )
            [(document,)] = cursor.fetchall()
        finally:
            cursor.execute("DEALLOCATE looked_at")
    return sum(_rows(node) for node in _nodes(document[0]["Plan"]))


def _rows(node: Mapping[str, Any]) -> int:
    names = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")
    return int(sum(node.get(name, 0) for name in names) * node["Actual Loops"])


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)
