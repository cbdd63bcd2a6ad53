"""Patterns are RE2's: what it refuses is refused, and none takes more memory than its limit."""

import pytest

from central.query import patterns
from central.query.errors import QueryError
from central.query.patterns import compile_pattern, glob_pattern


@pytest.mark.parametrize("pattern", ["a(", "(?=x)", r"(a)\1", "x{1001}", "\ud800"])
def test_what_re2_refuses_is_refused_with_the_column(pattern: str) -> None:
    with pytest.raises(QueryError) as caught:
        compile_pattern(pattern, column=7)
    assert caught.value.column == 7


def test_a_pattern_of_more_memory_than_its_limit_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert compile_pattern("[a-z]{100}")
    monkeypatch.setattr(patterns, "QUERY_PATTERN_BYTES", 1_000)
    with pytest.raises(QueryError, match="too large"):
        compile_pattern("[a-z]{100}")


def test_case_is_folded_as_unicode_does() -> None:
    assert compile_pattern("k", ignore_case=True).search("\N{KELVIN SIGN}")
    assert compile_pattern("s", ignore_case=True).search("\N{LATIN SMALL LETTER LONG S}")
    assert not compile_pattern("k").search("K")


@pytest.mark.parametrize(
    ("glob", "text", "matches"),
    [
        ("*.py", "a/b.py", True),
        ("*.py", "a/b.py/c", False),
        ("a*c", "a/c", False),
        ("a**c", "a/b/c", True),
        ("**/c", "c", True),
        ("a/**", "a/b/c", True),
        ("a/**/c", "a/c", True),
        ("[]a]", "]", True),
        ("[", "[", True),
        ("[^b]", "x", True),
        ("[!a]", "/", False),
        ("a.c", "abc", False),
        ("*\n", "x\n", True),
        ("?", "é", True),
    ],
)
def test_a_glob_is_anchored_at_components_and_at_the_end(
    glob: str, text: str, matches: bool
) -> None:
    assert bool(compile_pattern(glob_pattern(glob)).search(text)) is matches
