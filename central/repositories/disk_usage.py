"""How much disk a repository takes: its share, by rows, of what all repositories take.

Tables and vectors are shared by repositories, so the bytes of one cannot be read off. PostgreSQL's
log and system catalogues are left out, and so are vectors in a store of another machine.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.db.models import F, Sum

from central.db import fetch_rows, sql
from central.repositories.models import Repository

_EMBEDDED: Final = "edge:"
_BLOCK: Final = 512  # bytes, of st_blocks
_SECONDS: Final = 300  # between two measurements
_KEY: Final = "disk_bytes_per_row"
_TABLE_BYTES: Final = sql(
    "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = current_schema::regnamespace"
)
_ROWS: Final = F("chunks") + F("symbols") + F("references")


def disk_bytes(repositories: Iterable[Repository]) -> dict[int, int]:
    """Return the bytes on disk of each repository's index by its id, estimated."""
    rows = {repository.pk: _rows(repository) for repository in repositories}
    per_row = _bytes_per_row() if any(rows.values()) else 0.0
    return {key: round(count * per_row) for key, count in rows.items()}


def _bytes_per_row() -> float:
    known = cache.get(_KEY)
    if known is None:
        rows = Repository.objects.aggregate(rows=Sum(_ROWS))["rows"] or 1
        [(table_bytes,)] = fetch_rows(_TABLE_BYTES)
        known = (int(table_bytes) + sum(_file_bytes(settings.VECTOR_STORE_URL))) / rows
        cache.set(_KEY, known, _SECONDS)
    return float(known)


def _file_bytes(store_url: str) -> Iterator[int]:
    """Generate the size of each file of the embedded store, as it is allocated."""
    if not store_url.startswith(_EMBEDDED):
        return
    for directory, _, names in os.walk(store_url.removeprefix(_EMBEDDED)):
        for name in names:
            try:
                yield Path(directory, name).stat().st_blocks * _BLOCK
            except FileNotFoundError:  # the store has replaced it
                continue


def _rows(repository: Repository) -> int:
    return repository.chunks + repository.symbols + repository.references
