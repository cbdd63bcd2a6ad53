"""Rewrites of what a grammar does not know: positions stay, and only what helps is kept."""

from dataclasses import replace
from itertools import chain

import pytest

from indexer.languages import LANGUAGES_BY_NAME
from indexer.languages.rewrites import Edit, Rewrite, closing
from indexer.syntax import trees
from indexer.syntax.trees import SyntaxTrees, parse_trees
from tests.indexer.languages.test_constructs import CONSTRUCTS

KOTLIN = LANGUAGES_BY_NAME["kotlin"]


def parsed(source: bytes, language: str = "kotlin") -> SyntaxTrees:
    one = LANGUAGES_BY_NAME[language]
    assert one.grammar is not None
    found = parse_trees(one, one.grammar, source)
    assert isinstance(found, SyntaxTrees)
    return found


def test_an_edit_keeps_the_bytes_and_the_line_feeds() -> None:
    for language, name, source in CONSTRUCTS:
        text = source.encode()
        found = (rewrite.find(text) for rewrite in LANGUAGES_BY_NAME[language].rewrites)
        for edits in chain.from_iterable(found):
            assert edits
            assert [edit.start for edit in edits] == sorted(edit.start for edit in edits), name
            for edit in edits:
                replaced = text[edit.start : edit.end]
                assert len(replaced) == len(edit.text), name
                assert [byte == 10 for byte in replaced] == [byte == 10 for byte in edit.text], name


def test_a_comment_and_a_string_are_left_as_they_are() -> None:
    source = b'// context(log: Log) fun a()\nval s = "context(log: Log) fun b()"\n'
    broken = source + b"context(log: Log)\nfun f() = g()\n"
    found = [edits for one in KOTLIN.rewrites for edits in one.find(broken)]
    assert len(found) > 1
    assert not parsed(broken).errors
    assert KOTLIN.grammar is not None
    parse = trees._RewritingParse(KOTLIN.grammar, source, parsed(source).tree)
    assert not parse._is_code(source.index(b"context"))
    assert not parse._is_code(source.rindex(b"context"))
    assert parse._is_code(source.index(b"val"))


def test_a_rewrite_that_does_not_help_is_dropped() -> None:
    source = b"fun f() { g( }\n"
    worse = Rewrite(lambda text: [[Edit(0, b")" * (len(text) - 1))]])
    assert KOTLIN.grammar is not None
    found = parse_trees(replace(KOTLIN, rewrites=(worse,)), KOTLIN.grammar, source)
    assert isinstance(found, SyntaxTrees)
    assert found.errors == parsed(source).errors


def test_a_file_is_parsed_again_a_limited_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"context(log: Log)\nfun f() = g()\n"
    assert not parsed(source).errors
    monkeypatch.setattr(trees, "_MAX_REPARSES", 0)
    assert parsed(source).errors


def test_definitions_in_an_error_without_errors_of_their_own_are_parsed() -> None:
    source = b"def a():\n    b(1)\n    c(2)\n\ndef = ) (\n"
    assert all(start > source.index(b"c(2)") for start, _ in parsed(source, "python").errors)


@pytest.mark.parametrize(
    ("source", "end"),
    [(b"(a)", 3), (b"([{}])(", 6), (b"(')')", 5), (b'(")"', -1), (b"(]", -1), (b"(", -1)],
)
def test_closing_bracket(source: bytes, end: int) -> None:
    assert closing(source, 0) == end


def test_brackets_after_a_line_of_escaped_quotes_are_found_in_linear_time() -> None:
    source = b"(" + b'\\"' * 4_000 + b")"
    assert closing(source, 0) == len(source)


def test_type_parameters_that_nothing_closes_leave_what_follows() -> None:
    source = b"class A[T = int,  # :)\n        U = str]: ...\ndef f(): return g(x=1)\nh(1, y=2)\n"
    found = [list(one.find(source)) for one in LANGUAGES_BY_NAME["python"].rewrites]
    assert not any(found)
