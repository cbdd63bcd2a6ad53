"""References as resolution takes them, read by name, by root or by the definition they stand in."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from central.common.statements import fetch_rows
from central.trace.inquiry import Inquiry
from central.trace.things import Key


class Site(NamedTuple):
    """A reference with the place of its file."""

    id: int
    repository: int
    file: int
    path: str
    package: int
    ecosystem: str
    kind: str
    name: str
    binding: str
    root: str
    chain: str
    access: str
    caller: str
    line: int
    column: int


_COLUMNS = """r.id, r.repository_id, r.file_id, f.path, coalesce(f.package_id, 0), r.ecosystem,
    r.kind, r.name, r.binding, r.root, r.chain, r.access, r.caller, r.line, r.column"""
# What a file binds to a definition of its own and reaches directly stays in that file.
_BY_NAME = f"""SELECT {_COLUMNS}
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN corpus_reference r ON r.name = q.name AND r.ecosystem = q.ecosystem
        AND r.repository_id = ANY(%s::bigint[]) AND r.binding IN ('local', 'import', 'free')
    JOIN corpus_file f ON f.id = r.file_id
    WHERE r.kind <> 'type' AND (%s::text = '' OR r.kind = %s::text)
        AND (r.binding <> 'local' OR r.access <> 'path' OR r.chain <> ''
        OR r.file_id = ANY(%s::bigint[]))"""  # noqa: S608
_BY_ROOT = f"""SELECT {_COLUMNS}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, root)
    JOIN corpus_reference r ON r.file_id = q.file AND r.root = q.root AND r.binding = 'import'
    JOIN corpus_file f ON f.id = r.file_id
    WHERE r.kind <> 'type' AND r.repository_id = ANY(%s::bigint[])
        AND (%s::text = '' OR r.kind = %s::text)"""  # noqa: S608
_OPEN = f"""SELECT {_COLUMNS}
    FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
    JOIN corpus_reference r ON r.name = q.name AND r.ecosystem = q.ecosystem
        AND r.repository_id = ANY(%s::bigint[]) AND r.binding = 'unknown'
    JOIN corpus_file f ON f.id = r.file_id
    WHERE r.kind <> 'type' LIMIT %s"""  # noqa: S608
_COUNT_OPEN = """SELECT count(*) FROM (
        SELECT FROM unnest(%s::text[], %s::text[]) AS q (name, ecosystem)
        JOIN corpus_reference r ON r.name = q.name AND r.ecosystem = q.ecosystem
            AND r.repository_id = ANY(%s::bigint[]) AND r.binding = 'unknown'
        LIMIT %s) AS found"""
_WITHIN = f"""SELECT {_COLUMNS}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, name)
    JOIN corpus_reference r ON r.file_id = q.file
        AND (r.caller = q.name OR starts_with(r.caller, q.name || '.'))
    JOIN corpus_file f ON f.id = r.file_id
    WHERE r.kind <> 'type' AND r.repository_id = ANY(%s::bigint[])"""  # noqa: S608

Names = Sequence[tuple[str, str]]  # (name, ecosystem)


def sites_named(inquiry: Inquiry, names: Names, *, kind: str, files: Iterable[int]) -> list[Site]:
    """References of these names of which their file tells something; `kind` "" is any.

    `files` are those whose own definitions are meant.
    """
    asked = [*_columns(names), inquiry.repositories, kind, kind, sorted(set(files))]
    return [Site(*row) for row in fetch_rows(_BY_NAME, asked)]


def sites_rooted(inquiry: Inquiry, roots: Iterable[Key], *, kind: str) -> list[Site]:
    """References that begin with an import's local name; `roots` are (file, local name)."""
    keys = list(dict.fromkeys(roots))
    if not keys:
        return []
    asked = [*_columns(keys), inquiry.repositories, kind, kind]
    return [Site(*row) for row in fetch_rows(_BY_ROOT, asked)]


def sites_within(inquiry: Inquiry, definitions: Iterable[Key]) -> list[Site]:
    """References that stand in these definitions, or in what is defined inside of them."""
    keys = list(dict.fromkeys(definitions))
    return [Site(*row) for row in fetch_rows(_WITHIN, [*_columns(keys), inquiry.repositories])]


def open_sites(inquiry: Inquiry, names: Names, *, limit: int) -> list[Site]:
    """References of these names of which their file tells nothing, in no order."""
    rows = fetch_rows(_OPEN, [*_columns(names), inquiry.repositories, limit])
    return [Site(*row) for row in rows]


def count_open(inquiry: Inquiry, names: Names, *, limit: int) -> int:
    """How many there are, counted up to `limit`; read from the index alone."""
    rows = fetch_rows(_COUNT_OPEN, [*_columns(names), inquiry.repositories, limit])
    return int(rows[0][0])


def _columns(pairs: Sequence[tuple[object, object]]) -> list[list[object]]:
    return [[one for one, _ in pairs], [other for _, other in pairs]]
