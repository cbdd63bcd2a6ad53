"""The graph of an organisation as a DuckDB file with `nodes` and `edges`, for SQL.

One builder: it copies the last file, brings the copy up to PostgreSQL and puts it in its place, so
that a reader sees a whole file. Code is taken by what has changed since; documents and edges, which
are few beside it, are written whole.
"""

import csv
import fcntl
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb
import structlog
from django.conf import settings
from django.db import connection

from central.corpus.embeddings import unpack_vector
from central.corpus.models import File, Symbol
from central.db import fetch_rows, one_moment, sql_with
from central.knowledge.access import require_reader
from central.knowledge.models import CodeLinks, Document, Edge, Node
from central.knowledge.resolution import node_id
from central.repositories.models import Repository
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization

KEPT_HOURS: Final = 24
_ASKED: Final = ".asked"  # beside the file; its time is that of the last request
_MAX_LINE_BYTES: Final = 4 * 1024 * 1024
_VERSION: Final = 1  # of the tables; another one is rebuilt

_log = structlog.get_logger(__name__)

_SCHEMA: Final = """
    CREATE TABLE nodes (
        id TEXT NOT NULL, kind TEXT NOT NULL, project TEXT, title TEXT NOT NULL,
        content TEXT NOT NULL, status TEXT, author TEXT, properties JSON, embedding FLOAT[],
        path TEXT, qualified_name TEXT, start_line INTEGER, end_line INTEGER, language TEXT,
        commit_sha TEXT, file_id BIGINT);
    CREATE TABLE edges (
        source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, origin TEXT NOT NULL,
        weight DOUBLE, cosine DOUBLE, properties JSON, file_id BIGINT);
    CREATE TABLE state (version INTEGER, mark TEXT);
    CREATE TABLE repositories (id BIGINT, project TEXT, generation BIGINT, file_id BIGINT)"""


_CONTAINS: Final = """
    INSERT INTO edges SELECT 'code:' || project || '/' || path, id, 'contains', 'code',
        NULL, NULL, NULL, file_id
    FROM nodes WHERE kind = 'code_symbol' AND project = ? AND file_id > ?"""


# Rows of PostgreSQL, which are copied as CSV.
_NODE_ID: Final = """CASE
    WHEN {n}.path = '' THEN concat_ws('/', {r}.name, {d}.public_id)
    WHEN {n}.qualified_name = '' THEN 'code:' || {r}.name || '/' || {n}.path
    ELSE 'code:' || {r}.name || '/' || {n}.path || '#' || {n}.qualified_name END"""
_sql = sql_with(
    source=_NODE_ID.format(n="s", r="sr", d="sd"),
    target=_NODE_ID.format(n="t", r="tr", d="td"),
    document=Document,
    node=Node,
    edge=Edge,
    code_links=CodeLinks,
    file=File,
    symbol=Symbol,
    repository=Repository,
)


def _copied(statement: str) -> str:
    """Make the COPY that writes the rows of a statement as CSV; psycopg binds %(…)s."""
    return _sql(
        f"COPY ({statement}) TO STDOUT (FORMAT csv, HEADER false, NULL '\\N', FORCE_QUOTE *)"
    )


_DOCUMENTS: Final = _copied("""
    SELECT concat_ws('/', r.name, d.public_id), n.kind, r.name, d.title, d.body, d.status, d.author,
        d.properties, NULL, nullif(d.source_path, ''), NULL, NULL, NULL, NULL, NULL, NULL
    FROM {document} d JOIN {node} n ON n.id = d.node_id
    LEFT JOIN {repository} r ON r.id = n.repository_id
    WHERE n.organization_id = %(organization)s AND d.archived_at IS NULL AND r.retired_at IS NULL\
""")
_EDGES: Final = _copied("""
    SELECT {source}, {target},
        e.type, e.origin, e.weight, e.cosine, e.properties, NULL
    FROM {edge} e
    JOIN {node} s ON s.id = e.source_id JOIN {node} t ON t.id = e.target_id
    LEFT JOIN {repository} sr ON sr.id = s.repository_id
    LEFT JOIN {repository} tr ON tr.id = t.repository_id
    LEFT JOIN {document} sd ON sd.node_id = s.id
    LEFT JOIN {document} td ON td.node_id = t.id
    WHERE e.organization_id = %(organization)s
        AND sr.retired_at IS NULL AND tr.retired_at IS NULL""")
