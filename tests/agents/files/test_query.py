"""Which queries of `code_grep` are in the query language."""

import pytest

from aeterna_code_search.agents.files import is_query_language
from central.query.errors import QueryError
from central.query.filters import NAMES
from central.query.parser import parse

TERMS_ALONE = [
    '"exact words"',
    "/func (New|Make)\\w+/",
    r'"a \" quote"',
    r"/a\/b/",
    'repo:flask "url_for"',
    'repo:/^a/ -file:"release notes" "x" OR /y/',
    '-"x" ("b" OR NOT "c") lang:go',
    '"a" -legacy',
    "file:tokens.py",
    "content:word",
    "type:symbol sym:Session",
]
OTHERS = [
    "connection timed out",
    "def verify_token(",
    'x = "hello"',
    'printf("hello")',
    '"retry" backoff',
    "lang:go retry",
    "/usr/lib/python",
    "a/b/c",
    "std::sort",
    "file::open",
    "http://host/path",
    "note:this",
    "-x",
    "/* eslint-disable */",
    "/ x/",
    '"',
    "()",
    "OR",
]


@pytest.mark.parametrize("query", TERMS_ALONE)
def test_terms_alone_are_the_query_language(query: str) -> None:
    assert is_query_language(query)


@pytest.mark.parametrize("query", OTHERS)
def test_anything_else_is_one_literal(query: str) -> None:
    assert not is_query_language(query)


def test_a_long_query_is_read_in_one_pass() -> None:
    assert is_query_language('"a" ' * 1_000)
    assert not is_query_language('"' + "\\" * 3_999)


@pytest.mark.parametrize("query", [*TERMS_ALONE, *OTHERS])
def test_the_service_reads_the_query_in_the_same_way(query: str) -> None:
    try:
        read = parse(query)
    except QueryError:
        assert not is_query_language(query)
    else:
        assert is_query_language(query) == (not read.words and bool(read.terms))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_filter_of_the_service_is_a_term(name: str) -> None:
    assert is_query_language(f'{name}:text "text"')
