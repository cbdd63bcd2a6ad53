"""Rows, bytes and seconds of a branch, beside an own repository of what differs.

Rows are those of files and packages, with all that belongs to them, in both schemas. Stored edges
are left out on both sides: a branch has none.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.branches.clones import Clone
from benchmarks.indexing import wait_until_idle
from benchmarks.resource_usage import opened_database
from benchmarks.tables import Figure
from scripts.local_service import Organization, Service

_TABLES = """SELECT n.nspname, c.relname
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname IN ('public', 'other_branches')
        AND c.relname IN (SELECT relname FROM pg_class
            WHERE relnamespace = 'other_branches'::regnamespace)
    ORDER BY 1, 2"""
_OF_CORPUS = r"""SELECT n.nspname, c.relname
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname IN ('public', 'other_branches')
        AND c.relname LIKE 'corpus\_%'"""
_SIZE = "SELECT pg_total_relation_size(%s::regclass)"


def branches(
    clones: Sequence[Clone], acme: Organization, own: Organization, workspace: Path
) -> Iterator[Figure]:
    """Index each branch and, next to it, a repository of what differs; yield both costs."""
    rows: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    files = 0
    before = {"branch": stored_bytes(acme.service), "own": stored_bytes(own.service)}
    for clone in clones:
        for branch in clone.branches:
            name = f"{clone.name}-{branch.replace('/', '-')}"
            small, count = clone.differing(branch, workspace / name)
            files += count
            asked = [
                ("branch", acme, clone.check_out(branch), clone.name),
                ("own", own, small, name),
            ]
            line = f"{clone.name} {branch}: {count} files differ"
            for side, organization, path, project in asked:
                stored = _rows(organization.service)
                started = time.perf_counter()
                report = organization.index(path, project)
                taken = time.perf_counter() - started
                added = _rows(organization.service) - stored
                rows[side] += added
                seconds[side] += taken
                line += f"; {side} {added} rows, {taken:.2f} s ({_parts(report)})"
            print(line, flush=True)
    taken_bytes = {
        side: stored_bytes(organization.service) - before[side]
        for side, organization in (("branch", acme), ("own", own))
    }
    yield Figure("files that differ, of all branches", files, "")
    for what, by_side, unit in (
        ("rows", rows, ""), ("stored", taken_bytes, "bytes"), ("first index", seconds, "s"),
    ):  # fmt: skip
        yield Figure(f"{what} of what differs alone", by_side["own"], unit)
        bound = 1.2 * by_side["own"]
        yield Figure(f"{what} of the branches", by_side["branch"], unit, bound)


def _parts(report: dict[str, Any]) -> str:
    seconds = report.get("seconds")
    if not isinstance(seconds, dict):
        return f"mode {report.get('mode')}"
    return ", ".join(f"{name} {float(value):.2f}" for name, value in seconds.items())


def _rows(service: Service) -> int:
    with opened_database(service) as database:
        return sum(_count(database, *table) for table in database.execute(_TABLES).fetchall())


def _count(database: "psycopg.Connection[Any]", schema: str, table: str) -> int:
    rows = database.execute(f'SELECT count(*) FROM {schema}."{table}"')  # noqa: S608
    return int(rows.fetchall()[0][0])


def stored_bytes(service: Service) -> int:
    """What tables and vectors take, once what was written is in place and dead rows are gone."""
    wait_until_idle(service)
    size = 0
    with opened_database(service) as database:
        for schema, table in database.execute(_OF_CORPUS).fetchall():
            database.execute(f'VACUUM FULL {schema}."{table}"')
            [(taken,)] = database.execute(_SIZE, [f"{schema}.{table}"]).fetchall()
            size += int(taken)
    found = (file.stat() for file in (service.data_dir / "edge").rglob("*") if file.is_file())
    return size + sum(512 * file.st_blocks for file in found)