_FILES: Final = _copied("""
    SELECT 'code:' || r.name || '/' || f.path, 'code_file', r.name, f.path, '', NULL, NULL, NULL,
        NULL, f.path, NULL, NULL, NULL, nullif(f.language, ''), r.last_indexed_commit, f.id
    FROM {file} f JOIN {repository} r ON r.id = f.repository_id
    WHERE f.repository_id = %(repository)s AND f.id > %(after)s""")
_SYMBOLS: Final = _copied("""
    SELECT 'code:' || r.name || '/' || f.path || '#' || s.qualified_name, 'code_symbol', r.name,
        s.qualified_name, s.signature, NULL, NULL, NULL, NULL, f.path, s.qualified_name,
        s.start_line, s.end_line, nullif(f.language, ''), r.last_indexed_commit, f.id
    FROM {symbol} s JOIN {file} f ON f.id = s.file_id
    JOIN {repository} r ON r.id = f.repository_id
    WHERE f.repository_id = %(repository)s AND f.id > %(after)s""")
_FILE_IDS: Final = _sql("SELECT id FROM {file} WHERE repository_id = %s")
# What differs whenever the graph does.
_MARK: Final = _sql("""SELECT
                (SELECT md5(string_agg(concat_ws(':', r.id, r.name, r.generation, l.generation), ','
                    ORDER BY r.id))
                 FROM {repository} r
                 LEFT JOIN {code_links} l ON l.repository_id = r.id
                 WHERE r.organization_id = %(organization)s AND retired_at IS NULL),
                (SELECT md5(string_agg(
                    concat_ws(':', n.id, d.version, d.embedder, d.archived_at), ','
                    ORDER BY n.id)) FROM {document} d
                 JOIN {node} n ON n.id = d.node_id
                 WHERE n.organization_id = %(organization)s),
                (SELECT concat_ws(':', count(*), max(updated_at), max(id))
                 FROM {edge} WHERE organization_id = %(organization)s)""")


def take_snapshot(organization: Organization) -> Path:
    """The organisation's file, up to date, which is kept so for KEPT_HOURS."""
    _directory().mkdir(mode=0o700, exist_ok=True)
    path = refresh_snapshot(organization)
    path.with_suffix(_ASKED).touch()
    return path


def snapshot(*, credential: Credential) -> Path:
    """The organisation's DuckDB file. Raises ForbiddenError (`whole_organization_required`)."""
    require_reader(credential)
    credential.require_whole_organization()
    return take_snapshot(credential.organization)


def keep_snapshots(*, is_stopping: Callable[[], bool] = lambda: False) -> None:
    """Bring files that were requested in the last KEPT_HOURS up to date; delete the others."""
    before = time.time() - KEPT_HOURS * 3600
    for asked in sorted(_directory().glob(f"*{_ASKED}")):
        if is_stopping():
            return
        organization = Organization.objects.filter(slug=asked.stem).first()
        if organization is not None and asked.stat().st_mtime > before:
            refresh_snapshot(organization)
        else:
            asked.with_suffix(".duckdb").unlink(missing_ok=True)
            asked.unlink(missing_ok=True)


def _directory() -> Path:
    return Path(settings.DATA_DIR) / "graphs"


def refresh_snapshot(organization: Organization) -> Path:
    """The organisation's file, up to date. Several processes may call it; one builds."""
    directory = _directory()
    path = directory / f"{organization.slug}.duckdb"
    with _locked(path):
        mark = _mark(organization)
        if _stored_mark(path) != mark:
            with tempfile.TemporaryDirectory(dir=directory, prefix=".build-") as folder:
                build = Path(folder) / path.name
                _build(organization, path, build, mark)
                build.chmod(0o600)
                build.replace(path)
    return path


def _mark(organization: Organization) -> str:
    """What differs whenever the graph does."""
    [row] = fetch_rows(_MARK, {"organization": organization.pk})
    return "|".join(map(str, row))


