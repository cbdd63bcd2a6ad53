"""Matches in a file: where they are, in which lines, and how much of a line is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import MatchedLine
from central.limited_process import LimitedProcesses
from central.query.errors import QueryError
from central.search.exact import limited, text_pattern
from central.search.exact.limited import find_matches, text_matches
from central.search.exact.matching import (
    EXACT_LINE_CHARACTERS,
    EXACT_MATCHES_OF_FILE,
    Lines,
    file_matches,
    has_match,
    matched_lines,
)
from central.search.exact.text_pattern import SlowFileError, TextPattern, slow_size
from indexer.records.files import Span, count_lines, line_span, split_lines
from tests.central import limited_child


def lines_of(content: str, *terms: TextPattern, limit: int = 100) -> list[MatchedLine]:
    encoded = content.encode()
    spans = sorted({span for term in terms for span in file_matches(encoded, term).spans})
    return matched_lines(Lines(encoded), spans, limit=limit)[0]


def literal(text: str, *, ignore_case: bool = False) -> TextPattern:
    return TextPattern(text, ignore_case=ignore_case)


def regex(text: str, *, ignore_case: bool = False) -> TextPattern:
    return TextPattern(text, is_regex=True, ignore_case=ignore_case)


def test_a_literal_is_found_as_it_stands() -> None:
    (line,) = lines_of("a\nretry(x) # retry\nb.c\n", literal("retry"))
    assert line == MatchedLine(2, "retry(x) # retry", [[0, 5], [11, 16]])
    assert lines_of("axb", literal("a.b")) == []


def test_ranges_count_characters_not_bytes() -> None:
    (line,) = lines_of("é𝄞 = naïve\n", literal("naïve"))
    assert [line.text[start:end] for start, end in line.ranges] == ["naïve"]


@pytest.mark.parametrize(
    ("text", "wanted"), [("K", "k"), ("\u017fend", "SEND"), ("STRASSE", "strasse")]
)
def test_case_is_ignored_as_unicode_folds_it(text: str, wanted: str) -> None:
    assert has_match(text.encode(), literal(wanted, ignore_case=True))
    assert not has_match(text.encode(), literal(wanted))


def test_anchors_are_those_of_lines() -> None:
    assert [line.line for line in lines_of("a\nba\nab\n", regex("^a"))] == [1, 3]
    assert [line.line for line in lines_of("a\nba\nab\n", regex("a$"))] == [1, 2]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_ends_with_crlf_too(end: str) -> None:
    content = f"foo{end}foo bar{end}{end}a foo"
    assert lines_of(content, regex("foo$")) == [
        MatchedLine(1, "foo", [[0, 3]]),
        MatchedLine(4, "a foo", [[2, 5]]),
    ]
    assert [line.line for line in lines_of(content, regex(f"foo$[{end}]+foo"))] == [1, 2]
    assert lines_of(content, regex("^z?$")) == []
    assert [line.line for line in lines_of(content, regex(r"\r$"))] == (
        [1, 2, 3] if end[1:] else []
    )


_PARTS = st.sampled_from(["a", "b", "ab", "^", "$", "a*", "a*$", "(?:a|b$)", "(?:$)?", "^$"])


@given(parts=st.lists(_PARTS, min_size=1, max_size=5), text=st.text("ab\n", max_size=12))
def test_what_is_found_does_not_depend_on_line_ends(parts: list[str], text: str) -> None:
    pattern = "".join(parts)
    found = lines_of(text.replace("\n", "\r\n"), regex(pattern))
    assert found == lines_of(text, regex(pattern))


def test_a_match_over_several_lines_is_a_range_in_each() -> None:
    found = lines_of("x = [\n  1,\n]\n", regex(r"(?s)\[.*\]"))
    assert [(line.line, line.ranges) for line in found] == [
        (1, [[4, 5]]),
        (2, [[0, 4]]),
        (3, [[0, 1]]),
    ]


@pytest.mark.parametrize(
    ("pattern", "found"), [(r"^\s*b", [4]), (r"[^x]b", [4]), (r"a\W*b", [1, 4]), (r"a\s", [1])]
)
def test_a_line_of_which_only_the_end_matches_is_not_listed(pattern: str, found: list[int]) -> None:
    for content in ("a\n\n\nb\n", "a\r\n\r\n\r\nb\r\n"):
        lines = lines_of(content, regex(pattern))
        assert [line.line for line in lines] == found
        assert all(line.ranges for line in lines)


def test_a_match_of_line_ends_alone_is_listed_where_it_starts() -> None:
    assert lines_of("a\n\n\nb", regex(r"\n{3}")) == [MatchedLine(1, "a", [])]


def test_empty_matches_are_none() -> None:
    assert lines_of("bbb\n", regex("a*")) == []


def test_overlapping_matches_of_several_terms_are_one_range() -> None:
    (line,) = lines_of("abcdef", literal("abc"), literal("cde"))
    assert line.ranges == [[0, 5]]


def test_a_line_of_ten_megabytes_is_cut_around_its_first_match() -> None:
    content = "x" * 5_000_000 + "needle" + "y" * 5_000_000
    (line,) = lines_of(content, literal("needle"))
    assert len(line.text) == EXACT_LINE_CHARACTERS
    assert line.truncated
    ((start, end),) = line.ranges
    assert line.text[start:end] == "needle"
    assert line.column + start == 5_000_001


def test_the_matches_of_a_file_have_a_bound() -> None:
    found = file_matches(b"a\n" * 5_000, literal("a"))
    assert len(found.spans) == EXACT_MATCHES_OF_FILE
    assert found.is_cut


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1", "a{1001}", r"\pX", "[", "*"])
def test_what_re2_refuses_is_an_error_that_says_why(pattern: str) -> None:
    with pytest.raises(QueryError, match="RE2 does not accept"):
        lines_of("a", regex(pattern))


@pytest.mark.parametrize("pattern", [r"\C", r"a\\\C", r"\Q(\E\C", r"(\C)"])
def test_any_byte_is_refused_with_what_to_write(pattern: str) -> None:
    with pytest.raises(QueryError, match=r"one byte.*\(\?s:\.\)"):
        lines_of("é", regex(pattern))


@pytest.mark.parametrize("pattern", [r"\\C", r"\Q\C\E"])
def test_a_backslash_before_a_c_is_text(pattern: str) -> None:
    assert lines_of("a\\C", regex(pattern))


@pytest.mark.parametrize("content", ["ab", "\nab\n", "x\nab", "ab\nx", "xab\nab"])
def test_a_line_that_is_the_first_or_the_last_is_found(content: str) -> None:
    assert len(lines_of(content, regex("^ab$"))) == 1
    assert len(lines_of(content, regex("^ab"))) == 1


def test_the_more_a_pattern_computes_the_smaller_are_files_that_are_left_to_a_process() -> None:
    assert slow_size(regex("def [a-z]{50}")) < slow_size(regex("def ")) / 2
    assert slow_size(regex(r"^\s*def (\w+)_test\(")) > 100_000
    assert slow_size(literal("(a|b)" * 100)) == float("inf")
    assert slow_size(literal("retry" * 20, ignore_case=True)) > 50_000


def test_a_process_finds_what_the_thread_finds() -> None:
    content = "naïve\nretry\n" * 3
    for pattern in (regex("na.ve|^re"), literal("RETRY", ignore_case=True)):
        for most in (2, 100):
            found = file_matches(content.encode(), pattern, most=most)
            assert text_matches(content.encode(), pattern, most=most) == found
        for regions in ([], [(0, 8)], [(1, 3), (9, 12), (20, 40)]):
            within = file_matches(content.encode(), pattern, regions=regions)
            assert text_matches(content.encode(), pattern, most=100, regions=regions) == within


@pytest.mark.parametrize("hostile", [limited_child.SPIN, limited_child.ALLOCATE])
def test_a_process_that_takes_too_much_is_given_up_and_the_next_file_is_read(
    monkeypatch: pytest.MonkeyPatch, hostile: str
) -> None:
    processes = LimitedProcesses(limited_child.NAME, 1, cpu_seconds=1.0, seconds=60)
    monkeypatch.setattr(limited, "processes", processes)
    monkeypatch.setattr(limited, "slow_size", lambda _: 0)
    with pytest.raises(SlowFileError):
        find_matches(hostile.encode(), regex("a+"), most=1)
    assert find_matches(b"baa", regex("a+"), most=1).spans == [(1, 3)]


def test_many_matches_that_each_read_to_the_end_are_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = b"a" * 100_000
    monkeypatch.setattr(text_pattern, "EXACT_CPU_SECONDS", 0.0)
    with pytest.raises(SlowFileError):
        file_matches(content, regex("a(?s:.*b)?"))
    with pytest.raises(SlowFileError):
        file_matches(content, regex("b*"))  # all of its matches are empty


@given(st.text(alphabet="ab\n\ré", max_size=40))
def test_lines_are_those_of_the_index(content: str) -> None:
    lines = Lines(content.encode())
    assert len(lines) == count_lines(content)
    for number, line in enumerate(split_lines(content), 1):
        assert lines.text(number).decode() == line.removesuffix("\n").removesuffix("\r")
    whole = line_span(split_lines(content), Span(1, len(lines))).removesuffix("\r")
    assert lines.block(0, 99) == whole


@given(st.text(alphabet="abAB\né", max_size=60), st.text(alphabet="abA", min_size=1, max_size=3))
def test_every_occurrence_is_in_a_range(content: str, wanted: str) -> None:
    found = {line.line: line for line in lines_of(content, literal(wanted))}
    for number, line in enumerate(content.split("\n"), 1):
        assert (wanted in line) == (number in found)
    for one in found.values():
        assert all(one.text[start:end] for start, end in one.ranges)
