"""What a search reads: repositories in scope and the live rows behind hits.

Plain tuples and SQL with arrays: a search reads hundreds of rows, and building model instances
or IN lists of that length costs more than the query.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from central.repositories.models import Repository
from central.repositories.selectors import visible_repositories
from central.search.filters import RowFilter
from central.tenancy.credentials import Credential

SYMBOL_ROWS = 1_000


class SearchedRepository(NamedTuple):
    """A visible repository as a search needs it; `generation` 0 means never indexed."""

    id: int
    name: str
    web_url: str
    generation: int
    commit: str
    indexed_at: datetime | None
    embedder: str
    chunks: int
    paused: bool
    trouble: str


class LiveChunk(NamedTuple):
    """A chunk's row without its text. `terms` is packed as corpus.models.Chunk says."""

    id: int
    point: UUID
    repository: int
    path: str
    language: str
    start_line: int
    end_line: int
    type: str
    name: str
    container: str
    terms: bytes


class ShownText(NamedTuple):
    """What of a chunk is shown; `content` is its file's, and empty unless asked for."""

    text: str
    content: str


_CHUNK = """c.id, c.point, c.repository_id, f.path, f.language, c.start_line, c.end_line,
    c.type, c.name, c.container, c.terms"""
_LIVE = f"""SELECT {_CHUNK} FROM corpus_chunk c JOIN corpus_file f ON f.id = c.file_id
    WHERE c.point = ANY(%s) AND c.repository_id = ANY(%s)"""  # noqa: S608
# The narrowest chunk that holds a definition's first line, the one with its name before others.
_DEFINING = f"""SELECT DISTINCT ON (s.id) s.name, {_CHUNK}
    FROM corpus_symbol s
    JOIN corpus_chunk c ON c.file_id = s.file_id
        AND c.start_line <= s.start_line AND c.end_line >= s.start_line
    JOIN corpus_file f ON f.id = s.file_id
    WHERE s.id = ANY(%s)
    ORDER BY s.id, c.name = s.name DESC, c.end_line - c.start_line, c.ordinal"""  # noqa: S608
_NAMED = """SELECT id FROM corpus_symbol
    WHERE name = ANY(%s) AND repository_id = ANY(%s) LIMIT %s"""
_MATCHING = """SELECT s.id FROM corpus_symbol s JOIN corpus_file f ON f.id = s.file_id
    WHERE s.repository_id = ANY(%s) AND s.name ILIKE ALL(%s) AND starts_with(f.path, %s)
        AND (%s = '' OR f.language = %s) AND NOT lower(f.path) LIKE ANY(%s)
    ORDER BY s.name = %s DESC, lower(s.name) = lower(%s) DESC, length(s.name), s.name, s.id
    LIMIT %s"""


def repositories_in_sight(*, credential: Credential) -> list[SearchedRepository]:
    """Every repository that the credential sees, by name."""
    rows = (
        visible_repositories(credential=credential)
        .order_by("name")
        .values_list(
            "id",
            "name",
            "web_url",
            "generation",
            "last_indexed_commit",
            "indexed_at",
            "embedder",
            "chunks",
            "paused",
            "trouble",
        )
    )
    return [SearchedRepository(*row) for row in rows]


def live_chunks(*, points: Sequence[UUID], repositories: Sequence[int]) -> list[LiveChunk]:
    """The chunks of `repositories` that name one of `points`; a dead point has none."""
    return [LiveChunk(*row) for row in _rows(_LIVE, [list(points), list(repositories)])]


def chunks_defining(
    *, names: Sequence[str], repositories: Sequence[int]
) -> list[tuple[str, LiveChunk]]:
    """(name, chunk that defines it) for symbols with exactly one of `names`."""
    ids = _rows(_NAMED, [list(names), list(repositories), SYMBOL_ROWS])
    return _defining([row[0] for row in ids])


def chunks_defining_like(
    *, name: str, parts: Sequence[str], repositories: Sequence[int], rows: RowFilter
) -> list[tuple[str, LiveChunk]]:
    """(name, chunk) for symbols whose name holds every part, whatever the case; closest first.

    The exact name, its other spellings and names that begin with it are among these.
    """
    patterns = [f"%{_like(part)}%" for part in parts]
    excluded = [f"%{_like(pattern)}%" for pattern in rows.excluded]
    ids = _rows(
        _MATCHING,
        [
            list(repositories),
            patterns,
            rows.prefix,
            rows.language,
            rows.language,
            excluded,
            name,
            name,
            SYMBOL_ROWS,
        ],
    )
    return _defining([row[0] for row in ids])


def shown_texts(*, chunks: Sequence[int], with_file: bool) -> dict[int, ShownText]:
    """Chunk id → its text and, `with_file`, its file's content. A chunk may be gone by now."""
    content = "f.content" if with_file else "''"
    sql = f"""SELECT c.id, c.text, {content} FROM corpus_chunk c
        JOIN corpus_file f ON f.id = c.file_id WHERE c.id = ANY(%s)"""  # noqa: S608
    return {row[0]: ShownText(row[1], row[2]) for row in _rows(sql, [list(chunks)])}


def generations(*, repositories: Iterable[int]) -> dict[int, int]:
    """Repository id → generation, as it is now."""
    found = Repository.objects.filter(pk__in=list(repositories))
    return dict(found.values_list("pk", "generation"))


def _defining(symbols: list[int]) -> list[tuple[str, LiveChunk]]:
    if not symbols:
        return []
    return [(row[0], LiveChunk(*row[1:])) for row in _rows(_DEFINING, [symbols])]


def _rows(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
