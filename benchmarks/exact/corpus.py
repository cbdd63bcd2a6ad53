"""The files that the service has indexed, with the content that it stores."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import psycopg

Place: TypeAlias = tuple[str, str, int]  # project, path, line

_FILES = """SELECT r.name, f.path, f.language, f.content
    FROM corpus_file f JOIN repositories_repository r ON r.id = f.repository_id
    WHERE f.skipped = '' AND r.retired_at IS NULL ORDER BY r.name, f.path"""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as the service has it."""

    project: str
    path: str
    language: str
    content: str


def indexed_files(database: "psycopg.Connection[Any]") -> list[IndexedFile]:
    """Return all files that are not skipped, by project and path."""
    return [IndexedFile(*row) for row in database.execute(_FILES)]
