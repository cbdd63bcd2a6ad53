"""Processes for what a hostile pattern or file could block for hours: each can be ended.

A process looks at one file at a time, and organisations take turns.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from central.http.turns import current
from central.limited_process import ChildEndedError, LimitedProcesses, LimitExceededError
from central.search.exact.matching import FileMatches, file_matches, has_match
from central.search.exact.text_pattern import (
    EXACT_CPU_SECONDS,
    SlowFileError,
    Span,
    TextPattern,
    slow_size,
)

EXACT_PROCESS_SECONDS: Final = 5.0  # of waiting for a process that is free, or for its answer
EXACT_PROCESSES: Final = 2  # of a server, each for one file at a time
Ask = Callable[[list[Any]], Any]


processes: Final = LimitedProcesses(
    "central.search.exact.child",
    EXACT_PROCESSES,
    cpu_seconds=EXACT_CPU_SECONDS,
    seconds=EXACT_PROCESS_SECONDS,
)


def ask(request: list[Any]) -> Any:
    """Return a process's answer. Raises SlowFileError; TimeoutError if none is free in time."""
    try:
        return processes.ask(request, caller=current.get().name)
    except (LimitExceededError, ChildEndedError) as exc:
        raise SlowFileError from exc


def text_matches(
    content: bytes, pattern: TextPattern, *, most: int, regions: Sequence[Span] | None = None
) -> FileMatches:
    """Return what `file_matches` returns, from a process. Raises SlowFileError, TimeoutError."""
    asked = [regions, pattern.text, pattern.is_regex, pattern.ignore_case]
    answer = ask(["text", content.decode(), most, *asked])
    if answer is None:
        raise SlowFileError
    found, is_cut = answer
    return FileMatches([(start, end) for start, end in found], is_cut)


def find_matches(
    content: bytes, pattern: TextPattern, *, most: int, regions: Sequence[Span] | None = None
) -> FileMatches:
    """Return what `file_matches` returns; a process looks at what one match may take long in.

    Raises SlowFileError; TimeoutError if no process is free in time.
    """
    find = text_matches if len(content) > slow_size(pattern) else file_matches
    return find(content, pattern, most=most, regions=regions)


def find_match(content: bytes, pattern: TextPattern) -> bool:
    """Return whether the pattern matches in the content. Raises as `find_matches`."""
    if len(content) > slow_size(pattern):
        return bool(text_matches(content, pattern, most=1).spans)
    return has_match(content, pattern)
