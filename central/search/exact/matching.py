"""Matches of literals and regular expressions in a file, as lines with ranges. Pure.

Content is UTF-8, because RE2 and `bytes.find` work on bytes. Lines are those of
`indexer.records.files.split_lines`; columns and ranges count characters.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import re2

from central.errors import InvalidError
from indexer.limits import EXACT_LINE_CHARACTERS, EXACT_MATCHES_OF_FILE, EXACT_REGEX_BYTES

Span = tuple[int, int]  # bytes, the end exclusive
Find = Callable[[bytes], Iterator[Span]]


@dataclass(frozen=True, slots=True)
class ContentTerm:
    """What a file's content must have: a literal, or a regular expression in RE2's syntax."""

    text: str
    is_regex: bool = False
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line with matches. `ranges` are [start, end) in `text`, from 0.

    `column` is that of the text's first character, from 1: a long line is cut around its first
    match, and `truncated` is true. A match over several lines is a range in each of them.
    `defines`: a definition of a matched name begins here.
    """

    line: int
    text: str
    ranges: list[list[int]]
    column: int = 1
    truncated: bool = False
    defines: bool = False


@dataclass(frozen=True, slots=True)
class FileMatches:
    """The matches of a file in ascending order; `is_cut`: there are more than are listed."""

    spans: Sequence[Span]
    is_cut: bool = False


@lru_cache(maxsize=256)
def finder(term: ContentTerm) -> Find:
    """Return the function that yields the non-empty matches of `term`.

    Raises InvalidError if a regular expression is not in RE2's syntax or needs too much memory.
    """
    if not term.is_regex and not term.ignore_case:
        return _literal_finder(term.text.encode())
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.literal = not term.is_regex
    options.case_sensitive = not term.ignore_case
    options.max_mem = EXACT_REGEX_BYTES
    # `^` and `$` are those of lines, as in every tool that searches lines.
    pattern = f"(?m){term.text}" if term.is_regex else term.text
    try:
        compiled = re2.compile(pattern.encode(), options)
    except re2.error as exc:
        reason = exc.args[0].decode(errors="replace") if exc.args else "it is too large"
        raise invalid_regex(term.text, reason) from exc

    def find(content: bytes) -> Iterator[Span]:
        return (
            (start, end)
            for start, end in (match.span() for match in compiled.finditer(content))
            if start < end
        )

    return find


def invalid_regex(pattern: str, reason: str) -> InvalidError:
    """Return the error of a pattern that RE2 refuses."""
    shown = pattern if len(pattern) <= 100 else f"{pattern[:100]}…"
    detail = (
        f"The regular expression {shown!r} cannot be used: {reason}. Write it in RE2's syntax, "
        "which has no look-around and no back references."
    )
    return InvalidError(detail, errors={"query": [detail]})


def _literal_finder(wanted: bytes) -> Find:
    def find(content: bytes) -> Iterator[Span]:
        start = content.find(wanted)
        while start >= 0:
            yield start, start + len(wanted)
            start = content.find(wanted, start + len(wanted))

    return find


def file_matches(content: bytes, terms: Iterable[ContentTerm]) -> FileMatches:
    """Return the matches of all terms, at most EXACT_MATCHES_OF_FILE of each."""
    spans: list[Span] = []
    is_cut = False
    for term in terms:
        for count, span in enumerate(finder(term)(content), 1):
            if count > EXACT_MATCHES_OF_FILE:
                is_cut = True
                break
            spans.append(span)
    return FileMatches(sorted(set(spans)), is_cut)


def has_match(content: bytes, term: ContentTerm) -> bool:
    """Return whether `term` occurs in the content."""
    return next(finder(term)(content), None) is not None


class Lines:
    """The lines of a file's content, by number and by offset in bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._starts = [0]
        place = content.find(b"\n")
        while place >= 0:
            self._starts.append(place + 1)
            place = content.find(b"\n", place + 1)
        if self._starts[-1] == len(content) and content:
            self._starts.pop()  # a final LF starts no line

    def __len__(self) -> int:
        return len(self._starts) if self._content else 0

    def number(self, offset: int) -> int:
        """Return the line of a byte, from 1."""
        return bisect_right(self._starts, offset)

    def text(self, number: int) -> bytes:
        """Return a line without its end."""
        start, end = self.bounds(number)
        return self._content[start:end]

    def bounds(self, number: int) -> Span:
        """Return where a line starts and ends, without its LF and the CR before it."""
        start = self._starts[number - 1]
        last = number == len(self._starts)
        end = len(self._content) if last else self._starts[number] - 1
        if last and self._content.endswith(b"\n"):
            end -= 1
        if end > start and self._content[end - 1] == 0x0D:
            end -= 1
        return start, end

    def block(self, first: int, last: int) -> str:
        """Return the text of lines, both included, as far as they exist, without the last LF."""
        first, last = max(1, first), min(len(self), last)
        if first > last:
            return ""
        return self._content[self._starts[first - 1] : self.bounds(last)[1]].decode()


def matched_lines(lines: Lines, spans: Sequence[Span], *, limit: int) -> list[MatchedLine]:
    """Return the first `limit` lines that the matches touch, in order."""
    by_line: dict[int, list[Span]] = {}
    for start, end in spans:
        first, last = lines.number(start), lines.number(end - 1)
        for number in range(first, last + 1):
            if number not in by_line and len(by_line) == limit:
                break
            by_line.setdefault(number, []).append((start, end))
    return [_matched_line(lines, number, found) for number, found in sorted(by_line.items())]


def _matched_line(lines: Lines, number: int, spans: Sequence[Span]) -> MatchedLine:
    start, end = lines.bounds(number)
    inside = _merged([(max(start, one) - start, min(end, other) - start) for one, other in spans])
    line = lines.text(number)
    text = line.decode()
    ranges = [[len(line[:one].decode()), len(line[:other].decode())] for one, other in inside]
    if len(text) <= EXACT_LINE_CHARACTERS:
        return MatchedLine(number, text, ranges)
    first = ranges[0][0] if ranges else 0
    begin = max(0, min(first - EXACT_LINE_CHARACTERS // 4, len(text) - EXACT_LINE_CHARACTERS))
    finish = begin + EXACT_LINE_CHARACTERS
    shown = [
        [max(one, begin) - begin, min(other, finish) - begin]
        for one, other in ranges
        if one < finish and other > begin
    ]
    return MatchedLine(number, text[begin:finish], shown, begin + 1, truncated=True)


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Join overlapping matches of several terms."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif start < end:
            merged.append((start, end))
    return merged
