"""EXPLAIN (ANALYZE) of a recorded statement, with the plan of its values and with a generic one."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from benchmarks.plans.recording import Sent

TIMEOUT_SECONDS = 60
_LARGE_ROWS = 1_000  # a table of more is not to be read whole
_PLACEHOLDER = re.compile(r"%[s%]")
_EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "
_EXPLAINABLE = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE")


@dataclass(frozen=True)
class Plan:
    """What PostgreSQL did: milliseconds in all, those of planning, and large tables read whole."""

    milliseconds: float
    planning: float
    read_whole: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class Explained:
    """A statement's worst parameters under both kinds of plan; `generic` None: never has one."""

    sent: Sent
    custom: Plan
    generic: Plan | None

    @property
    def worst(self) -> float:
        """Milliseconds of the slower plan."""
        return max(self.custom.milliseconds, self.generic.milliseconds if self.generic else 0.0)


def is_explainable(sent: Sent) -> bool:
    """Whether it has a plan: no savepoint, no setting."""
    return sent.sql.lstrip(" (").upper().startswith(_EXPLAINABLE)


def explain(database: "psycopg.Connection[Any]", sent: Sent) -> Explained:
    """Run it under each plan that it may get; what it writes is taken back."""
    custom = _run(database, sent, "force_custom_plan")
    generic = _run(database, sent, "force_generic_plan") if sent.is_prepared else None
    return Explained(sent, custom, generic)


def _run(database: "psycopg.Connection[Any]", sent: Sent, mode: str) -> Plan:
    try:
        with database.transaction(force_rollback=True):
            database.execute(f"SET LOCAL statement_timeout = '{TIMEOUT_SECONDS}s'")
            database.execute(f"SET LOCAL plan_cache_mode = {mode}")
            try:
                [(document,)] = _explained(database, sent)
            finally:
                database.execute("DEALLOCATE ALL")
    except psycopg.errors.QueryCanceled:
        return Plan(1000 * TIMEOUT_SECONDS, 0.0, failure="gave up")
    except psycopg.Error as exc:  # such as a row that is there already
        return Plan(0.0, 0.0, failure=type(exc).__name__)
    [found] = document
    tables = {node["Relation Name"] for node in _nodes(found["Plan"]) if _reads_whole(node)}
    total = found["Planning Time"] + found["Execution Time"]
    return Plan(total, found["Planning Time"], tuple(sorted(tables)))


def _explained(database: "psycopg.Connection[Any]", sent: Sent) -> Any:
    if not sent.parameters:
        return psycopg.ClientCursor(database).execute(_EXPLAIN + sent.text).fetchall()
    numbers = iter(range(1, len(sent.parameters) + 1))
    text = _PLACEHOLDER.sub(lambda m: "%" if m[0] == "%%" else f"${next(numbers)}", sent.sql)
    database.execute(f"PREPARE explained AS {text}")
    values = sql.SQL(", ").join(map(sql.Literal, sent.parameters))
    called = sql.SQL("EXECUTE explained ({})")
    with psycopg.ClientCursor(database) as cursor:
        explained = sql.SQL(_EXPLAIN) + called.format(values)
        return cursor.execute(explained.as_string(database)).fetchall()


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def _reads_whole(node: Mapping[str, Any]) -> bool:
    read = node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)
    return node["Node Type"] == "Seq Scan" and read * node["Actual Loops"] > _LARGE_ROWS
