"""The comparison of a full run's tree with the stored rows and with its batches.

A tree may have a million lines: it is read in parts into a temporary table, and PostgreSQL
compares. What is in memory is a part of it and the paths of the answer.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from psycopg.types.json import Jsonb

from central.corpus.branches.scope import ChosenBranch, choose
from central.corpus.branches.tables import VIEWS
from central.corpus.models import File, Manifest
from central.db import (
    Copy,
    copy_rows,
    fetch_rows,
    fetch_rows_planned_each_time,
    sql,
    sql_with,
)
from central.errors import InvalidError
from central.ingest.models import Batch, IndexRun
from indexer.bundle.gzip import PART_BYTES, inflate
from indexer.bundle.tree import TreeColumns, decode_tree
from indexer.ecosystems import MANIFEST_NAMES, MANIFEST_PATHS
from indexer.pipeline.versions import NEWEST
from indexer.records.extractors import MANIFESTS, SELECTION, Extractor
from indexer.records.files import SKIPPED_BY_CONTENT, TOOL_WRITTEN, GeneratedBy, SkipReason
from indexer.records.manifests import MANIFEST_CHARACTERS

TREE_NUMBER = 0  # the tree's number among a run's batches

_PATHS = 2_000  # rows a fetch
_CREATE = sql("""
    DROP TABLE IF EXISTS pg_temp.tree_line;
    CREATE TEMPORARY TABLE tree_line (path text COLLATE "C", mode varchar, blob varchar,
        skipped varchar) ON COMMIT DROP""")
_LINES = Copy(
    sql('COPY pg_temp.tree_line ("path", "mode", "blob", "skipped") FROM STDIN (FORMAT BINARY)'),
    ["text", "varchar", "varchar", "varchar"],
)
# Both tables may be new to the planner, which then joins them line by line: with an index that is
# no product of their sizes.
_PREPARE = sql("""
    CREATE INDEX tree_line_path ON pg_temp.tree_line (path);
    ANALYSE pg_temp.tree_line""")
_REPEATED = sql("SELECT path FROM pg_temp.tree_line GROUP BY path HAVING count(*) > 1 LIMIT 1")
# A client that has not read a file cannot know what its content tells: a line without a reason, or
# of a generated file, agrees with it. The encoding of what is not UTF-8 may come from another file.
# Another embedder asks for every file that has chunks.
_MATCHES = """file.repository_id = %(repository)s AND file.path COLLATE "C" = line.path
        AND (file.mode, file.blob, file.extractor)
            IS NOT DISTINCT FROM (line.mode, line.blob, {extractor})
        AND (CASE file.generated WHEN %(by_entry)s THEN %(generated)s ELSE file.skipped END
                = line.skipped
            OR (line.skipped IN ('', %(generated)s) AND file.skipped = ANY(%(by_content)s)))
        AND file.encoding = '' {own}
        AND NOT (%(knows_manifests)s AND {unread_manifest})
        AND NOT (%(new_vectors)s AND line.skipped = '' AND file.skipped = ''
            AND file.generated = '')"""
_CHANGED = """
    SELECT line.path FROM pg_temp.tree_line line
    WHERE NOT EXISTS (SELECT FROM {stored} file WHERE {matches})"""
# As Extractor.of_record makes it.
_EXTRACTOR = """concat_ws(' ', %(shared)s::text, %(parts)s::jsonb ->> file.language,
    CASE WHEN file.id IN (SELECT file_id FROM {manifest} WHERE repository_id = %(repository)s)
        THEN %(parts)s::jsonb ->> %(manifests)s END,
    CASE WHEN file.skipped <> '' THEN %(parts)s::jsonb ->> %(selection)s END)"""
# A file with the name of a manifest that an earlier indexer did not know.
_UNREAD_MANIFEST = """(file.skipped = ''
            OR (file.skipped = ANY(%(tool_written)s) AND file.size <= %(manifest_size)s))
        AND (substring(file.path FROM '[^/]*$') = ANY(%(manifest_names)s)
            OR file.path ~ %(manifest_paths)s)
        AND file.id NOT IN (SELECT file_id FROM {manifest} WHERE repository_id = %(repository)s)"""
_REMOVED = """
    FROM {shown} file WHERE file.repository_id = %(repository)s AND NOT EXISTS
        (SELECT FROM pg_temp.tree_line line WHERE line.path = file.path COLLATE "C")"""
_KEYS = """
    SELECT unnest(path_keys) AS key FROM {batch}
    WHERE run_id = %(run)s AND number > 0"""
# As services.batches.path_key makes them.
_KEY = "('x' || left(encode(sha256(convert_to(path, 'UTF8')), 'hex'), 16))::bit(64)::bigint"
_MISSING = (
    "came AS ({keys}) SELECT count(*), min(path) FROM required WHERE NOT EXISTS"
    " (SELECT FROM came WHERE came.key = {key})"
)


class _Statements:
    """The statements of a tree: `stored` are the files that it may have, `shown` that it has.

    On the default branch both are the same. Another one shares what the default branch has, too;
    what others have it does not take unread: their jobs wrote it.
    """

    def __init__(self, stored: str, shown: str, manifest: str, own: str = "") -> None:
        filled = sql_with(
            changed=_CHANGED,
            matches=_MATCHES,
            own=own,
            removed=_REMOVED,
            keys=_KEYS,
            key=_KEY,
            missing=_MISSING,
            extractor=_EXTRACTOR,
            unread_manifest=_UNREAD_MANIFEST,
            stored=stored,
            shown=shown,
            manifest=manifest,
            file=File,
            manifests=Manifest,
            batch=Batch,
        )
        self.changed_paths = filled("{changed} ORDER BY line.ctid")
        self.removed_count = filled("SELECT count(*) {removed}")
        self.removed_paths = filled("SELECT file.path {removed}")
        self.missing_of_all = filled(
            "WITH required AS (SELECT path FROM pg_temp.tree_line), {missing}"
        )
        self.missing_of_changed = filled("WITH required AS ({changed}), {missing}")
        self.foreign = filled(
            "SELECT count(*) FROM ({keys}) came WHERE NOT EXISTS"
            " (SELECT FROM pg_temp.tree_line WHERE came.key = {key})"
        )
        self.different = filled("""
            SELECT file.path FROM {shown} file LEFT JOIN pg_temp.tree_line line
                ON line.path = file.path COLLATE "C"
            WHERE file.repository_id = %(repository)s
                AND (file.mode, file.blob) IS DISTINCT FROM (line.mode, line.blob) LIMIT 1""")
        self.stored = filled("""
            SELECT DISTINCT ON (line.path) line.path, file.id
            FROM pg_temp.tree_line line JOIN {stored} file ON {matches}
            ORDER BY line.path, file.branches & %(bit)s <> 0 DESC, file.branches & 1 DESC""")


_OF_DEFAULT = _Statements("{file}", "{file}", "{manifests}")
_OF_OTHERS = _Statements(
    f"{VIEWS}.any_{{file}}",
    f"{VIEWS}.{{file}}",
    f"{VIEWS}.any_{{manifests}}",
    "AND file.branches & (%(bit)s | 1) <> 0",
)
_BODY_PART = sql(
    "SELECT substring(body FROM %s::int FOR %s::int) FROM {batch}"
    " WHERE run_id = %s AND number = %s",
    batch=Batch,
)


@dataclass(frozen=True, slots=True)
class TreeDiff:
    """The paths that must be processed, as JSON, and the number of stored paths to remove."""

    changed: bytes
    removed: int


@dataclass(frozen=True, slots=True)
class TreeMismatch:
    """The numbers of missing and foreign paths in a full run's batches, with an example."""

    missing: int
    example: str
    foreign: int


