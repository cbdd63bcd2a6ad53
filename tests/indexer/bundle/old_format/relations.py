"""Imports, exports and references ↔ rows. A row is a record as an array."""

from typing import Final

from indexer.limits import MODULE_PATH_BYTES, NAME_CHARACTERS
from indexer.records.files import FileRecord
from indexer.records.references import Access, Binding, Export, Import, Reference, ReferenceKind
from tests.indexer.bundle.old_format.fields import Fields
from tests.indexer.bundle.old_format.rows import Rows

RELATION_KEYS: Final = frozenset({"namespace", "imports", "exports", "references"})


def relation_fields(record: FileRecord) -> dict[str, object]:
    """What a file line holds of how the file is tied to others."""
    return {
        "namespace": record.namespace,
        "imports": record.imports,
        "exports": record.exports,
        "references": record.references,
    }


def read_imports(fields: Fields, *, last_line: int) -> tuple[Import, ...]:
    """The imports of a file of `last_line` lines."""
    rows = Rows(fields, "imports", columns=Import._fields)
    return tuple(
        map(
            Import,
            rows.texts("local", most=NAME_CHARACTERS),
            rows.texts("module", most=NAME_CHARACTERS),
            rows.short_texts("path", most_bytes=MODULE_PATH_BYTES),
            rows.booleans("wildcard"),
            rows.integers("line", least=1, most=last_line),
        )
    )


def read_exports(fields: Fields) -> tuple[Export, ...]:
    """The exports of a file."""
    rows = Rows(fields, "exports", columns=Export._fields)
    return tuple(
        map(
            Export,
            rows.texts("name", most=NAME_CHARACTERS),
            rows.short_texts("path", most_bytes=MODULE_PATH_BYTES),
            rows.booleans("is_local"),
            rows.booleans("wildcard"),
        )
    )


def read_references(fields: Fields, *, content: str, last_line: int) -> tuple[Reference, ...]:
    """The references of a file with `content`, which has `last_line` lines."""
    rows = Rows(fields, "references", columns=Reference._fields)
    return tuple(
        map(
            Reference,
            rows.options("kind", ReferenceKind),
            rows.texts("name", most=NAME_CHARACTERS),
            rows.options("binding", Binding),
            rows.texts("root", most=NAME_CHARACTERS),
            rows.texts("chain", most=NAME_CHARACTERS),
            rows.options("access", Access),
            rows.texts("caller", most=NAME_CHARACTERS),
            rows.integers("line", least=1, most=last_line),
            rows.integers("column", least=0, most=len(content)),
        )
    )
