"""Gitignore's patterns of files, in time linear in the pattern and in the path."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase


def matches_any(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the patterns matches the file or a directory around it."""
    parts = path.split("/")
    return any(_matches(pattern, parts) for pattern in patterns)


def _matches(pattern: str, parts: Sequence[str]) -> bool:
    """Whether it matches; one without "/" does at any depth. Negated patterns match nothing."""
    segments = pattern.strip("/").split("/")
    if "/" not in pattern.rstrip("/"):
        segments.insert(0, "**")
    states = _skipped({0}, segments)
    for part in parts:
        after = {one + (segments[one] != "**") for one in states if _takes(segments[one], part)}
        states = _skipped(after, segments)
        if len(segments) in states:
            return True
    return False


def _takes(segment: str, part: str) -> bool:
    return segment == "**" or fnmatchcase(part, segment)


def _skipped(states: set[int], segments: Sequence[str]) -> set[int]:
    """Add the positions after each `**`, which may stand for no directory."""
    for index, segment in enumerate(segments):
        if index in states and segment == "**":
            states.add(index + 1)
    return states
