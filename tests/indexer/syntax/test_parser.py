"""What the parser does with hostile input, and what it captures."""

import random

import pytest

from indexer.languages import Language
from indexer.languages.c import C
from indexer.languages.plain import TEXT
from indexer.languages.python import PYTHON
from indexer.languages.registry import PARSED
from indexer.languages.rust import RUST
from indexer.limits import PARSED_BRACKETS
from indexer.records.files import DegradeReason
from indexer.syntax.parser import ParsedFile, parse

RANDOM = random.Random(7)  # noqa: S311 - a reproducible sample, not a secret
HOSTILE = {
    "brackets": b"(" * 10_000 + b")" * 10_000,
    "open_brackets": b"{" * 10_000,
    "flat_brackets": b"()" * 8_000,  # Bash reads each to the end of the file
    "operators": b"x = " + b"!" * 20_000,
    "long_line": b"x = " + b"a + " * 20_000 + b"1\n",
    "chain": b"a." * 20_000 + b"b\n",
    "quotes": b"\"'`" * 5_000,
    "comment_starts": b"/*" * 10_000,  # so do Kotlin and Swift, whose comments nest
    "heredocs": b"<<A " * 3_000,
    "indentation": b"".join(b" " * depth + b"if x:\n" for depth in range(300)),
    "random": bytes(RANDOM.randrange(1, 127) for _ in range(8_000)),
}


def parsed(language: Language, source: bytes) -> ParsedFile:
    result = parse(language, source)
    assert isinstance(result, ParsedFile)
    return result


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("language", PARSED, ids=lambda language: language.name)
def test_hostile_input_ends_as_a_parse_or_a_reason(language: Language, kind: str) -> None:
    first, second = (parse(language, HOSTILE[kind]) for _ in range(2))
    assert isinstance(first, ParsedFile | DegradeReason)
    if isinstance(first, DegradeReason):
        assert first is second


def test_deep_brackets_are_too_deep_wherever_they_begin() -> None:
    deep = b"[" * (PARSED_BRACKETS + 1)
    assert parse(PYTHON, deep) is DegradeReason.TOO_DEEP
    assert parse(PYTHON, b")" * 5_000 + deep) is DegradeReason.TOO_DEEP
    assert isinstance(parse(PYTHON, b"[]" * 5_000 + b"\n"), ParsedFile)


def test_work_beyond_the_budget_is_refused() -> None:
    assert parse(C, b"a=1;" * 50_000) is DegradeReason.PARSE_BUDGET


def test_text_for_many_predicates_is_not_on_the_budget() -> None:
    source = b"".join(b"A%d = 1\n" % number for number in range(3_000))
    assert len(parsed(PYTHON, source).definitions) == 3_000


def test_five_megabytes_are_not_parsed() -> None:
    assert parse(C, b"int a;\n" * 750_000) is DegradeReason.PARSE_BUDGET


def test_too_many_definitions_are_refused() -> None:
    source = b"def a(): pass\n" * 20_001
    assert parse(PYTHON, source) is DegradeReason.PARSE_BUDGET


def test_wide_error_is_refused_before_it_is_queried() -> None:
    assert parse(PYTHON, b"word " * 30_000) is DegradeReason.PARSE_FAILED


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
