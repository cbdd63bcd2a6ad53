"""How much of a repository is in which language: counts as parts of one bar. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_SHOWN: Final = 7
TINTS: Final = 8  # the last is that of all others


@dataclass(frozen=True, slots=True)
class Share:
    """A language's part. `start` and `percent` are of the bar's 100; `count` is of files."""

    name: str
    count: int
    start: float
    percent: float
    tint: int


def shares(languages: Mapping[str, int]) -> list[Share]:
    """The largest first; what is beyond the seventh is one part, "other"."""
    ordered = sorted(languages.items(), key=lambda item: (-item[1], item[0]))
    parts = [(name or "text", count) for name, count in ordered[:_SHOWN] if count > 0]
    rest = sum(count for _, count in ordered[_SHOWN:])
    parts += [("other", rest)] if rest else []
    total = sum(count for _, count in parts)
    found, before = [], 0
    for tint, (name, count) in enumerate(parts):
        start, percent = 100 * before / total, 100 * count / total
        found.append(Share(name, count, round(start, 2), round(percent, 2), tint))
        before += count
    return found
