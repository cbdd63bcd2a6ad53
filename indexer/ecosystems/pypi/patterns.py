"""Gitignore's patterns of files, in time linear in the pattern and in the path."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from itertools import islice
from typing import Final

_MAX_PATTERNS: Final = 300  # of those with directories
_MAX_SKIPS: Final = 8  # `**` in one


@lru_cache(maxsize=8_192)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def fits(name: str, pattern: str) -> bool:
    """Whether a shell's pattern, without regard to "/", matches the whole name."""
    return _compiled(pattern).match(name) is not None


def matches_any(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the patterns matches the file or a directory around it."""
    parts = path.split("/")
    return any(_matches(pattern, parts) for pattern in islice(patterns, _MAX_PATTERNS))


def _matches(pattern: str, parts: Sequence[str]) -> bool:
    """Whether it matches; one without "/" does at any depth. Negated patterns match nothing."""
    segments = pattern.strip("/").split("/")
    if "/" not in pattern.rstrip("/"):
        segments.insert(0, "**")
    if segments.count("**") > _MAX_SKIPS:
        return False
    states = _skipped({0}, segments)
    for part in parts:
        after = {
            state + (segments[state] != "**") for state in states if _takes(segments[state], part)
        }
        states = _skipped(after, segments)
        if len(segments) in states:
            return True
    return False


def _takes(segment: str, part: str) -> bool:
    return segment == "**" or fits(part, segment)


def _skipped(states: set[int], segments: Sequence[str]) -> set[int]:
    """Add the positions after each `**`, which may stand for no directory."""
    waiting = list(states)
    while waiting:
        index = waiting.pop()
        if index < len(segments) and segments[index] == "**" and index + 1 not in states:
            states.add(index + 1)
            waiting.append(index + 1)
    return states
