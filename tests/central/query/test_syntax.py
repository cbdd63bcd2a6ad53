"""What follows from a tree: words, predicate, terms in content, and the case of each term."""

import pytest

from central.query.filters import FilterName, Match
from central.query.parser import parse
from central.query.syntax import Filter, Literal, Regex, leaves

GO = Filter(FilterName.LANG, "go", Match.EXACT)


def test_words_are_the_semantic_query_and_the_rest_is_the_predicate() -> None:
    query = parse('lang:go "context.WithTimeout" retry with backoff')
    assert query.words == "retry with backoff"
    assert str(query.predicate) == 'lang:go "context.WithTimeout"'
    assert query.content_terms == (Literal("context.WithTimeout"),)
    assert not query.is_exact
    assert not query.filters_only


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("retry", None),
        ("lang:go retry", "lang:go"),
        ("-retry", '-"retry"'),  # a negated word: not the literal
        ("-(a b)", '-("a" "b")'),
        ("-(-ab c)", '-(-"ab" "c")'),
        ("NOT -ab", '"ab"'),
        ('"x" OR retry', None),  # a word is true
        ('lang:go ("x" OR retry)', "lang:go"),
        ("lang:go lang:go", "lang:go"),
        ('("x" a) OR (/y/ b)', '"x" OR /y/'),
        ('lang:go ("x" "y")', 'lang:go "x" "y"'),
    ],
)
def test_words_are_true_in_the_predicate(text: str, predicate: str | None) -> None:
    found = parse(text).predicate
    assert (None if found is None else str(found)) == predicate


@pytest.mark.parametrize(
    ("text", "is_exact", "filters_only"),
    [
        ("", False, False),
        ("words", False, False),
        ('"x"', True, False),
        ("/x/ lang:go", True, False),
        ('"x" words', False, False),
        ("lang:go", False, True),
        ("repo:a OR -file:b", False, True),
        ("lang:go words", False, False),
        ("-xy lang:go", True, False),
    ],
)
def test_exact_queries_and_filters_alone(text: str, is_exact: bool, filters_only: bool) -> None:
    query = parse(text)
    assert (query.is_exact, query.filters_only) == (is_exact, filters_only)


@pytest.mark.parametrize(
    ("text", "ignores_case"),
    [
        ('"abc"', True),
        ('"aBc"', False),
        ('case:yes "abc"', False),
        ('case:no "aBc"', True),
        (r"/\S+\B[a-z]\pL\p{Greek}\x{AB}/", True),
        ("/(?P<Name>a)(?U:b)/", True),
        ("/a[B]/", False),
        (r"/\QAbc\E/", False),
        ("file:readme", True),
        ("file:README", False),
        (r"file:/\.PY$/", False),
        ("repo:Flask", True),  # names of repositories have no case
        ("case:yes repo:Flask", True),
    ],
)
def test_a_term_without_an_upper_case_letter_ignores_case(text: str, ignores_case: bool) -> None:
    query = parse(text)
    (term,) = leaves(query.predicate)
    assert isinstance(term, Filter | Literal | Regex)
    assert query.ignores_case(term) == ignores_case


def test_each_term_is_listed_once() -> None:
    query = parse('"x" OR ("x" lang:go) OR -/y/')
    assert query.terms == (Literal("x"), GO, Regex("y"))
    assert query.content_terms == (Literal("x"), Regex("y"))
