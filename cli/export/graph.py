"""The exported graph: a DuckDB file on this disk, and the call edges that are added to it.

All is written to FILE.part, which takes FILE's place when it is whole. With call edges, what is
there of FILE.part is gone on with: it holds the cursor beside the rows that were read up to it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cli.export.part_file import (
    held_part,
    mapped_errors,
    opened_database,
    take_place,
    write_ahead_log,
)
from indexer.client.responses import malformed_answer
from indexer.errors import CentralError, CentralRefusedError, ConfigurationError
from indexer.limits import EXPORTED_BYTES

if TYPE_CHECKING:
    import duckdb

    from cli.api import GraphApi

_COLUMNS: Final = {
    "caller": "VARCHAR",
    "caller_project": "VARCHAR",
    "path": "VARCHAR",
    "line": "INTEGER",
    "callee": "VARCHAR",
    "callee_project": "VARCHAR",
    "callee_path": "VARCHAR",
    "kind": "VARCHAR",
    "rule": "VARCHAR",
    "confidence": "VARCHAR",
    "commit": "VARCHAR",
}
_SHAPE: Final = json.dumps([_COLUMNS])
_NAMED: Final = ", ".join(f'"{name}" {kind} NOT NULL' for name, kind in _COLUMNS.items())
# The ends as `nodes` has them, made where they are asked for; a file's top level is the file.
_ENDS: Final = """
    caller_id VARCHAR AS ('code:' || caller_project || '/' || path
        || CASE caller WHEN '<module>' THEN '' ELSE '#' || caller END),
    callee_id VARCHAR AS ('code:' || callee_project || '/' || callee_path || '#' || callee)"""
_CREATE: Final = f"""
    CREATE TABLE calls ({_NAMED}, {_ENDS});
    CREATE TABLE calls_progress (source VARCHAR, cursor VARCHAR, unfinished VARCHAR)"""
# A page as one parameter: a list of values for each column takes DuckDB forty times as long.
_INSERT: Final = f"""INSERT INTO calls SELECT call.* FROM (
    SELECT unnest(from_json(?, '{_SHAPE}')) AS call)"""  # noqa: S608
_DELETE: Final = """DELETE FROM calls WHERE caller_project IN (
    SELECT unnest(from_json(?, '["VARCHAR"]')))"""


@dataclass(frozen=True, slots=True)
class Progress:
    """A receiver of progress: of the download in bytes, of the call edges in rows."""

    received: Callable[[int, int | None], None]
    added: Callable[[int, str], None]
    note: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """Rows of the file; `missing` are projects of which call edges may be missing."""

    nodes: int
    edges: int
    calls: int | None
    missing: Sequence[Mapping[str, Any]] = ()


def export_graph(
    graph: "GraphApi", target: Path, *, with_calls: bool, may_overwrite: bool, progress: Progress
) -> Exported:
    """Write the graph, with its call edges if they are wanted, to `target`.

    Raises ConfigurationError where it cannot be written, or is there and may not be overwritten;
    CentralError.
    """
    if target.exists() and not (may_overwrite and target.is_file()):
        advice = (
            "there already: --force overwrites it, or name another file"
            if target.is_file()
            else "no file: name one"
        )
        raise ConfigurationError(f"{target} is {advice}")
    with held_part(target, is_kept=_has_progress) as part, mapped_errors(part):
        if with_calls and _progress_of(part) == graph.source:
            progress.note(f"Going on with {part}; delete it to begin anew.")
        else:
            _download(graph, part, progress)
        missing = _add_calls(graph, part, progress) if with_calls else ()
        exported = _counted(part, missing, with_calls=with_calls)
        take_place(part, target)
    return exported


def _download(graph: "GraphApi", part: Path, progress: Progress) -> None:
    def receive(pieces: Iterator[bytes], size: int | None) -> None:
        done = 0
        with part.open("r+b") as file:  # the lock is of this file, so it is not replaced
            file.truncate()
            for piece in pieces:
                done += len(piece)
                if done > EXPORTED_BYTES:
                    raise CentralError(f"the graph is larger than {EXPORTED_BYTES:,} bytes")
                file.write(piece)
                progress.received(done, size)

    write_ahead_log(part).unlink(missing_ok=True)  # of a file that was there before
    graph.snapshot(receive)


def _progress_of(part: Path) -> str | None:
    """Of which source call edges have been added; None: of none, or it is no whole file."""
    import duckdb

    if not part.stat().st_size:
        return None
    try:
        with opened_database(part) as database:
            row = database.execute("SELECT source FROM calls_progress").fetchone()
    except duckdb.Error:
        return None
    return str(row[0]) if row else None


def _has_progress(part: Path) -> bool:
    return _progress_of(part) is not None


def _add_calls(graph: "GraphApi", part: Path, progress: Progress) -> Sequence[Mapping[str, Any]]:
    """Add the call edges that are not there yet, a page to a transaction."""
    with opened_database(part) as database:
        if not _has_table(database, "calls_progress"):
            database.begin()
            database.execute(_CREATE)
            database.execute("INSERT INTO calls_progress VALUES (?, '', '')", [graph.source])
            database.commit()
        page = _first_page(graph, database, progress)
        while cursor := _take(database, page, progress):
            page = graph.calls(cursor)
        database.execute("DROP TABLE calls_progress")
        database.execute("CHECKPOINT")
    missing: Sequence[Mapping[str, Any]] = page["missing"]
    return missing


def _first_page(
    graph: "GraphApi", database: "duckdb.DuckDBPyConnection", progress: Progress
) -> Mapping[str, Any]:
    """The page at the cursor that is kept; the first of all if the service takes it no more."""
    ((cursor,),) = database.execute("SELECT cursor FROM calls_progress").fetchall()
    try:
        return graph.calls(cursor)
    except CentralRefusedError as error:
        if not cursor or error.code != "invalid":
            raise
    progress.note("The service does not know any more how far it was: all calls are read again.")
    database.begin()
    database.execute("DELETE FROM calls")
    database.execute("UPDATE calls_progress SET cursor = '', unfinished = ''")
    database.commit()
    return graph.calls("")


def _take(
    database: "duckdb.DuckDBPyConnection", page: Mapping[str, Any], progress: Progress
) -> str:
    """Add a page and its cursor, which is returned; "" with the last one."""
    with malformed_answer(page):
        cursor: str = page["next_cursor"] or ""
        projects = page["projects"]
        left = "" if not projects or projects[-1]["ends"] else projects[-1]["project"]
        database.begin()
        _drop(database, projects)
        database.execute(_INSERT, [json.dumps(page["calls"])])
        database.execute("UPDATE calls_progress SET cursor = ?, unfinished = ?", [cursor, left])
        database.commit()
        progress.added(_count(database, "calls"), projects[-1]["project"] if projects else "")
        for sentence in page["cut"]:
            progress.note(sentence)
    return cursor


def _drop(database: "duckdb.DuckDBPyConnection", projects: Sequence[Mapping[str, Any]]) -> None:
    """Drop what is there of projects that begin anew, and of one that came to no end."""
    dropped = [one["project"] for one in projects if one["begins"]]
    if not projects or projects[0]["begins"]:
        ((unfinished,),) = database.execute("SELECT unfinished FROM calls_progress").fetchall()
        dropped.append(unfinished)
    database.execute(_DELETE, [json.dumps(dropped)])


def _has_table(database: "duckdb.DuckDBPyConnection", name: str) -> bool:
    return (name,) in database.execute("SHOW TABLES").fetchall()


def _count(database: "duckdb.DuckDBPyConnection", table: str) -> int:
    ((count,),) = database.execute(f"SELECT count(*) FROM {table}").fetchall()  # noqa: S608
    return int(count)


def _counted(part: Path, missing: Sequence[Mapping[str, Any]], *, with_calls: bool) -> Exported:
    with opened_database(part) as database:
        calls = _count(database, "calls") if with_calls else None
        return Exported(_count(database, "nodes"), _count(database, "edges"), calls, missing)
