"""Where a page of hits goes on that local ones took the place of central's hits in. Pure."""

import re
from dataclasses import dataclass
from typing import Final

MOST_HITS: Final = 50  # of one answer
_MOST_SHOWN: Final = 200  # of all pages of one search
_CURSOR: Final = re.compile(r"local-(\d{1,2}|end)-(\d{1,3})-(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Position:
    """After `through` of central's hits from `cursor` on, and after `shown` of the local ones.

    `cursor` is central's own, "" its first hit; None: it has no further ones.
    """

    cursor: str | None = ""
    through: int = 0
    shown: int = 0

    def written(self) -> str:
        """As a cursor of the merged answer."""
        through = "end" if self.cursor is None else self.through
        return f"local-{through}-{self.shown}-{self.cursor or ''}"


def position(cursor: str) -> Position | None:
    """What a cursor says; None: it is central's own, or nothing that `written` writes."""
    found = _CURSOR.fullmatch(cursor)
    if not found:
        return None
    is_over = found[1] == "end"
    through, shown = 0 if is_over else int(found[1]), int(found[2])
    if through > MOST_HITS or shown > _MOST_SHOWN:
        return None
    return Position(None if is_over else found[3], through, shown)
