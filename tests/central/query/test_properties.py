"""What holds for every query: printing and parsing are inverse, and no text breaks the parser."""

import time
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import Mode
from central.query.errors import QueryError
from central.query.evaluate import Evaluator
from central.query.filters import FilterName
from central.query.modes import TEXT_MODES, parse_as
from central.query.parser import parse
from central.query.syntax import Filter, Query, leaves
from tests.central.query.trees import FileOwners, nasty_text, queries
from tests.property_settings import examples


def parsed_or_refused(read: Callable[[str], Query], text: str) -> Query | None:
    """The query, or None if it is refused with a column of the text."""
    try:
        return read(text)
    except QueryError as refusal:
        error = refusal
    assert 1 <= error.column <= len(text)
    assert error.message.startswith(f"Column {error.column}: ")
    return None


@examples(500)
@given(queries)
def test_a_printed_query_is_parsed_to_the_same_tree(query: Query) -> None:
    assert parse(str(query)) == query


@examples(500)
@given(nasty_text | st.text(max_size=2_000))
@example("sym:(^*")
@example(r"repo:/[\/")  # a glob that is printed bare would be a regular expression
@example(r"-(-((a OR \/) /))")  # printed bare, the slashes would be a regular expression
def test_any_text_is_a_query_or_an_error_with_a_column_in_the_text(text: str) -> None:
    query = parsed_or_refused(parse, text)
    assert query is None or parse(str(query)) == query


@examples(200)
@given(nasty_text, st.sampled_from(list(TEXT_MODES)))
def test_any_text_is_a_query_or_an_error_in_each_mode(text: str, mode: Mode) -> None:
    parsed_or_refused(lambda text: parse_as(text, mode), text)


@examples(200)
@given(st.lists(st.from_regex(r"[a-zA-Z',.?!;0-9]{1,12}", fullmatch=True)))
def test_a_question_in_plain_words_is_never_refused(words: list[str]) -> None:
    query = parse(" ".join(words))
    assert query.predicate is None or "NOT" in words
    assert query.words.split() == words or "NOT" in words


@examples(200)
@given(queries)
def test_with_all_truths_known_the_answer_is_known(query: Query) -> None:
    found = {term: len(str(term)) % 2 == 0 for term in leaves(query.predicate)}
    values = {FilterName.OWNER: FileOwners(["@b/a"], ["@b/a", "@1"])}
    answer = Evaluator(query).file(
        repository="o/r", path="a/b.py", language="go", values=values, found=found
    )
    assert answer is not None
    early = Evaluator(query).repository("o/r", values)
    assert early is None or early == answer


@pytest.mark.parametrize(
    "part",
    ["(", "((a) ", "-(", "NOT ", '"', '"a" OR ', "/", "/a", "/a\\/ ", "-", "r:x ", "(a OR ", "\\",
     "langs", "a) ", "(r:x ", "[", "repo:(", "content:/", "(((-x"],
)  # fmt: skip
def test_repeated_syntax_takes_little_time(part: str) -> None:
    text = (part * 4_000)[:4_000]
    started = time.process_time()
    for read in (parse, *(lambda text, mode=mode: parse_as(text, mode) for mode in TEXT_MODES)):
        parsed_or_refused(read, text)
    assert time.process_time() - started < 4


def test_filters_are_told_apart_by_their_values_and_not_by_their_columns() -> None:
    first, second = leaves(parse("repo:a repo:a").root)
    assert isinstance(first, Filter)
    assert first == second
    assert (first.column, second.column) == (1, 8)
