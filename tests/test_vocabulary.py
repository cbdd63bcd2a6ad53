"""No name of the left column of docs/glossary.md is defined in the packages that follow it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("agents", "cli", "indexer", "integrations")
_ROW = re.compile(r"\| `(\w+)` \| `(\w+)` \|")


def glossary() -> dict[str, str]:
    """Each name that is not used any more, with the one that is."""
    return dict(_ROW.findall((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")))


def defined_names(source: str) -> Iterator[tuple[str, int]]:
    """Names that a module gives to what others read, with their lines."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.Assign(targets=targets):
                yield from ((t.id, node.lineno) for t in targets if isinstance(t, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node.lineno


def breaches(source: str, terms: dict[str, str]) -> list[str]:
    """What to write instead of each name that the glossary has replaced."""
    return [
        f"line {line}: {name} is called {terms[name]}"
        for name, line in defined_names(source)
        if name in terms
    ]


def test_the_glossary_has_its_rows() -> None:
    assert len(glossary()) > 100


def test_no_replaced_name_is_defined() -> None:
    terms = glossary()
    found = {
        str(path.relative_to(ROOT)): names
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if (names := breaches(path.read_text(encoding="utf-8"), terms))
    }
    assert found == {}


def test_no_module_has_a_replaced_name() -> None:
    terms = glossary()
    stems = {path.stem for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert stems.isdisjoint(terms)


def test_classes_functions_parameters_and_constants_are_looked_at() -> None:
    source = "class Lane:\n    COURSE: int = 1\n    def rest(self, ahead): ...\nMARK = 2\n"
    terms = dict.fromkeys(("Lane", "COURSE", "rest", "ahead", "MARK"), "another")
    assert len(breaches(source, terms)) == len(terms)
