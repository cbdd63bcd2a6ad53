"""Structural patterns: matched by syntax, in a process that can be ended."""

import pytest

from central.errors import InvalidError, UnavailableError
from central.limited_process import LimitedProcesses
from central.search.exact import limited
from central.search.exact.structural import StructuralMatcher, StructuralPattern
from central.search.exact.text_pattern import SlowFileError
from tests.central import limited_child


def matches(content: str, pattern: str, language: str = "python") -> list[str]:
    encoded = content.encode()
    found = StructuralMatcher(StructuralPattern(pattern, language)).matches(encoded)
    return [encoded[start:end].decode() for start, end in found.spans]


def test_a_pattern_matches_syntax_not_text() -> None:
    content = 'é = "retry(1)"  # retry(2)\nretry(3,\n      naïve())\n'
    assert matches(content, "retry($$$)") == ["retry(3,\n      naïve())"]


def test_a_metavariable_stands_for_one_part() -> None:
    content = "if (a == a) {}\nif (a == b) {}\n"
    assert matches(content, "if ($X == $X) {}", "javascript") == ["if (a == a) {}"]


@pytest.mark.parametrize("pattern", ["", "a b c", "1; 2"])
def test_what_ast_grep_cannot_use_is_an_error_that_says_why(pattern: str) -> None:
    with pytest.raises(InvalidError, match=r"ast-grep cannot use the pattern in python: .*pattern"):
        matches("x", pattern)


@pytest.mark.parametrize("language", ["", "cobol", "markdown"])
def test_a_language_is_needed_and_the_error_lists_them(language: str) -> None:
    with pytest.raises(InvalidError, match="lang: with one of bash, c, cpp"):
        matches("x", "x", language)


def test_words_are_what_every_match_contains() -> None:
    assert StructuralPattern("$A.execute($$$ARGS, timeout=$T)", "python").words == [
        "execute",
        "timeout",
    ]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = LimitedProcesses(limited_child.NAME, 1, cpu_seconds=1.0, seconds=60)
    monkeypatch.setattr(limited, "processes", processes)


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("hostile", [limited_child.SPIN, limited_child.ALLOCATE])
def test_a_file_that_takes_too_much_is_given_up_and_the_next_one_is_read(hostile: str) -> None:
    with pytest.raises(SlowFileError):
        matches(hostile, "f($$$)")
    assert matches("f(1, 2, x)\n", "f($$$)") == ["f(1, 2, x)"]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("hostile", [limited_child.SPIN, limited_child.ALLOCATE])
def test_a_pattern_that_takes_too_much_by_itself_is_refused(hostile: str) -> None:
    matcher = StructuralMatcher(StructuralPattern(hostile, "python"))
    with pytest.raises(InvalidError, match="too much time or memory"):
        matcher.check()


def test_a_search_that_finds_no_free_process_is_told_to_come_again() -> None:
    def ask(_: object) -> object:
        raise TimeoutError

    matcher = StructuralMatcher(StructuralPattern("f($$$)", "python"), ask=ask)
    with pytest.raises(UnavailableError, match="again in some seconds"):
        matcher.check()
