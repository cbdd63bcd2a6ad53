"""How old, and how much: times and commits in sentences."""

from datetime import UTC, datetime
from typing import Final

from indexer.output.terminal import counted

SHORT_COMMIT: Final = 10
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def age(moment: str | None, now: datetime | None = None) -> str:
    """`3 minutes ago`, of an RFC 3339 time."""
    if moment is None:
        return "never"
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(moment)).total_seconds()
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{counted(int(seconds // size), unit)} ago"
    return "just now"


def short(commit: str | None) -> str:
    """A commit's name as far as a person compares it."""
    return (commit or "-")[:SHORT_COMMIT]
