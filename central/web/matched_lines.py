"""The lines of an exact result with those around them, as parts of their file. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, groupby
from typing import Final, NamedTuple

from central.search.answers import Result
from central.search.exact.matching import MatchedLine
from central.web.highlighting import Interval
from indexer.limits import EXACT_LINE_CHARACTERS, EXACT_MATCHES_OF_FILE

SHOWN_LINES: Final = 5  # of a file that match, beside other files
CONTEXT_LINES: Final = 2  # before and after each


class ShownLine(NamedTuple):
    """Characters of a text that are shown as one line; `marks` count from `start`.

    A context line has no marks, and `matched` is None.
    """

    number: int
    start: int
    end: int
    marks: Sequence[Interval] = ()
    matched: MatchedLine | None = None
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class MatchedFile:
    """Blocks of lines that follow one another; `text` is the whole file, if that is known.

    `more`: matches in lines that are not shown; `has_more`: there may be yet more of them.
    """

    text: str
    language: str
    blocks: Sequence[Sequence[ShownLine]]
    more: int
    has_more: bool


def matched_file(result: Result, content: str, *, limit: int) -> MatchedFile:
    """Choose `limit` of the lines of a result, with context from the content of its file.

    Without content, or if it is no longer what was searched, there are the lines alone.
    """
    chosen = sorted(result.lines[:limit], key=lambda line: line.line)
    starts = _line_starts(content)
    if all(_is_there(line, content, starts) for line in chosen):
        shown = list(_with_context(chosen, content, starts))
        text, language = content, result.language
    else:
        shown = list(_alone(chosen))
        text, language = "\n".join(line.text for line in chosen), ""
    matches = result.matches or 0
    return MatchedFile(
        text=text,
        language=language,
        blocks=list(_blocks(shown, text)),
        more=max(0, matches - _marks(chosen), len(result.lines) - len(chosen)),
        has_more=matches >= EXACT_MATCHES_OF_FILE,
    )


def _marks(lines: Iterable[MatchedLine]) -> int:
    return sum(len(line.ranges) for line in lines)


def _line_starts(content: str) -> list[int]:
    """Return where each line starts, and where one after the last would."""
    starts = [0]
    for line in content.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _is_there(line: MatchedLine, content: str, starts: Sequence[int]) -> bool:
    if line.line >= len(starts):
        return False
    return content.startswith(line.text, starts[line.line - 1] + line.column - 1)


def _with_context(
    lines: Sequence[MatchedLine], content: str, starts: Sequence[int]
) -> Iterator[ShownLine]:
    by_number = {line.line: line for line in lines}
    last = len(starts) - 1 - content.endswith("\n")
    wanted = {
        number
        for line in lines
        for number in range(line.line - CONTEXT_LINES, line.line + CONTEXT_LINES + 1)
        if 1 <= number <= last
    }
    for number in sorted(wanted):
        start = starts[number - 1]
        if line := by_number.get(number):
            yield _matched(line, start + line.column - 1)
            continue
        end = starts[number] - 1
        if content.endswith("\r", start, end):
            end -= 1
        shown = min(end, start + EXACT_LINE_CHARACTERS)
        yield ShownLine(number, start, shown, is_cut=shown < end)


def _alone(lines: Sequence[MatchedLine]) -> Iterator[ShownLine]:
    start = 0
    for line in lines:
        yield _matched(line, start)
        start += len(line.text) + 1


def _matched(line: MatchedLine, start: int) -> ShownLine:
    marks = [(first, last) for first, last in line.ranges]
    return ShownLine(line.line, start, start + len(line.text), marks, line, line.truncated)


def _blocks(lines: Iterable[ShownLine], text: str) -> Iterator[Sequence[ShownLine]]:
    """Yield lines that follow one another, without blank ones at their edges."""

    def is_blank(line: ShownLine) -> bool:
        return line.matched is None and not text[line.start : line.end].strip()

    for _, group in groupby(enumerate(lines), key=lambda one: one[1].number - one[0]):
        block = list(dropwhile(is_blank, (line for _, line in group)))
        while is_blank(block[-1]):
            block.pop()
        yield block
