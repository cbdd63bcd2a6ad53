"""Modes in which the text is one literal or one pattern, beside filters."""

import pytest

from aeterna_code_search.contract.search import Mode
from central.query.errors import QueryError
from central.query.modes import TEXT_MODES, parse_as
from central.query.syntax import Case, Literal, Regex, Structural

LITERAL, REGEX, STRUCTURAL = TEXT_MODES


@pytest.mark.parametrize(
    ("text", "literal", "filters"),
    [
        ("def echo(self):", "def echo(self):", ()),
        ('print("a  b") OR -x', 'print("a  b") OR -x', ()),
        ("lang:go x :=  1 -file:*_test.go", "x :=  1", ("lang:go", "file:*_test.go")),
        ("a repo:x b", "a b", ("repo:x",)),
        ("langs:go content:x a::b", "langs:go content:x a::b", ()),
    ],
)
def test_in_mode_literal_the_text_is_one_literal(
    text: str, literal: str, filters: tuple[str, ...]
) -> None:
    query = parse_as(text, LITERAL)
    assert query.content_terms == (Literal(literal),)
    assert tuple(str(term) for term in query.terms if term not in query.content_terms) == filters
    assert query.is_exact


def test_in_mode_regex_the_text_is_one_pattern() -> None:
    query = parse_as(r"repo:x func\s+(New|Make) \w+/ case:yes", REGEX)
    assert query.content_terms == (Regex(r"func\s+(New|Make) \w+/"),)
    assert str(query) == r"case:yes repo:x /func\s+(New|Make) \w+\//"
    assert query.case is Case.YES


def test_a_slash_needs_no_backslash_in_mode_regex() -> None:
    assert parse_as(r"a\/b", REGEX) == parse_as("a/b", REGEX)


@pytest.mark.parametrize(
    ("text", "pattern", "predicate"),
    [
        ("lang:python print($X)", "print($X)", "lang:python print($X)"),
        ("foo($$$) lang:go -repo:a", "foo($$$)", "lang:go -repo:a foo($$$)"),
        ("lang:ts $A = {type:string, file:x }", "$A = {type:string, file:x }", None),
        ("f(x, type:string) lang:ts", "f(x, type:string)", "lang:typescript f(x, type:string)"),
        ("lang:ts f( file:x )", "f( file:x )", None),  # a filter inside of the pattern is its text
        ('"a" OR  "b"', '"a" OR  "b"', None),
    ],
)
def test_a_structural_pattern_is_untouched(text: str, pattern: str, predicate: str | None) -> None:
    query = parse_as(text, STRUCTURAL)
    assert query.content_terms == (Structural(pattern),)
    assert predicate is None or str(query.predicate) == predicate


def test_a_wrong_filter_at_the_end_of_a_pattern_is_an_error() -> None:
    with pytest.raises(QueryError, match="Near names: function"):
        parse_as("f($X) type:functoin", STRUCTURAL)


@pytest.mark.parametrize("mode", TEXT_MODES)
def test_filters_alone_have_no_content_in_any_mode(mode: Mode) -> None:
    query = parse_as("repo:a  lang:go", mode)
    assert query.filters_only
    assert str(query) == "repo:a lang:go"


@pytest.mark.parametrize(
    ("text", "column"),
    [("repo:a  x(", 9), ("x /(", 1), (r"x file:\.py$", 8), ("case:no x case:yes", 11)],
)
def test_errors_have_the_column_in_the_whole_text(text: str, column: int) -> None:
    with pytest.raises(QueryError) as caught:
        parse_as(text, REGEX)
    assert caught.value.column == column
