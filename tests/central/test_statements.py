"""Every SQL statement of the service, prepared by PostgreSQL on the tables that migrations make."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction

import central
from central.corpus.models import Chunk, File, Symbol
from central.db import STATEMENTS, UNUSED, sql, sql_with

_ROOT = Path(central.__file__).parent
_PARAMETER = re.compile(r"%(?:[bs]|\((\w+)\)s|%)")
_COPY_OUT = re.compile(r"COPY \((.*)\) TO STDOUT \([^()]*\)", re.DOTALL)


@pytest.mark.django_db
def test_postgresql_prepares_every_statement() -> None:
    for module in _modules():
        name = ".".join(module.relative_to(_ROOT.parent).with_suffix("").parts)
        import_module(name.removesuffix(".__init__"))
    assert len(STATEMENTS) > 100
    assert not {place: names for place, names in UNUSED.items() if names}
    # Temporary tables are made by their own statements, which come before those that use them.
    ordered = sorted(STATEMENTS.items(), key=lambda item: not _makes_tables(item[0]))
    failures = [
        f"{place}: {error}\n{statement}"
        for statement, place in ordered
        if (error := _error_of(statement))
    ]
    assert not failures, "\n\n".join(failures)


def test_no_string_names_a_table() -> None:
    tables = "|".join(model._meta.db_table for model in apps.get_models(include_auto_created=True))
    named = re.compile(rf"\b(?:{tables})\b")
    found = [
        f"{module.relative_to(_ROOT)}:{node.lineno}: central.db.sql takes tables from models"
        for module in _modules()
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and named.search(node.value)
        )
        or (isinstance(node, ast.Attribute) and node.attr == "db_table" and module.name != "db.py")
    ]
    assert not found, "\n".join(found)


def test_a_statement_takes_its_tables_from_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("central.db.STATEMENTS", {})
    monkeypatch.setattr("central.db.UNUSED", unused := {})
    parts = {"joined": "FROM {file} JOIN {symbol}", "file": File, "symbol": Symbol}
    filled = "SELECT '{}' FROM corpus_file JOIN corpus_symbol"
    assert sql("SELECT '{}' {joined}", **parts) == filled
    assert sql_with(**parts, chunk=Chunk)("SELECT '{}' {joined}") == filled
    assert list(unused.values()) == [{"chunk"}]


@pytest.mark.parametrize("models", [{}, {"file": File, "symbol": Symbol}])
def test_a_name_that_is_not_given_or_not_used_is_refused(models: dict[str, type[File]]) -> None:
    with pytest.raises(KeyError):
        sql("SELECT 1 FROM {file}", **models)


def _modules() -> Iterator[Path]:
    """All but migrations, which name tables as they were, and settings, which have no statement."""
    for path in sorted(_ROOT.rglob("*.py")):
        if not {"migrations", "settings"} & set(path.parts):
            yield path


def _makes_tables(statement: str) -> bool:
    return statement.split(maxsplit=1)[0] in {"CREATE", "DROP"}


def _error_of(statement: str) -> str:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if _makes_tables(statement):
                cursor.execute(statement)
            elif statement.startswith("COPY") and not _COPY_OUT.fullmatch(statement):
                with connection.wrap_database_errors, cursor.copy(statement):
                    pass
            else:
                cursor.execute(f"PREPARE checked AS {_with_numbers(statement)}")
                cursor.execute("DEALLOCATE checked")
    except DatabaseError as exc:
        return str(exc)
    return ""


def _with_numbers(statement: str) -> str:
    """The statement with $1, $2, … as PostgreSQL has parameters; of COPY, what it copies."""
    copied = _COPY_OUT.fullmatch(statement)
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        name = found[1] or str(found.start())
        return f"${numbers.setdefault(name, len(numbers) + 1)}"

    return _PARAMETER.sub(numbered, copied[1] if copied else statement)