def _stored_mark(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        with duckdb.connect(str(path), read_only=True) as database:
            row = database.execute("SELECT version, mark FROM state").fetchone()
    except duckdb.Error as exc:  # a disk that was full, another version of DuckDB
        _log.warning("snapshot_unreadable", path=str(path), error=str(exc))
        return None
    return row[1] if row and row[0] == _VERSION else None


def _build(organization: Organization, before: Path, build: Path, mark: str) -> None:
    if _stored_mark(before) is not None:
        shutil.copyfile(before, build)
    with duckdb.connect(str(build)) as database, one_moment():
        if not database.execute("SHOW TABLES").fetchall():
            database.execute(_SCHEMA)
        database.begin()
        _take_code(organization, database, build.parent)
        database.execute("DELETE FROM nodes WHERE file_id IS NULL")
        database.execute("DELETE FROM edges WHERE file_id IS NULL")
        given = {"organization": organization.pk}
        _copy(database, build.parent, "nodes", _DOCUMENTS, given)
        _copy(database, build.parent, "edges", _EDGES, given)
        _take_vectors(organization, database, build.parent)
        database.execute("DELETE FROM state")
        database.execute("INSERT INTO state VALUES (?, ?)", [_VERSION, mark])
        database.commit()
        database.execute("CHECKPOINT")


def _take_code(organization: Organization, database: Any, folder: Path) -> None:
    stored = {
        row[0]: row[1:]
        for row in database.execute(
            "SELECT id, project, generation, file_id FROM repositories"
        ).fetchall()
    }
    live = Repository.objects.filter(organization=organization, retired_at=None)
    names = dict(live.values_list("pk", "name"))
    for repository, (project, _, _) in list(stored.items()):
        if names.get(repository) != project:
            _drop(database, repository, project)
            del stored[repository]
    for repository, name, generation in live.values_list("pk", "name", "generation"):
        project, seen, after = stored.pop(repository, (name, -1, 0))
        if (project, seen) == (name, generation):
            continue
        _take_repository(database, folder, repository, name, generation, after)


def _take_repository(
    database: Any, folder: Path, repository: int, name: str, generation: int, after: int
) -> None:
    given = {"repository": repository, "after": after}
    current = [file for (file,) in fetch_rows(_FILE_IDS, [repository])]
    database.execute("CREATE TEMP TABLE current AS SELECT unnest(?::BIGINT[]) AS id", [current])
    gone = "SELECT file_id FROM nodes WHERE project = ? AND file_id NOT IN (SELECT id FROM current)"
    database.execute(f"DELETE FROM edges WHERE file_id IN ({gone})", [name])  # noqa: S608
    database.execute(f"DELETE FROM nodes WHERE file_id IN ({gone})", [name])  # noqa: S608
    database.execute("DROP TABLE current")
    for statement in (_FILES, _SYMBOLS):
        _copy(database, folder, "nodes", statement, given)
    database.execute(_CONTAINS, [name, after])
    database.execute("DELETE FROM repositories WHERE id = ?", [repository])
    last = max(current, default=0)
    database.execute(
        "INSERT INTO repositories VALUES (?, ?, ?, ?)", [repository, name, generation, last]
    )


def _drop(database: Any, repository: int, project: str) -> None:
    database.execute(
        "DELETE FROM edges WHERE file_id IN (SELECT file_id FROM nodes WHERE project = ?)",
        [project],
    )
    database.execute("DELETE FROM nodes WHERE project = ?", [project])
    database.execute("DELETE FROM repositories WHERE id = ?", [repository])


def _take_vectors(organization: Organization, database: Any, folder: Path) -> None:
    """By way of a file: DuckDB takes a millisecond for each number that Python hands to it."""
    documents = Document.objects.filter(node__organization=organization, archived_at=None).exclude(
        vector=b""
    )
    file = folder / "vectors.csv"
    with file.open("w", encoding="utf-8", newline="") as output:
        rows = csv.writer(output)
        for document in documents.select_related("node__repository").iterator(chunk_size=500):
            document.node.document = document
            vector = unpack_vector(bytes(document.vector)).tolist()
            rows.writerow([node_id(document.node), json.dumps(vector)])
    if file.stat().st_size:
        database.execute(
            """UPDATE nodes SET embedding = vectors.embedding
            FROM read_csv(?, header = false, quote = '"', escape = '"', delim = ',',
                columns = {id: 'TEXT', embedding: 'FLOAT[]'}, max_line_size = ?) vectors
            WHERE nodes.id = vectors.id AND nodes.file_id IS NULL""",
            [str(file), _MAX_LINE_BYTES],
        )
    file.unlink()


def _copy(
    database: Any, folder: Path, table: str, statement: str, given: Mapping[str, object]
) -> None:
    """Rows of PostgreSQL into a table of DuckDB, by way of a CSV file."""
    file = folder / "rows.csv"
    with (
        connection.cursor() as cursor,
        file.open("wb") as output,
        cursor.copy(statement, given) as rows,
    ):
        for data in rows:
            output.write(data)
    if file.stat().st_size:
        database.execute(
            f"""INSERT INTO {table} SELECT * FROM read_csv(?, header = false, all_varchar = true,
                nullstr = '\\N', quote = '"', escape = '"', delim = ',', max_line_size = ?)""",  # noqa: S608
            [str(file), _MAX_LINE_BYTES],
        )
    file.unlink()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
