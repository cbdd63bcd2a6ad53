"""The lines of an exact result with those around them, as parts of their file. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, dropwhile, groupby
from typing import Final, NamedTuple

from aeterna_code_search.contract.search import ContextLine, MatchedLine, Result
from central.search.exact.matching import EXACT_MATCHES_OF_FILE
from central.web.highlighting import Interval

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


def matched_file(result: Result, content: str, *, limit: int, asked: int) -> MatchedFile:
    """Choose `limit` of the lines of a result, with those around them, which may match too.

    `asked` is how many lines the result might have had. Without content, or if it is no longer
    what was searched, there are no colours.
    """
    near = {
        number
        for line in result.lines[:limit]
        for number in range(line.line - CONTEXT_LINES, line.line + CONTEXT_LINES + 1)
    }
    matched = [line for line in result.lines if line.line in near]
    around = [line for line in result.context if line.line in near]
    lines: list[MatchedLine | ContextLine] = [*matched, *around]
    lines.sort(key=lambda line: line.line)
    text, language, places = content, result.language, _places(lines, content)
    if not places:
        text, language = "\n".join(line.text for line in lines), ""
        ends = accumulate(len(line.text) + 1 for line in lines)
        places = [0, *ends]
    matches = result.matches or 0
    more = max(
        matches - sum(len(line.ranges) for line in matched), len(result.lines) - len(matched)
    )
    is_whole = len(matched) == len(result.lines) < asked  # matches may touch, or be of no text
    return MatchedFile(
        text=text,
        language=language,
        blocks=list(_blocks(map(_shown, lines, places), text)),
        more=0 if is_whole else max(0, more),
        has_more=matches >= EXACT_MATCHES_OF_FILE,
    )


def changed_file(result: Result) -> MatchedFile:
    """Return the lines that a commit changed, of a path or a message; without colours."""
    places = [0, *accumulate(len(line.text) + 1 for line in result.lines)]
    shown = [_shown(line, start) for line, start in zip(result.lines, places, strict=False)]
    blocks: list[list[ShownLine]] = []
    for line in shown:
        before = blocks[-1][-1] if blocks else None
        if before is None or _is_apart(before, line):
            blocks.append([])
        blocks[-1].append(line)
    matches = result.matches or 0
    return MatchedFile(
        text="\n".join(line.text for line in result.lines),
        language="",
        blocks=blocks,
        more=max(0, matches - sum(len(line.ranges) for line in result.lines)),
        has_more=matches >= EXACT_MATCHES_OF_FILE,
    )


def _is_apart(before: ShownLine, line: ShownLine) -> bool:
    """Return whether a line does not follow another one of its side, nor replaces it."""
    sides = [shown.matched.side for shown in (before, line) if shown.matched]
    return len(set(sides)) == 1 and line.number != before.number + 1


def _places(lines: Sequence[MatchedLine | ContextLine], content: str) -> list[int]:
    """Return where the texts of lines are in the content; [] if one is not there."""
    starts = [0, *accumulate(len(line) + 1 for line in content.split("\n"))]
    places = []
    for line in lines:
        if line.line >= len(starts):
            return []
        place = starts[line.line - 1] + (line.column - 1 if isinstance(line, MatchedLine) else 0)
        if not content.startswith(line.text, place):
            return []
        places.append(place)
    return places


def _shown(line: MatchedLine | ContextLine, start: int) -> ShownLine:
    end, number, is_cut = start + len(line.text), line.line, line.truncated
    if isinstance(line, ContextLine):
        return ShownLine(number, start, end, is_cut=is_cut)
    marks = [(first, last) for first, last in line.ranges]
    return ShownLine(number, start, end, marks, line, is_cut)


def _blocks(lines: Iterable[ShownLine], text: str) -> Iterator[Sequence[ShownLine]]:
    """Yield lines that follow one another, without blank ones at their edges."""

    def is_blank(line: ShownLine) -> bool:
        return line.matched is None and not text[line.start : line.end].strip()

    for _, group in groupby(enumerate(lines), key=lambda line: line[1].number - line[0]):
        block = list(dropwhile(is_blank, (line for _, line in group)))
        while block and is_blank(block[-1]):
            block.pop()
        if block:
            yield block
