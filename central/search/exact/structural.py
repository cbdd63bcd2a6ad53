"""Matches of ast-grep patterns, found in a process that can be ended.

`python -m central.search.exact.structural` is that process. Patterns are those of
https://ast-grep.github.io/guide/pattern-syntax.html, without rules.
"""

import atexit
import queue
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from central.ast_grep import LANGUAGES, reason_of
from central.errors import InvalidError, UnavailableError
from central.limited_process import (
    ChildEndedError,
    LimitedProcess,
    LimitExceededError,
    answer_requests,
)
from central.search.exact.matching import FileMatches
from indexer.limits import (
    EXACT_MATCHES_OF_FILE,
    STRUCTURAL_CPU_SECONDS,
    STRUCTURAL_PROCESSES,
    STRUCTURAL_SECONDS,
)

_METAVARIABLE: Final = re.compile(r"\$+[A-Z_][A-Z_0-9]*|\$\$\$")
_WORD: Final = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class StructuralPattern:
    """A pattern and the language that it is parsed in."""

    text: str
    language: str

    @property
    def words(self) -> list[str]:
        """Words that every matching file contains."""
        return sorted(set(_WORD.findall(_METAVARIABLE.sub(" ", self.text))))


class SlowFileError(Exception):
    """A file took more processor time than it may."""


class StructuralMatcher:
    """Matches one pattern. Not thread-safe; `opened` hands it out."""

    def __init__(self, process: LimitedProcess, pattern: StructuralPattern) -> None:
        self._process = process
        self._pattern = pattern

    def check(self) -> None:
        """Raise InvalidError unless ast-grep can use the pattern in its language."""
        self.matches(b"")

    def matches(self, content: bytes) -> FileMatches:
        """Return the places that match. Raises SlowFileError, InvalidError."""
        text = content.decode()
        try:
            answer = self._process.ask([self._pattern.text, self._pattern.language, text])
        except (LimitExceededError, ChildEndedError) as exc:
            raise SlowFileError from exc
        if isinstance(answer, str):
            raise _invalid(self._pattern, answer)
        found, is_cut = answer
        return FileMatches(_in_bytes(text, found), is_cut)


_free: Final[queue.LifoQueue[LimitedProcess]] = queue.LifoQueue()  # the last one is warm
for _ in range(STRUCTURAL_PROCESSES):
    _process = LimitedProcess(
        "central.search.exact.structural",
        cpu_seconds=STRUCTURAL_CPU_SECONDS,
        seconds=STRUCTURAL_SECONDS,
    )
    atexit.register(_process.close)
    _free.put(_process)


@contextmanager
def opened(pattern: StructuralPattern) -> Iterator[StructuralMatcher]:
    """Hand out a process. Raises InvalidError for a language that ast-grep does not know.

    Raises UnavailableError if other searches use all processes for some seconds.
    """
    if pattern.language not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        has = f"ast-grep has no grammar of {pattern.language}" if pattern.language else ""
        reason = has or "A structural pattern needs its language"
        detail = f"{reason}: add lang: with one of {known}."
        raise InvalidError(detail, errors={"query": [detail]})
    try:
        process = _free.get(timeout=STRUCTURAL_SECONDS)
    except queue.Empty as exc:
        raise UnavailableError(
            "Other structural searches use all processes. Send the request again in some seconds."
        ) from exc
    try:
        yield StructuralMatcher(process, pattern)
    finally:
        _free.put(process)


def _invalid(pattern: StructuralPattern, reason: str) -> InvalidError:
    detail = (
        f"ast-grep cannot use the pattern in {pattern.language}: {reason} Write one whole "
        "expression or statement, with $NAME for a part and $$$ for any number of parts."
    )
    return InvalidError(detail, errors={"query": [detail]})


def _in_bytes(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Convert spans of characters, in order of their starts, to spans of UTF-8 bytes."""
    if text.isascii():
        return [(start, end) for start, end in spans]
    places = sorted({place for span in spans for place in span})
    offsets: dict[int, int] = {}
    before = size = 0
    for place in places:
        size += len(text[before:place].encode())
        offsets[place], before = size, place
    return [(offsets[start], offsets[end]) for start, end in spans]


def _answer(request: list[Any]) -> Any:
    from ast_grep_py import SgRoot

    pattern, language, text = request
    try:
        found = SgRoot(text, language).root().find_all(pattern=pattern)
    except RuntimeError as exc:
        return reason_of(exc)
    ranges = [node.range() for node in found[: EXACT_MATCHES_OF_FILE + 1]]
    spans = [(one.start.index, one.end.index) for one in ranges[:EXACT_MATCHES_OF_FILE]]
    return spans, len(ranges) > EXACT_MATCHES_OF_FILE


if __name__ == "__main__":
    answer_requests(_answer, cpu_seconds=float(sys.argv[1]))
