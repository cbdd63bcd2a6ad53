"""Vectors of the files that were indexed before there were any (decision 0043).

A portion is a transaction: an interrupted migration goes on with files that have none. Files that a
run is replacing are left to it.
"""

from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import migrations

from central.corpus.embeddings import pack_direction, unpack_vector

_FILES = 500
_NEXT = """SELECT max(id) FROM (
    SELECT id FROM corpus_file WHERE id > %s ORDER BY id LIMIT %s) AS portion"""
_VECTORS = """SELECT f.id, e.vector FROM corpus_file f
    JOIN repositories_repository r ON r.id = f.repository_id
    JOIN corpus_chunk c ON c.file_id = f.id
    JOIN corpus_embedding e ON e.repository_id = f.repository_id AND e.embedder = r.embedder
        AND e.digest = c.digest
    WHERE f.id > %s AND f.id <= %s AND f.vector IS NULL ORDER BY f.id, c.ordinal"""
_FILL = """UPDATE corpus_file SET vector = made.vector
    FROM unnest(%s::bigint[], %s::bytea[]) AS made (id, vector)
    WHERE corpus_file.id = made.id AND corpus_file.ctid = ANY (ARRAY(
        SELECT ctid FROM corpus_file WHERE id = ANY(%s) AND vector IS NULL
        FOR NO KEY UPDATE SKIP LOCKED))"""


def fill(_apps: Any, schema_editor: Any) -> None:
    """Give files their vectors, some at a time."""
    with schema_editor.connection.cursor() as cursor:
        after = 0
        while True:
            cursor.execute(_NEXT, [after, _FILES])
            (until,) = cursor.fetchone()
            if until is None:
                return
            cursor.execute(_VECTORS, [after, until])
            made = [
                (file, pack_direction(sum(unpack_vector(bytes(vector)) for _, vector in rows)))
                for file, rows in groupby(cursor.fetchall(), itemgetter(0))
            ]
            files = [file for file, _ in made]
            cursor.execute(_FILL, [files, [vector for _, vector in made], files])
            after = until


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("corpus", "0010_file_vector")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
