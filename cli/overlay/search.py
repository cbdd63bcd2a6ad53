"""Search answers of a working copy over those of the service."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, NamedTuple

from cli.overlay.overlay import Overlay, Row

_NOTHING_LEFT = (
    "What was found is in files that the work tree has changed, and nothing that is there now "
    "resembles the query. Try other words, or an identifier."
)
_LEAST = 1e-6  # a share of the best that tells something; a ratio to less would have no bounds


class Page(NamedTuple):
    """One answer of both: how many of central's hits it goes through, and of the local ones.

    The former is less than central gave where local hits took the place of the last ones.
    """

    answer: Row
    through: int
    shown: int
    is_all_local: bool = True  # whether no local one is left for a further page


def merge_hits(
    central: Mapping[str, Any],
    local: Mapping[str, Any],
    overlay: Overlay,
    *,
    limit: int,
    skipped: int = 0,
    is_first: bool = True,
) -> Page:
    """At most `limit` hits in descending order of score, without the first `skipped` local ones.

    Only the first page has the best of all, of which scores are shares.
    """
    if overlay.is_empty:
        return Page({**central}, len(central["results"]), skipped)
    scale = _scale(central["results"], local["results"], overlay, limit)
    fresh = [hit for hit in local["results"] if overlay.is_own(hit) and overlay.has(hit["file"])]
    shown = [{**overlay.local_row(hit), "score": scale * hit["score"]} for hit in fresh[skipped:]]
    kept = [hit for hit in central["results"] if not overlay.is_overridden(hit)]
    results = sorted([*kept, *shown], key=lambda hit: -hit["score"])[:limit]
    left = {id(hit) for hit in results}
    pushed_off = [n for n, hit in enumerate(central["results"]) if _is_cut(hit, overlay, left)]
    through = min(pushed_off, default=len(central["results"]))
    told = skipped + sum(id(hit) in left for hit in shown)
    is_all = told >= len(fresh) and not local["next_cursor"]
    scored = _as_shares(results) if is_first else _at_most_1(results)
    return Page(_answer(central, scored, overlay), through, told, is_all)


def without_changed(central: Mapping[str, Any], overlay: Overlay) -> Row:
    """A further page: central's, without what the work tree has changed."""
    if overlay.is_empty:
        return {**central}
    return _answer(
        central, [hit for hit in central["results"] if not overlay.is_overridden(hit)], overlay
    )


def _is_cut(hit: Row, overlay: Overlay, left: set[int]) -> bool:
    return not overlay.is_overridden(hit) and id(hit) not in left


def _answer(central: Mapping[str, Any], results: Sequence[Row], overlay: Overlay) -> Row:
    return {
        **central,
        "count": len(results),
        "results": list(results),
        "receipt": overlay.receipt(central["receipt"]),
        "hint": None if results else central.get("hint") or _NOTHING_LEFT,
    }


def _as_shares(results: list[Row]) -> list[Row]:
    """Scores are shares of the best of all: a local hit, where central's best is gone or beaten."""
    best = max((hit["score"] for hit in results), default=0.0)
    if best in {0.0, 1.0}:
        return results
    return [{**hit, "score": hit["score"] / best} for hit in results]


def _at_most_1(results: list[Row]) -> list[Row]:
    return [{**hit, "score": min(1.0, hit["score"])} for hit in results]


def _scale(central: Sequence[Row], local: Sequence[Row], overlay: Overlay, limit: int) -> float:
    """What a local score is worth on central's scale: each is a share of its own list's best.

    By the hits that both have; else, where central's page is full, so that the best of the others
    is no better than its last; else by how alike the best hits are to the query.
    """
    own = [hit for hit in local if overlay.is_own(hit) and hit["score"] > _LEAST]
    known = {
        _key(hit, overlay): hit["score"] for hit in central if hit["project"] == overlay.project
    }
    both = [known[key] / hit["score"] for hit in own if (key := _key(hit, overlay)) in known]
    if both:
        return float(median(both))
    unchanged = max((hit["score"] for hit in own if not overlay.has(hit["file"])), default=0.0)
    if unchanged and len(central) >= limit:
        return float(central[-1]["score"] / unchanged)
    ours, theirs = _likeness(own), _likeness(central)
    return min(1.0, ours / theirs) if ours > 0.0 and theirs > 0.0 else 1.0


def _key(hit: Mapping[str, Any], overlay: Overlay) -> tuple[Any, ...]:
    """By what a chunk is known on both sides; in a changed file it may stand elsewhere."""
    line = 0 if overlay.has(hit["file"]) else hit["start_line"]
    return hit["file"], line, hit["name"], hit["content"]


def _likeness(hits: Sequence[Row]) -> float:
    return float((hits[0]["similarity"] if hits else None) or 0.0)


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
