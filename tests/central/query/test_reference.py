"""The queries that docs/reference/query.md shows are queries."""

import re
from pathlib import Path

import pytest

from central.ast_grep import LANGUAGES
from central.query.errors import QueryError
from central.query.filters import NAMES_OF_COMMITS, TYPES
from central.query.parser import parse

PAGE = (Path(__file__).parents[3] / "docs/reference/query.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (?:Sourcegraph|zoekt|GitHub) \| `(.+)` \| `(.+)` \|$", re.MULTILINE)


@pytest.mark.parametrize("here", [here for _, here in _ROW.findall(PAGE)])
def test_queries_of_other_tools_are_written_here_as_the_page_says(here: str) -> None:
    query = parse(here)
    assert query.predicate is not None
    assert not query.words


def test_a_pattern_without_slashes_is_refused_as_the_page_says() -> None:
    with pytest.raises(QueryError, match=re.escape(r"Write file:/\.py$/")):
        parse(r"file:\.py$")


def test_words_of_code_on_the_page_are_words() -> None:
    (line,) = re.findall(r"^What looks like code is a word: (.+)\.$", PAGE, re.MULTILINE)
    for word in re.findall(r"`([^`]+)`", line):
        assert parse(word).words == word


def test_the_page_has_every_filter_and_type() -> None:
    for name in NAMES_OF_COMMITS:
        assert f"`{name}:`" in PAGE
    for name in TYPES:
        assert f"`{name}`" in PAGE


def test_the_page_has_every_language_of_structural_patterns() -> None:
    listed = PAGE.partition("needs a language of ast-grep")[2].partition("\n\n")[0]
    assert re.findall(r"`([a-z]+)`", listed)[1:] == list(LANGUAGES)


def test_filters_of_other_tools_on_the_page_are_refused() -> None:
    shown = PAGE.partition("Filters of other tools are refused")[2].partition("`count\\:all`")[0]
    assert shown.count("`") > 20
    for word in re.findall(r"`([^`]+)`", shown):
        with pytest.raises(QueryError, match="of other tools does not exist here"):
            parse(f'{word}"x"' if word.endswith(":") else word)
