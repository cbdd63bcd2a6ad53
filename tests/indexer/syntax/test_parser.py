"""Where the parser stops, and what it captures.

Ordinary files and lowered limits stand for what a grammar takes minutes for, or does not survive.
"""

from collections.abc import Mapping

import pytest

from indexer.languages import Language
from indexer.languages.c import C
from indexer.languages.plain import TEXT
from indexer.languages.python import PYTHON
from indexer.languages.registry import PARSED, SUFFIXES
from indexer.languages.rust import RUST
from indexer.records.files import DegradeReason
from indexer.syntax import budget, parser, trees
from indexer.syntax.budget import Budget
from indexer.syntax.parser import PARSED_BRACKETS, PARSED_BYTES, ParsedFile, parse
from tests.indexer.golden import SOURCES

ORDINARY = {
    SUFFIXES[f".{source.name.split('.')[-2]}"].name: source.read_bytes()
    for source in SOURCES
    if source.name.lower().startswith("sample.")
}
TOO_MUCH = DegradeReason.PARSE_BUDGET
BROKEN = b"x = )\n" * 30


def parsed(language: Language, source: bytes) -> ParsedFile:
    result = parse(language, source)
    assert isinstance(result, ParsedFile)
    return result


@pytest.mark.parametrize(
    "lowered",
    [
        pytest.param({"_MIN_REPORTS": 0, "_BYTES_PER_REPORT": PARSED_BYTES}, id="operations"),
        pytest.param({"_MIN_READS": 0, "_MAX_REREADS": 0}, id="reads"),
    ],
)
@pytest.mark.parametrize("language", PARSED, ids=lambda language: language.name)
def test_work_beyond_the_budget_is_refused(
    language: Language, lowered: Mapping[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = ORDINARY[language.name]
    assert isinstance(parse(language, source), ParsedFile)
    for name, limit in lowered.items():
        monkeypatch.setattr(budget, name, limit)
    assert parse(language, source) is TOO_MUCH


def test_a_lexer_that_begins_again_and_again_gets_no_more_bytes() -> None:
    limit = budget._MIN_READS + budget._MAX_REREADS
    work = Budget(b" " * budget._READ_BYTES)
    assert [work.read(0, None) for _ in range(limit)] == [b" " * budget._READ_BYTES] * limit
    assert not work.is_exhausted
    assert work.read(0, None) == b""
    assert work.is_exhausted


def test_work_on_errors_has_a_budget_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "_MAX_ERROR_REPORTS", 0)
    assert parse(PYTHON, BROKEN) is TOO_MUCH
    assert isinstance(parse(PYTHON, ORDINARY[PYTHON.name]), ParsedFile)


def test_an_error_that_is_too_wide_is_refused_before_it_is_queried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert isinstance(parse(PYTHON, BROKEN), ParsedFile)
    monkeypatch.setattr(trees, "_MAX_ERROR_WORK", trees._ERROR_WORK_PER_NODE)
    assert parse(PYTHON, BROKEN) is DegradeReason.PARSE_FAILED


@pytest.mark.parametrize("before", [b"", b")" * 9, b"[]" * 9])
def test_brackets_one_deeper_than_the_limit_are_refused(before: bytes) -> None:
    assert parse(PYTHON, before + b"[" * (PARSED_BRACKETS + 1)) is DegradeReason.TOO_DEEP
    deepest = b"[" * PARSED_BRACKETS + b"]" * PARSED_BRACKETS + b"\n"
    assert isinstance(parse(PYTHON, before + deepest), ParsedFile)


def test_text_for_many_predicates_is_not_on_the_budget() -> None:
    source = b"".join(b"A%d = 1\n" % number for number in range(3_000))
    assert len(parsed(PYTHON, source).definitions) == 3_000


def test_a_byte_more_than_the_limit_is_not_parsed() -> None:
    assert parse(C, b"\n" * (PARSED_BYTES + 1)) is TOO_MUCH


def test_too_many_definitions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"def a(): pass\n" * 3
    assert len(parsed(PYTHON, source).definitions) == 3
    monkeypatch.setattr(parser, "FILE_DEFINITIONS", 2)
    assert parse(PYTHON, source) is TOO_MUCH


def test_language_without_a_grammar_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="text has no grammar"):
        parse(TEXT, b"")


def test_definitions_come_outer_before_inner() -> None:
    source = b"class A:\n    def f(self):\n        pass\n\n\ndef g():\n    pass\n"
    definitions = parsed(PYTHON, source).definitions
    assert [(one.kind, one.name, one.start_line, one.end_line) for one in definitions] == [
        ("class", "A", 1, 3),
        ("function", "f", 2, 3),
        ("function", "g", 6, 7),
    ]


def test_comment_that_owns_its_newline_ends_on_its_own_line() -> None:
    result = parsed(RUST, b"/// One.\n/// Two.\nfn f() {}\n")
    assert result.leading_comments == {1: 1, 2: 2}
    assert result.comment_lines == {1, 2}


def test_comment_behind_code_leads_nothing() -> None:
    result = parsed(PYTHON, b"x = 1  # one\n")
    assert (result.leading_comments, result.comment_lines) == ({}, frozenset())


def test_nul_is_not_the_end_of_a_file() -> None:
    found = parsed(PYTHON, b"x = 'a\0b'\ndef after(): ...\n")
    assert [one.name for one in found.definitions] == ["after"]
