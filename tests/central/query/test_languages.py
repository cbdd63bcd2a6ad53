"""`lang:` takes the index's names and other names of the same languages."""

import pytest

from central.query.errors import QueryError
from central.query.languages import LANGUAGE_ALIASES, check_languages
from central.query.parser import parse
from indexer.languages import LANGUAGES_BY_NAME


def test_every_alias_is_of_a_language_that_the_indexer_has_and_none_is_its_name() -> None:
    assert set(LANGUAGE_ALIASES.values()) <= set(LANGUAGES_BY_NAME)
    assert LANGUAGES_BY_NAME.keys().isdisjoint(LANGUAGE_ALIASES)


@pytest.mark.parametrize("text", ["lang:python", "lang:py", "lang:C++", "-l:go OR l:text", "x", ""])
def test_known_languages_pass(text: str) -> None:
    check_languages(parse(text), LANGUAGES_BY_NAME)


@pytest.mark.parametrize(
    ("text", "column", "near"),
    [
        ("x lang:pyhton", 3, "python"),
        ("-(lang:go OR lang:javascrpt)", 14, "javascript"),
        ("lang:goland", 1, "golang"),
    ],
)
def test_an_unknown_language_is_refused_with_near_names(text: str, column: int, near: str) -> None:
    with pytest.raises(QueryError) as caught:
        check_languages(parse(text), LANGUAGES_BY_NAME)
    assert caught.value.column == column
    assert near in caught.value.message.partition("Near names: ")[2]
