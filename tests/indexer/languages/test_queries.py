"""The queries keep to the vocabulary of queries/README.md."""

import re
from importlib import import_module
from pathlib import Path

import pytest
import tree_sitter

from indexer import languages
from indexer.languages import LANGUAGES_BY_NAME, Language
from indexer.languages.registry import PARSED
from indexer.resolution.file_relations import LABELS
from indexer.syntax.parser import read_query
from indexer.syntax.trees import grammar_language

QUERIES = Path(languages.__file__).parent / "queries"


@pytest.mark.parametrize("language", PARSED, ids=lambda language: language.name)
def test_trace_queries_use_known_labels_only(language: Language) -> None:
    grammar = language.grammar
    assert grammar is not None
    compiled = tree_sitter.Language(getattr(import_module(grammar.module), grammar.function)())
    for name in grammar.queries:
        file = QUERIES / f"{name}.trace.scm"
        if file.is_file():
            query = tree_sitter.Query(compiled, file.read_text("utf-8"))
            labels = {query.capture_name(index) for index in range(query.capture_count)}
            assert {label for label in labels if not label.startswith("_")} <= LABELS


_SKIPPED = re.compile(r';[^\n]*|"(?:\\.|[^"\\])*"')


@pytest.mark.parametrize("path", sorted(QUERIES.glob("*.scm")), ids=lambda path: path.name)
def test_no_alternation_is_an_alternative_of_another(path: Path) -> None:
    """Tree-sitter would match its first alternative alone, unless it is the last one of the outer.

    `findings/tree-sitter-nested-alternation-loses-matches.sh`
    """
    opened = [""]
    for bracket in re.findall(r"[][()]", _SKIPPED.sub("", path.read_text("utf-8"))):
        if bracket in ")]":
            opened.pop()
        else:
            assert (opened[-1], bracket) != ("[", "[")
            opened.append(bracket)


def test_every_label_is_explained() -> None:
    page = (QUERIES / "README.md").read_text("utf-8")
    short = {"field.new", "field.call", "field.alias"}  # `.new`, `.call`, `.alias` after @field
    assert [label for label in sorted(LABELS - short) if f"`@{label}`" not in page] == []


def test_every_label_of_definitions_is_explained() -> None:
    page = (QUERIES / "README.md").read_text("utf-8").partition("## Definitions")[2]
    explained = set(re.findall(r"`@?([a-z.]+)`", page.partition("## Uses")[0]))
    files = (path for path in QUERIES.glob("*.scm") if not path.name.endswith(".trace.scm"))
    text = "\n".join(re.sub(r";[^\n]*", "", path.read_text("utf-8")) for path in files)
    labels = {label.removeprefix("definition") for label in re.findall(r"@([a-z][a-z.]*)", text)}
    assert labels <= explained | {kind.removeprefix("definition") for kind in explained}


@pytest.mark.parametrize(
    ("language", "opening", "closing"),
    [
        ("python", "", " = f()"),
        ("python", "for ", " in f(): pass"),
        ("typescript", "const [", "] = f()"),
        ("go", "package a\nfunc f() {", " := g() }"),
        ("cpp", "void f() { auto [", "] = g(); }"),
        ("kotlin", "fun f() { for ((", ") in g()) {} }"),
    ],
)
def test_names_of_a_pattern_do_not_wait_for_what_it_is_given(
    language: str, opening: str, closing: str
) -> None:
    """Each of n names that waits is compared to all others at each node: the cube of n."""
    grammar = LANGUAGES_BY_NAME[language].grammar
    assert grammar is not None
    query, _ = read_query(grammar)
    names = ", ".join(f"a{number}" for number in range(500))
    parser = tree_sitter.Parser(grammar_language(grammar))
    cursor = tree_sitter.QueryCursor(query, match_limit=64)
    cursor.matches(parser.parse(f"{opening}{names}{closing}\n".encode()).root_node)
    assert not cursor.did_exceed_match_limit
