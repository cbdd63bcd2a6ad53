"""Literals and regular expressions, and where they match in content. Pure.

Content is UTF-8, because RE2 and `bytes.find` work on bytes.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

import re2

from central.corpus.trigrams.regex import required_texts
from central.query.patterns import compile_pattern, with_line_ends

EXACT_CPU_SECONDS: Final = 1.0  # of one file, for a regular expression or a structural pattern
EXACT_REGEX_STEPS: Final = 50_000_000  # instructions times bytes; more goes to a process
Span = tuple[int, int]  # bytes, the end exclusive
Find = Callable[[bytes], Iterator[Span]]


class SlowFileError(Exception):
    """A file took more processor time than it may."""


@dataclass(frozen=True, slots=True)
class TextPattern:
    """A literal, or a regular expression in RE2's syntax, to find in content."""

    text: str
    is_regex: bool = False
    ignore_case: bool = False


@lru_cache(maxsize=256)
def finder(pattern: TextPattern) -> Find:
    """Return the function that yields the non-empty matches of a pattern.

    It raises SlowFileError between two matches. Raises QueryError if RE2 refuses a regular
    expression.
    """
    if not pattern.is_regex and not pattern.ignore_case:
        return _literal_finder(pattern.text.encode())
    written, with_crlf = _expressions(pattern)

    def find(content: bytes) -> Iterator[Span]:
        until = time.thread_time() + EXACT_CPU_SECONDS
        expression = with_crlf if with_crlf and b"\r" in content else written
        if expression.needed and not any(_has_text(content, text) for text in expression.needed):
            return
        for match in expression.compiled.finditer(content):
            start, end = match.span()
            is_line_end = expression is with_crlf and content[start:end] == b"\r"
            if start < end and not (is_line_end and _is_empty(written, match)):
                yield start, end
            if time.thread_time() > until:
                raise SlowFileError

    return find


class _Expression(NamedTuple):
    """A compiled pattern, and texts of which each matching file has one if there are any.

    To look for these texts is faster than RE2.
    """

    compiled: Any
    needed: Sequence[bytes] = ()


def _is_empty(written: _Expression, match: Any) -> bool:
    """Return whether a match of a CR is that of `$` only, and of no text."""
    found = written.compiled.match(match.string, match.start())
    return found is None or found.end() == found.start()


def _has_text(content: bytes, text: bytes) -> bool:
    """Return whether content, with a line feed before and after it, has the text."""
    return (
        text in content
        or (text[:1] == b"\n" and content.startswith(text[1:]))
        or (text[-1:] == b"\n" and content.endswith(text[:-1]))
        or (text[:1] == text[-1:] == b"\n" and content == text[1:-1])
    )


@lru_cache(maxsize=256)
def _expressions(pattern: TextPattern) -> tuple[_Expression, _Expression | None]:
    """Return the expression, and the one for content with CRs if the pattern has a `$`."""
    if not pattern.is_regex:
        escaped = re2.escape(pattern.text)
        return _Expression(compile_pattern(escaped, ignore_case=pattern.ignore_case)), None
    with_crlf = with_line_ends(pattern.text)
    written = _expression(pattern.text, pattern)
    return written, None if with_crlf == pattern.text else _expression(with_crlf, pattern)


def _expression(text: str, pattern: TextPattern) -> _Expression:
    # `^` and `$` are those of lines, as in every tool that searches lines.
    compiled = compile_pattern(f"(?m){text}", ignore_case=pattern.ignore_case)
    needed = () if pattern.ignore_case else required_texts(text)
    return _Expression(compiled, [text.encode() for text in needed])


@lru_cache(maxsize=256)
def slow_size(pattern: TextPattern) -> float:
    """Return the size of content from which on one match may take too long, in bytes.

    RE2 takes at most about 6 ns for each byte and each instruction of its two programs.
    """
    if not pattern.is_regex and not pattern.ignore_case:
        return float("inf")
    written, with_crlf = _expressions(pattern)
    compiled = (with_crlf or written).compiled
    size: int = compiled.programsize + compiled.reverseprogramsize
    return EXACT_REGEX_STEPS / size


def _literal_finder(wanted: bytes) -> Find:
    def find(content: bytes) -> Iterator[Span]:
        start = content.find(wanted)
        while start >= 0:
            yield start, start + len(wanted)
            start = content.find(wanted, start + len(wanted))

    return find
