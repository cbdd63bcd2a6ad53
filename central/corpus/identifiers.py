"""Positions of a file's references and definitions, as its rows have them."""

from typing import Final, NamedTuple

from central.corpus.models import Reference, Symbol
from indexer.records.references import ReferenceKind

MAX_IDENTIFIERS: Final = 20_000  # of each kind


class StoredReference(NamedTuple):
    """A reference; `column` counts characters from 0."""

    line: int
    column: int
    name: str


class StoredDefinition(NamedTuple):
    """A definition; its name is somewhere in its first lines."""

    start_line: int
    end_line: int
    name: str


def references_of(file_id: int, *, last_line: int) -> list[StoredReference]:
    """Return a file's references up to a line, in order of position, without those of types."""
    rows = (
        Reference.objects.filter(file_id=file_id, line__lte=last_line)
        .exclude(kind=ReferenceKind.TYPE)
        .order_by("line", "column")
        .values_list("line", "column", "name")[:MAX_IDENTIFIERS]
    )
    return [StoredReference(*row) for row in rows]


def definitions_of(file_id: int, *, last_line: int) -> list[StoredDefinition]:
    """Return a file's definitions that begin up to a line, in order of position."""
    rows = (
        Symbol.objects.filter(file_id=file_id, start_line__lte=last_line)
        .order_by("start_line", "-end_line", "id")
        .values_list("start_line", "end_line", "name")[:MAX_IDENTIFIERS]
    )
    return [StoredDefinition(*row) for row in rows]