class LoadedTree:
    """The tree of a run in a temporary table of the current transaction."""

    def __init__(self, run: IndexRun) -> None:
        extractor = Extractor.parse(run.extractor)
        self._parameters: dict[str, Any] = {
            "run": run.pk,
            "repository": run.repository_id,
            "shared": extractor.shared,
            "parts": Jsonb(extractor.changed_parts()),
            "manifests": MANIFESTS,
            "selection": SELECTION,
            "knows_manifests": extractor.versions.get(MANIFESTS) == NEWEST.versions[MANIFESTS],
            "manifest_names": list(MANIFEST_NAMES),
            "manifest_paths": MANIFEST_PATHS,
            "manifest_size": MANIFEST_CHARACTERS,
            "tool_written": [str(reason) for reason in TOOL_WRITTEN],
            "by_content": [str(reason) for reason in SKIPPED_BY_CONTENT],
            "by_entry": str(GeneratedBy.ENTRY),
            "generated": str(SkipReason.GENERATED),
            "new_vectors": run.embedder != run.index.embedder,
            "bit": run.branch.bit if run.branch else 1,
        }
        self._statements = _OF_OTHERS if run.branch else _OF_DEFAULT
        if run.branch:
            choose([ChosenBranch.of(run.branch)])
        with connection.cursor() as cursor:
            cursor.execute(_CREATE)

    def fill(self, tree: Iterable[TreeColumns]) -> int:
        """Copy the tree; returns its number of lines. Raises BundleError and InvalidError."""
        count = 0
        for columns in tree:
            skipped = [reason or "" for reason in columns.skipped]
            rows = list(zip(columns.path, columns.mode, columns.blob, skipped, strict=True))
            copy_rows(_LINES, rows)
            count += len(rows)
        with connection.cursor() as cursor:
            cursor.execute(_PREPARE)
            cursor.execute(_REPEATED)
            if repeated := cursor.fetchone():
                raise InvalidError(
                    f"The path {repeated[0]!r} came on two lines of the tree; send every path "
                    "once.",
                    code="batch_duplicate_path",
                )
        return count

    def diff(self) -> TreeDiff:
        """Compare it with the stored rows of the repository.

        A line is changed if its mode, blob, skip reason or extractor differs from the row's; for
        its reason, `generated`, a row may have symbols.
        """
        changed = bytearray(b"[")
        for paths in self._paths(self._statements.changed_paths):
            changed += (b"," if len(changed) > 1 else b"") + json.dumps(paths)[1:-1].encode()
        [(removed,)] = fetch_rows_planned_each_time(
            self._statements.removed_count, self._parameters
        )
        return TreeDiff(bytes(changed + b"]"), removed)

    def removed(self) -> Iterator[list[str]]:
        """Yield stored paths that the tree does not have, in portions."""
        return self._paths(self._statements.removed_paths)

    def mismatch(self, *, of_all: bool) -> TreeMismatch:
        """Compare the run's batches with the paths they must have: the changed ones, or all."""
        statement = (
            self._statements.missing_of_all if of_all else self._statements.missing_of_changed
        )
        [(missing, example)] = fetch_rows_planned_each_time(statement, self._parameters)
        [(foreign,)] = fetch_rows_planned_each_time(self._statements.foreign, self._parameters)
        return TreeMismatch(missing, example or "", foreign)

    def different_file(self) -> str | None:
        """Return a path whose written row differs from its line in mode or blob."""
        found = fetch_rows_planned_each_time(self._statements.different, self._parameters)
        return found[0][0] if found else None

    def stored(self) -> dict[str, int]:
        """Return stored files of its lines by path: the branch's own, or else the default one's."""
        return dict(fetch_rows_planned_each_time(self._statements.stored, self._parameters))

    def _paths(self, statement: str) -> Iterator[list[str]]:
        connection.ensure_connection()
        with connection.connection.cursor(name="tree_paths") as cursor:
            cursor.execute(statement, self._parameters)
            while rows := cursor.fetchmany(_PATHS):
                yield [path for (path,) in rows]


def stored_tree(run: IndexRun) -> Iterator[TreeColumns] | None:
    """Read the run's uploaded tree in parts; None without one. Raises BundleError."""
    if not run.batch_set.filter(number=TREE_NUMBER).exists():
        return None
    return decode_tree(inflate(_body_parts(run), limit_bytes=settings.TREE_MAX_BYTES))


def _body_parts(run: IndexRun) -> Iterator[bytes]:
    start = 1
    while True:
        [(part,)] = fetch_rows(_BODY_PART, [start, PART_BYTES, run.pk, TREE_NUMBER])
        if not part:
            return
        yield part
        start += len(part)
