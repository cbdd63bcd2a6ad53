"""A stack trace as its frames, the innermost of the first exception first, and its message."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from central.query.pasted.frames import STYLES, Frame, FoundFrame, Style, found_frames
from indexer.limits import STACK_FRAMES

_MAY_BE: Final = re.compile(r"[:(]\d|\bline \d")
_PYTHON_CHAIN: Final = "Traceback (most recent call last)"
_CHAINS: Final = {
    "java": re.compile(r"\bCaused by: "),
    "javascript": re.compile(r"\[?cause\]?: |\bCaused by: "),
    "ruby": re.compile(r"\bcaused by\b", re.IGNORECASE),
}


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
    if not _MAY_BE.search(text):
        return None
    best: tuple[Style, list[FoundFrame]] | None = None
    for style in STYLES:
        if style.sign.search(text):
            found = found_frames(text, style)
            count = sum(one.frame is not None for one in found)
            if count and (best is None or count > sum(one.frame is not None for one in best[1])):
                best = style, found
    if best is None:
        return None
    style, found = best
    groups = _by_exception(text, style, found)
    ordered = [frame for group in groups for frame in _innermost_first(group, style)]
    frames = _once(ordered)
    return StackTrace(
        style.language,
        frames[:STACK_FRAMES],
        sum(one.frame is None for one in found),
        len(frames) > STACK_FRAMES,
    )


def is_trace(text: str) -> bool:
    """Return whether a text holds frames of a stack trace."""
    return parse_trace(text) is not None


def _once(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return each place once, with the function that any of its frames names."""
    kept: dict[tuple[str, int], Frame] = {}
    for frame in frames:
        known = kept.setdefault(frame[:2], frame)
        if frame.function and not known.function:
            kept[frame[:2]] = frame
    return tuple(kept.values())


def _innermost_first(found: Sequence[FoundFrame], style: Style) -> list[Frame]:
    frames = [one.frame for one in found if one.frame is not None]
    return frames[::-1] if style.newest_last else frames


def _by_exception(
    text: str, style: Style, found: Sequence[FoundFrame]
) -> list[Sequence[FoundFrame]]:
    """Return the frames of each exception, that of the cause first."""
    if style.language == "python":
        begins = [one.start() for one in re.finditer(re.escape(_PYTHON_CHAIN), text)]
    else:
        chain = _CHAINS.get(style.language)
        begins = [one.start() for one in chain.finditer(text)] if chain else []
    edges = [0, *begins, len(text) + 1]
    groups = [
        [one for one in found if first <= one.start < last]
        for first, last in zip(edges, edges[1:], strict=False)
    ]
    return groups[::-1] if style.cause_last else groups
