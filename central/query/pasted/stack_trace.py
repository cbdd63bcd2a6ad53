"""A stack trace as its frames, the innermost of the first exception first, and its message."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final

from central.query.pasted.error_message import parse_error
from central.query.pasted.frames import STYLES, FoundFrame, Frame, Style, found_frames
from central.query.pasted.paths import library_of

STACK_FRAMES: Final = 100  # of a pasted trace
_MAY_BE: Final = re.compile(r"[:(]\d|\bline \d")
_CHAINS: Final = {
    "java": re.compile(r"\bCaused by: "),
    "javascript": re.compile(r"\[?cause\]?: |\bCaused by: "),
    "python": re.compile(r"Traceback \(most recent call last\):"),
    "ruby": re.compile(r"\bcaused by\b", re.IGNORECASE),
}
CONDENSED_CHARACTERS: Final = 3_000
_LINE: Final = re.compile(r"[^\n]+")
_MESSAGES: Final = 3
_MESSAGE_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class StackTrace:
    """`frames` have files, each once; `unplaced` counts those without one, such as native code."""

    language: str
    frames: tuple[Frame, ...]
    unplaced: int = 0
    is_cut: bool = False


def parse_trace(text: str) -> StackTrace | None:
    """Return the trace that a text holds, or None. At most STACK_FRAMES frames are read.

    Of chained exceptions, the frames of the first, which caused the others, come first.
    """
    best = _best(text)
    if best is None:
        return None
    style, found = best
    groups = _by_exception(text, style, found)
    ordered = [frame for group in groups for frame in _innermost_first(group, style)]
    frames = _once(ordered)
    return StackTrace(
        style.language,
        frames[:STACK_FRAMES],
        sum(frame.frame is None for frame in found),
        len(frames) > STACK_FRAMES,
    )


def _best(text: str) -> tuple[Style, list[FoundFrame]] | None:
    """Return the language in which a text has the most frames with a file, and its frames."""
    if not _MAY_BE.search(text):
        return None
    best, most = None, 0
    for style in STYLES:
        found = found_frames(text, style) if style.sign.search(text) else []
        count = sum(frame.frame is not None for frame in found)
        if count > most:
            best, most = (style, found), count
    return best


def _once(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return each place once, with the function that any of its frames names."""
    kept: dict[tuple[str, int], Frame] = {}
    for frame in frames:
        known = kept.setdefault(frame[:2], frame)
        if frame.function and not known.function:
            kept[frame[:2]] = frame
    return tuple(kept.values())


def _innermost_first(found: Sequence[FoundFrame], style: Style) -> list[Frame]:
    frames = [frame.frame for frame in found if frame.frame is not None]
    return frames[::-1] if style.newest_last else frames


def _chain(text: str, style: Style) -> Sequence[re.Match[str]]:
    """Return where the exceptions of a chain begin."""
    begins = _CHAINS.get(style.language)
    return list(begins.finditer(text)) if begins else []


def _by_exception(
    text: str, style: Style, found: Sequence[FoundFrame]
) -> Sequence[Sequence[FoundFrame]]:
    """Return the frames of each exception, that of the cause first."""
    begins = [begin.start() for begin in _chain(text, style)]
    groups = [
        [frame for frame in found if first <= frame.start < last]
        for first, last in pairwise([0, *begins, len(text) + 1])
    ]
    return groups[::-1] if style.cause_last else groups


def condensed(text: str) -> str:
    """Return a trace without what stands between its frames, for an address; another text as is.

    Of more than CONDENSED_CHARACTERS, frames in installed packages are left out, then the
    outermost.
    """
    best = _best(text)
    if best is None or len(text) <= CONDENSED_CHARACTERS:
        return text
    style, found = best
    lines = [(error.start(), error[0]) for error in _LINE.finditer(text) if parse_error(error[0])]
    kept = {at: line.strip()[:_MESSAGE_CHARACTERS] for at, line in lines[:_MESSAGES]}
    for begin in _chain(text, style):
        kept.setdefault(begin.start(), begin[0])
    room = CONDENSED_CHARACTERS - sum(len(piece) + 1 for piece in kept.values())
    groups = _by_exception(text, style, found)
    ordered = chain.from_iterable(
        reversed(group) if style.newest_last else group for group in groups
    )
    for found_frame in sorted(ordered, key=_is_installed):
        piece = _piece(text, found_frame, style)
        room -= len(piece) + 1
        if room < 0:
            break
        kept[found_frame.start] = piece
    return "\n".join(kept[at] for at in sorted(kept))


def _is_installed(found: FoundFrame) -> bool:
    return found.frame is None or library_of(found.frame.path) is not None


def _piece(text: str, found: FoundFrame, style: Style) -> str:
    """Return a frame as it is written, with the line before where that names its function."""
    start = found.start
    if style.name_is_before and found.frame and found.frame.function:
        least = max(0, start - _MESSAGE_CHARACTERS)
        name_ends = len(text[:start].rstrip().removesuffix(" at").rstrip())
        start = max(least, text.rfind("\n", 0, name_ends) + 1)
    return text[start : found.end].strip()
