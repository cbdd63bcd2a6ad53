"""No word of a left column of docs/reference/glossary.md is used in what follows that glossary."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("aeterna_code_search", "indexer")
KINDS = ("tutorial", "how-to", "reference", "explanation")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", *(f"docs/{kind}/*.md" for kind in KINDS))
_ROW = re.compile(r"\| `(\w+)` \| `(\w+)` \|")
_PHRASES = re.compile(r"\| ([a-z, ]+) \| ")


def glossary() -> dict[str, str]:
    """Each name that is not used any more, with the one that is."""
    return dict(_ROW.findall((ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8")))


def phrases() -> re.Pattern[str]:
    """Match each phrase that is not used in text, also across the end of a line."""
    glossary = (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8")
    rows = _PHRASES.findall(glossary.partition("| not in text |")[2])
    alternatives = [phrase.replace(" ", r"\s+") for row in rows for phrase in row.split(", ")]
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


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


def test_no_replaced_phrase_is_in_the_text() -> None:
    pattern = phrases()
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    documents = [path for glob in DOCUMENTS for path in ROOT.glob(glob)]
    found = {
        str(path.relative_to(ROOT)): sorted({match.lower() for match in matches})
        for path in (*sources, *documents)
        if path.name != "glossary.md"
        and (matches := pattern.findall(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_phrases_are_found_across_lines_and_not_inside_of_words() -> None:
    pattern = phrases()
    assert pattern.search("The service is\naway.")
    assert pattern.search("How sure it is.")
    assert not pattern.search("The time is awayed.")


def test_classes_functions_parameters_and_constants_are_looked_at() -> None:
    source = "class Lane:\n    COURSE: int = 1\n    def rest(self, ahead): ...\nMARK = 2\n"
    terms = dict.fromkeys(("Lane", "COURSE", "rest", "ahead", "MARK"), "another")
    assert len(breaches(source, terms)) == len(terms)
