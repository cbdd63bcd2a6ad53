"""What a snapshot reads of PostgreSQL: rows that it copies as CSV, and what their state is."""

from typing import Final

from central.corpus.models import File, Symbol
from central.db import sql_with
from central.knowledge.models import CodeLinks, Document, Edge, Node
from central.repositories.models import Repository

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


DOCUMENTS: Final = _copied("""
    SELECT concat_ws('/', r.name, d.public_id), n.kind, r.name, d.title, d.body, d.status, d.author,
        d.properties, NULL, nullif(d.source_path, ''), NULL, NULL, NULL, NULL, NULL, NULL
    FROM {document} d JOIN {node} n ON n.id = d.node_id
    LEFT JOIN {repository} r ON r.id = n.repository_id
    WHERE n.organization_id = %(organization)s AND d.archived_at IS NULL AND r.retired_at IS NULL\
""")
EDGES: Final = _copied("""
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
FILES: Final = _copied("""
    SELECT 'code:' || r.name || '/' || f.path, 'code_file', r.name, f.path, '', NULL, NULL, NULL,
        NULL, f.path, NULL, NULL, NULL, nullif(f.language, ''), r.last_indexed_commit, f.id
    FROM {file} f JOIN {repository} r ON r.id = f.repository_id
    WHERE f.repository_id = %(repository)s AND f.id > %(after)s""")
SYMBOLS: Final = _copied("""
    SELECT 'code:' || r.name || '/' || f.path || '#' || s.qualified_name, 'code_symbol', r.name,
        s.qualified_name, s.signature, NULL, NULL, NULL, NULL, f.path, s.qualified_name,
        s.start_line, s.end_line, nullif(f.language, ''), r.last_indexed_commit, f.id
    FROM {symbol} s JOIN {file} f ON f.id = s.file_id
    JOIN {repository} r ON r.id = f.repository_id
    WHERE f.repository_id = %(repository)s AND f.id > %(after)s""")
FILE_IDS: Final = _sql("SELECT id FROM {file} WHERE repository_id = %s")
# What differs whenever the graph does.
MARK: Final = _sql("""SELECT
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
