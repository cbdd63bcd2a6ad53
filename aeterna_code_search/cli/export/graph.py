"""The exported graph: a local DuckDB file, and the call edges and the map that are added to it.

The export is written to FILE.part, which replaces FILE when it is complete. With call edges an
existing FILE.part is resumed: it holds the cursor beside the rows that were read up to it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aeterna_code_search.client.part_file import (
    locked_part,
    mapped_errors,
    opened_database,
    replace_target,
    require_free,
    write_ahead_log,
)
from indexer.client.responses import malformed_answer
from indexer.errors import CentralError, CentralRefusedError
from indexer.limits import MAP_LINKS, MAP_ROWS, UNUSED_LISTED

if TYPE_CHECKING:
    import duckdb

    from aeterna_code_search.client.api import ServiceApi

EXPORTED_BYTES: Final = 64 * 1024**3  # of the downloaded file
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
_UNUSED_COLUMNS: Final = {
    "project": "VARCHAR",
    "file": "VARCHAR",
    "line": "INTEGER",
    "kind": "VARCHAR",
    "qualified_name": "VARCHAR",
    "signature": "VARCHAR",
    "package": "VARCHAR",
    "version": "VARCHAR",
    "commit": "VARCHAR",
    "doubts": "STRUCT(code VARCHAR, count BIGINT, place VARCHAR)[]",
}
_DOUBT: Final = {"code": "VARCHAR", "count": "BIGINT", "place": "VARCHAR"}


def _rows_of(columns: Mapping[str, Any]) -> str:
    """Return the query of the rows in a parameter, which is a list of objects in JSON.

    A page is one parameter: in DuckDB a list for each column takes 40 times as long.
    """
    shape = json.dumps([columns])
    return f"SELECT item.* FROM (SELECT unnest(from_json(?, '{shape}')) AS item)"  # noqa: S608


_NAMED: Final = ", ".join(f'"{name}" {kind} NOT NULL' for name, kind in _COLUMNS.items())
# Ids as in `nodes`, computed when they are queried; a file's top level is the file.
_ENDPOINTS: Final = """
    caller_id VARCHAR AS ('code:' || caller_project || '/' || path
        || CASE caller WHEN '<module>' THEN '' ELSE '#' || caller END),
    callee_id VARCHAR AS ('code:' || callee_project || '/' || callee_path || '#' || callee)"""
_CREATE: Final = f"""
    CREATE TABLE calls ({_NAMED}, {_ENDPOINTS});
    CREATE TABLE calls_progress (source VARCHAR, cursor VARCHAR, unfinished VARCHAR)"""
_INSERT: Final = f"INSERT INTO calls {_rows_of(_COLUMNS)}"
_CREATE_UNUSED: Final = f"""CREATE OR REPLACE TABLE unused (
    {", ".join(f'"{name}" {kind}' for name, kind in _UNUSED_COLUMNS.items())},
    id VARCHAR AS ('code:' || project || '/' || file || '#' || qualified_name))"""
_INSERT_UNUSED: Final = f"INSERT INTO unused {_rows_of({**_UNUSED_COLUMNS, 'doubts': [_DOUBT]})}"
_DELETE: Final = """DELETE FROM calls WHERE caller_project IN (
    SELECT unnest(from_json(?, '["VARCHAR"]')))"""
_VERSIONS: Final = {
    "package": "VARCHAR",
    "required": "VARCHAR",
    "pinned": "VARCHAR",
    "indexed": "VARCHAR",
    "lags": "BOOLEAN",
}
_LINKS: Final = {
    "source": "VARCHAR",
    "target": "VARCHAR",
    "calls": "BIGINT",
    "imports": "BIGINT",
    "versions": [_VERSIONS],
    "cycle": "BIGINT",
}
_MOST_CALLED: Final = {
    "project": "VARCHAR",
    "file": "VARCHAR",
    "line": "INTEGER",
    "name": "VARCHAR",
    "kind": "VARCHAR",
    "package": "VARCHAR",
    "projects": "BIGINT",
    "calls": "BIGINT",
    "users": [{"project": "VARCHAR", "calls": "BIGINT"}],
}


@dataclass(frozen=True, slots=True)
class Progress:
    """Callbacks for progress: bytes of the download, rows of call edges, and notes."""

    received: Callable[[int, int | None], None]
    added: Callable[[int, str], None]
    note: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """Row counts of the file; `missing` lists projects that may lack call edges."""

    nodes: int
    edges: int
    unused: int | None
    calls: int | None
    missing: Sequence[Mapping[str, Any]] = ()


def export_graph(
    api: "ServiceApi",
    target: Path,
    *,
    with_calls: bool,
    with_unused: bool,
    may_overwrite: bool,
    progress: Progress,
) -> Exported:
    """Write the graph to `target`, with its call edges and what nothing calls if that is wanted.

    Raises ConfigurationError if it cannot be written, or exists and may not be overwritten. Raises
    CentralError.
    """
    require_free(target, may_overwrite=may_overwrite)
    with (
        locked_part(target, is_resumable=lambda path: _exported_source(path) is not None) as part,
        mapped_errors(part),
    ):
        if with_calls and _exported_source(part) == api.source:
            progress.note(f"Resuming {part}; delete it to start over.")
        else:
            _download(api, part, progress)
        unused = _add_unused(api, part) if with_unused else None
        missing = _add_calls(api, part, progress) if with_calls else ()
        exported = _counted(part, missing, unused=unused, with_calls=with_calls)
        replace_target(part, target)
    return exported


def _download(api: "ServiceApi", part: Path, progress: Progress) -> None:
    def receive(pieces: Iterator[bytes], size: int | None) -> None:
        done = 0
        with part.open("r+b") as file:  # the file is locked, so it must not be replaced
            file.truncate()
            for piece in pieces:
                done += len(piece)
                if done > EXPORTED_BYTES:
                    raise CentralError(f"the graph is larger than {EXPORTED_BYTES:,} bytes")
                file.write(piece)
                progress.received(done, size)

    write_ahead_log(part).unlink(missing_ok=True)  # of an earlier file
    api.snapshot(receive)


def _exported_source(part: Path) -> str | None:
    """Return the source of the stored call edges; None without any, or if it is damaged."""
    import duckdb

    if not part.stat().st_size:
        return None
    try:
        with opened_database(part) as database:
            row = database.execute("SELECT source FROM calls_progress").fetchone()
    except duckdb.Error:
        return None
    return str(row[0]) if row else None


def _add_unused(api: "ServiceApi", part: Path) -> int:
    """Add the definitions that nothing visible calls, all or none; return how many there are."""
    with opened_database(part) as database:
        database.begin()
        database.execute(_CREATE_UNUSED)
        cursor, ends = "", False
        while not ends:
            page = api.map("map/unused", {"limit": UNUSED_LISTED, **_at(cursor)})
            with malformed_answer(page):
                database.execute(_INSERT_UNUSED, [json.dumps(page["definitions"])])
                cursor = page["next_cursor"] or ""
                ends = not cursor
        database.commit()
        return _count(database, "unused")


def _add_calls(api: "ServiceApi", part: Path, progress: Progress) -> Sequence[Mapping[str, Any]]:
    """Add the missing call edges, one page per transaction."""
    with opened_database(part) as database:
        if not _has_table(database, "calls_progress"):
            database.begin()
            database.execute(_CREATE)
            database.execute("INSERT INTO calls_progress VALUES (?, '', '')", [api.source])
            database.commit()
        if not _has_table(database, "most_called"):
            _add_map(api, database)
        page = _first_page(api, database, progress)
        while cursor := _store_page(database, page, progress):
            page = api.trace("calls", _at(cursor))
        database.execute("DROP TABLE calls_progress")
        database.execute("CHECKPOINT")
    missing: Sequence[Mapping[str, Any]] = page["missing"]
    return missing


def _add_map(api: "ServiceApi", database: "duckdb.DuckDBPyConnection") -> None:
    """Add who uses whom, and what most repositories use: the strongest rows that one answer has."""
    links = api.map("map", {"level": "package", "limit": MAP_LINKS})
    most_called = api.map("map/most-called", {"limit": MAP_ROWS})
    database.begin()
    with malformed_answer(links):
        _make_table(database, "links", _LINKS, links["links"])
    with malformed_answer(most_called):
        _make_table(database, "most_called", _MOST_CALLED, most_called["definitions"])
    database.commit()


def _make_table(
    database: "duckdb.DuckDBPyConnection", name: str, columns: Mapping[str, Any], rows: object
) -> None:
    database.execute(f"CREATE TABLE {name} AS {_rows_of(columns)}", [json.dumps(rows)])


def _first_page(
    api: "ServiceApi", database: "duckdb.DuckDBPyConnection", progress: Progress
) -> Mapping[str, Any]:
    """Get the page at the stored cursor, or the first page if the cursor is invalid now."""
    ((cursor,),) = database.execute("SELECT cursor FROM calls_progress").fetchall()
    try:
        return api.trace("calls", _at(cursor))
    except CentralRefusedError as error:
        if not cursor or error.code != "invalid":
            raise
    progress.note("The stored cursor is no longer valid: reading all calls again.")
    database.begin()
    database.execute("DELETE FROM calls")
    database.execute("UPDATE calls_progress SET cursor = '', unfinished = ''")
    database.commit()
    return api.trace("calls", {})


def _at(cursor: str) -> dict[str, str]:
    """Return the parameter of a page; "" is the first."""
    return {"cursor": cursor} if cursor else {}


def _store_page(
    database: "duckdb.DuckDBPyConnection", page: Mapping[str, Any], progress: Progress
) -> str:
    """Store a page and its cursor. Return the cursor; "" after the last page."""
    with malformed_answer(page):
        cursor: str = page["next_cursor"] or ""
        projects = page["projects"]
        unfinished = "" if not projects or projects[-1]["ends"] else projects[-1]["project"]
        database.begin()
        _drop(database, projects)
        database.execute(_INSERT, [json.dumps(page["calls"])])
        database.execute(
            "UPDATE calls_progress SET cursor = ?, unfinished = ?", [cursor, unfinished]
        )
        database.commit()
        progress.added(_count(database, "calls"), projects[-1]["project"] if projects else "")
        for sentence in page["cut"]:
            progress.note(sentence)
    return cursor


def _drop(database: "duckdb.DuckDBPyConnection", projects: Sequence[Mapping[str, Any]]) -> None:
    """Delete the calls of projects that restart, and of an unfinished one."""
    dropped = [project["project"] for project in projects if project["begins"]]
    if not projects or projects[0]["begins"]:
        ((unfinished,),) = database.execute("SELECT unfinished FROM calls_progress").fetchall()
        dropped.append(unfinished)
    database.execute(_DELETE, [json.dumps(dropped)])


def _has_table(database: "duckdb.DuckDBPyConnection", name: str) -> bool:
    return (name,) in database.execute("SHOW TABLES").fetchall()


def _count(database: "duckdb.DuckDBPyConnection", table: str) -> int:
    ((count,),) = database.execute(f"SELECT count(*) FROM {table}").fetchall()  # noqa: S608
    return int(count)


def _counted(
    part: Path, missing: Sequence[Mapping[str, Any]], *, unused: int | None, with_calls: bool
) -> Exported:
    with opened_database(part) as database:
        calls = _count(database, "calls") if with_calls else None
        nodes, edges = _count(database, "nodes"), _count(database, "edges")
        return Exported(nodes, edges, unused, calls, missing)
