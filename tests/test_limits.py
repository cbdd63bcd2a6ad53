"""docs/reference/limits.md has the bounds of the product; UPDATE_LIMITS=1 writes their values.

A bound is a public number of a module whose name has a unit; the page may name others.
"""

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/limits.md"
UNITS = ("_BYTES", "_CHARACTERS", "_SECONDS", "_MINUTES", "_HOURS", "_DAYS")
_ROW = re.compile(r"^\| `(?P<name>[A-Z_]+)` \| (?P<what>.+) \| (?P<limit>.+) \| (?P<beyond>.+) \|$")
_OPERATIONS = ast.BinOp | ast.Constant | ast.operator | ast.UnaryOp | ast.unaryop
# Sizes of what the product writes and times of its own work, which no input can exceed.
_OWN = """
    ACCESS_SECONDS ADDRESS_CHARACTERS CHECK_SECONDS CONDENSED_CHARACTERS CONTEXT_CHARACTERS
    HUNG_SECONDS KEPT_HOURS KEPT_SECONDS KEY_SET_SECONDS LEXEME_CHARACTERS MAX_BYTES
    MAX_EXPRESSION_CHARACTERS MAX_TOKEN_CHARACTERS MAX_WORD_CHARACTERS MERGED_CHARACTERS
    MOST_CHARACTERS PART_BYTES PART_CHARACTERS PATH_QUERY_CHARACTERS POINTED_CHARACTERS
    SERVER_MESSAGE_CHARACTERS SHOWN_CHARACTERS SHOWN_NAME_CHARACTERS SOFT_CHARACTERS
    TINY_CHARACTERS VALUE_BYTES WAIT_SECONDS WHOLE_CLASS_CHARACTERS WITHIN_SECONDS WORK_SECONDS
    WRITERS_SECONDS
"""


def numbers(source: str) -> Iterator[tuple[str, float]]:
    """Yield the public constants of a module that are numbers."""
    for node in ast.parse(source).body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case _:
                continue
        if not name.isupper() or name.startswith("_") or value is None:
            continue
        if all(isinstance(part, _OPERATIONS) for part in ast.walk(value)):
            number = eval(ast.unparse(value))  # noqa: S307 - operators and literals alone
            if isinstance(number, int | float) and not isinstance(number, bool):
                yield name, number


def constants() -> dict[str, list[float]]:
    """Return every number of the product by name, also of several modules."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for package in ("aeterna_code_search", "central", "indexer"):
        for path in (ROOT / package).rglob("*.py"):
            for name, number in numbers(path.read_text(encoding="utf-8")):
                found[name].append(number)
    return found


def rows(page: str) -> dict[str, re.Match[str]]:
    """By name; a table's line that is no row, nor its head, would be overlooked."""
    of_tables = [line for line in page.splitlines() if line.startswith("| `")]
    found = [match for line in of_tables if (match := _ROW.match(line))]
    assert len(found) == len(of_tables)
    assert len({match["name"] for match in found}) == len(found)
    return {match["name"]: match for match in found}


def written(name: str, value: float) -> str:
    """As the page writes it."""
    if name.endswith("_BYTES"):
        for unit, size in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
            if value % size == 0 and value >= 10 * 1024:
                return f"{value // size:,} {unit}"
    unit = name.rpartition("_")[2]
    amount = f"{int(value):,}" if value == int(value) else f"{value:,}"
    return f"{amount} {unit.lower()}" if f"_{unit}" in UNITS else amount


def collected(page: str, found: dict[str, list[float]]) -> str:
    """Return the page with the values of the constants that it names, each defined once."""
    lines = page.splitlines()
    for number, line in enumerate(lines):
        if match := _ROW.match(line):
            (value,) = found[match["name"]]
            start, end = match.span("limit")
            lines[number] = line[:start] + written(match["name"], value) + line[end:]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def found() -> dict[str, list[float]]:
    return constants()


def test_every_row_is_of_one_constant_and_has_its_value(found: dict[str, list[float]]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(rows(page)) > 300
    current = collected(page, found)
    if os.environ.get("UPDATE_LIMITS"):
        PAGE.write_text(current, encoding="utf-8")
    assert current == page


def test_every_number_with_a_unit_has_a_row_or_bounds_no_input(
    found: dict[str, list[float]],
) -> None:
    """What only its own module needs is private."""
    with_units = {name for name in found if name.endswith(UNITS)}
    assert with_units - rows(PAGE.read_text(encoding="utf-8")).keys() == set(_OWN.split())


def test_a_constant_of_the_page_is_used() -> None:
    """A bound that nothing asks for would be a promise that nothing keeps."""
    packages = ("aeterna_code_search", "central", "indexer")
    paths = (path for package in packages for path in (ROOT / package).rglob("*.py"))
    words = re.findall(r"\b[A-Z][A-Z_]+\b", "\n".join(path.read_text("utf-8") for path in paths))
    used = {name for name in rows(PAGE.read_text("utf-8")) if words.count(name) > 1}
    assert used == rows(PAGE.read_text("utf-8")).keys()


def test_the_indexer_knows_no_constant_of_single_sign_on() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "indexer").rglob("*.py"))
    assert not re.search(r"\b(?:SSO|OIDC)_[A-Z]+", "\n".join(sources))
