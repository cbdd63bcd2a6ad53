"""docs/reference/limits.md and indexer/limits.py say the same, both ways."""

import ast
import re
from pathlib import Path

import pytest

from indexer import limits

ROOT = Path(__file__).resolve().parent.parent
_ROW = re.compile(r"^\| `(?P<name>[A-Z_]+)` \| (?P<what>.+) \| (?P<limit>.+) \| (?P<beyond>.+) \|$")
_SOURCE = ast.parse(Path(limits.__file__).read_text(encoding="utf-8"))


def constants() -> dict[str, float]:
    return {name: value for name, value in vars(limits).items() if name.isupper()}


def rows() -> dict[str, re.Match[str]]:
    """By name; a table's line that is no row, nor its head, would be overlooked."""
    lines = (ROOT / "docs/reference/limits.md").read_text(encoding="utf-8").splitlines()
    of_tables = [line for line in lines if line.startswith("| `")]
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
    return f"{amount} {unit.lower()}" if unit in {"BYTES", "CHARACTERS", "SECONDS"} else amount


def test_every_constant_has_its_row_and_every_row_its_constant() -> None:
    assert rows().keys() == constants().keys()


@pytest.mark.parametrize("name", constants())
def test_a_row_has_the_value_of_its_constant(name: str) -> None:
    assert rows()[name]["limit"] == written(name, constants()[name])


def sections(path: Path, heading: str) -> list[tuple[str, list[str]]]:
    """Headings, which follow an empty line, and the constants below each."""
    found: list[tuple[str, list[str]]] = []
    before = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(heading) and not before:
            found.append((line.removeprefix(heading), []))
        elif match := re.match(r"(?:\| `)?([A-Z_]{3,})(?:`|:)", line):
            found[-1][1].append(match[1])
        before = line
    return found


def test_the_page_has_the_sections_of_the_module_and_each_constant_in_its_own() -> None:
    module = sections(Path(limits.__file__), "# ")
    page = sections(ROOT / "docs/reference/limits.md", "## ")
    assert [(name, sorted(names)) for name, names in page] == [
        (name, sorted(names)) for name, names in module
    ]


def test_the_module_needs_no_other() -> None:
    imports = [node for node in ast.walk(_SOURCE) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["from typing import Final"]


@pytest.mark.parametrize("name", constants())
def test_a_constant_is_used(name: str) -> None:
    """A bound that nothing asks for would be a promise that nothing keeps."""
    uses = re.compile(rf"\b{name}\b")
    sources = (
        path
        for package in ("aeterna_code_search", "central", "indexer")
        for path in (ROOT / package).rglob("*.py")
        if path != Path(limits.__file__)
    )
    assert any(uses.search(path.read_text(encoding="utf-8")) for path in sources)
