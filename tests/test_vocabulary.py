"""No word of replaced_words.txt is used in the product, and no variable is called `one`."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("aeterna_code_search", "central", "indexer")
KINDS = ("tutorial", "how-to", "reference", "explanation")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/*.md", *(f"docs/{kind}/*.md" for kind in KINDS))
_LIST = (ROOT / "tests/replaced_words.txt").read_text(encoding="utf-8")
_NAME = re.compile(r"^(\w+) (\w+)(?: (\S+))?$", re.MULTILINE)
_PHRASES = re.compile(r"^(.+) => ", re.MULTILINE)

Terms = dict[str, tuple[str, str]]  # an old name: the new one, and the folder where it is replaced


def replaced_names() -> Terms:
    """Return each name that is not used any more; without a folder, it is replaced everywhere."""
    return {old: (new, folder) for old, new, folder in _NAME.findall(_LIST)}


def replaced_phrases() -> re.Pattern[str]:
    """Match each phrase that is not used in text, also across the end of a line."""
    phrases = [phrase for row in _PHRASES.findall(_LIST) for phrase in row.split(", ")]
    alternatives = [phrase.replace(" ", r"\s+") for phrase in phrases]
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


def sources() -> Iterator[Path]:
    """Yield the product's modules. Migrations are history: they keep their words."""
    for package in PACKAGES:
        yield from (
            path for path in (ROOT / package).rglob("*.py") if "migrations" not in path.parts
        )


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def defined_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names that a module gives to what others read, with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.Assign(targets=targets):
                yield from ((t.id, node.lineno) for t in targets if isinstance(t, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node.lineno


def variables(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every variable and parameter, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node.lineno


def breaches(names: Iterable[tuple[str, int]], terms: Terms, path: str) -> list[str]:
    """Return what to write instead of each replaced name in a module."""
    return [
        f"line {line}: {name} is called {terms[name][0]}"
        for name, line in names
        if name in terms and f"{path}/".startswith(terms[name][1])
    ]


def test_no_replaced_name_is_defined() -> None:
    terms = replaced_names()
    assert len(terms) > 100
    found = {
        relative(path): names
        for path in sources()
        if (names := breaches(defined_names(ast.parse(path.read_bytes())), terms, relative(path)))
    }
    assert found == {}


def test_no_variable_is_called_one() -> None:
    found = [
        f"{relative(path)}:{line}"
        for path in sources()
        for name, line in variables(ast.parse(path.read_bytes()))
        if name == "one"
    ]
    assert found == []


def test_no_module_has_a_replaced_name() -> None:
    assert replaced_names().keys().isdisjoint(path.stem for path in sources())


def test_no_replaced_phrase_is_in_the_text() -> None:
    pattern = replaced_phrases()
    documents = (path for glob in DOCUMENTS for path in ROOT.glob(glob))
    found = {
        relative(path): sorted({match.lower() for match in matches})
        for path in (*sources(), *documents)
        if (matches := pattern.findall(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_phrases_are_found_across_lines_and_not_inside_of_words() -> None:
    pattern = replaced_phrases()
    assert pattern.search("The service is\naway.")
    assert pattern.search("How sure it is.")
    assert not pattern.search("The time is awayed.")


def test_classes_functions_parameters_and_constants_are_looked_at() -> None:
    source = "class Lane:\n    COURSE: int = 1\n    def rest(self, ahead): ...\nMARK = 2\n"
    terms = dict.fromkeys(("Lane", "COURSE", "rest", "ahead", "MARK"), ("another", "indexer/"))
    names = list(defined_names(ast.parse(source)))
    assert len(breaches(names, terms, "indexer/a.py")) == len(terms)
    assert not breaches(names, terms, "central/a.py")


def test_every_kind_of_variable_is_looked_at() -> None:
    source = "for one in a: [one for one in a]\nmatch a:\n    case [one]: lambda one: one\n"
    assert len([name for name, _ in variables(ast.parse(source)) if name == "one"]) == 4
