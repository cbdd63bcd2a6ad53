"""Search answers of a working copy over those of the service."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, NamedTuple

from aeterna_code_search.cli.overlay.overlay import Overlay, Row

MAX_HITS: Final = 50  # in one answer
_MAX_LOCAL_HITS: Final = 200  # on all pages of one search
_CURSOR: Final = re.compile(r"local-(\d{1,2}|end)-(\d{1,3})-(.*)", re.DOTALL)
_NO_HITS_HINT = (
    "All hits are in files that the work tree has changed, and their new content does not match "
    "the query. Try other words, or an identifier."
)
_CONFIDENCES: Final = ("strong", "weak", "none")
_MIN_SCORE = 1e-6  # relative to the best hit; a ratio to a smaller score would be unbounded


@dataclass(frozen=True, slots=True)
class Position:
    """A position after `through` of central's hits from `cursor`, and `shown` local ones.

    `cursor` is central's, "" its first hit; None: central has no further hits.
    """

    cursor: str | None = ""
    through: int = 0
    shown: int = 0

    def encode(self) -> str:
        """Encode the position as a cursor of the merged answer."""
        through = "end" if self.cursor is None else self.through
        return f"local-{through}-{self.shown}-{self.cursor or ''}"


def parse_cursor(cursor: str) -> Position | None:
    """Decode a cursor; None if it is central's own, or not an encoded position."""
    match = _CURSOR.fullmatch(cursor)
    if not match:
        return None
    is_over = match[1] == "end"
    through, shown = 0 if is_over else int(match[1]), int(match[2])
    if through > MAX_HITS or shown > _MAX_LOCAL_HITS:
        return None
    return Position(None if is_over else match[3], through, shown)


class Page(NamedTuple):
    """A merged page: `through` counts the consumed hits of central, `shown` the local ones.

    `through` is less than the length of central's page if local hits displaced its last ones.
    """

    answer: Row
    through: int
    shown: int
    is_all_local: bool = True  # whether all local hits have been shown


def merge_hits(
    central: Mapping[str, Any],
    local: Mapping[str, Any],
    overlay: Overlay,
    *,
    limit: int,
    skipped: int = 0,
    is_first: bool = True,
) -> Page:
    """Merge at most `limit` hits by descending score, without the first `skipped` local ones.

    Scores are relative to the best hit, which is on the first page.
    """
    if overlay.is_empty:
        return Page({**central}, len(central["results"]), skipped)
    scale = _scale(central["results"], local["results"], overlay, limit)
    fresh = [hit for hit in local["results"] if overlay.is_own(hit) and overlay.has(hit["file"])]
    shown = [
        _rescored(overlay.local_row(hit), lambda score: scale * score) for hit in fresh[skipped:]
    ]
    unchanged_hits = [hit for hit in central["results"] if not overlay.is_overridden(hit)]
    results = sorted([*unchanged_hits, *shown], key=lambda hit: -hit["score"])[:limit]
    result_ids = {id(hit) for hit in results}
    pushed_off = [
        n for n, hit in enumerate(central["results"]) if _is_cut(hit, overlay, result_ids)
    ]
    through = min(pushed_off, default=len(central["results"]))
    shown_count = skipped + sum(id(hit) in result_ids for hit in shown)
    is_all = shown_count >= len(fresh) and not local["next_cursor"]
    scored = _as_shares(results) if is_first else _clamped(results)
    best = {**central, **_best_match(central, *([local] if shown else []))}
    return Page(_answer(best, scored, overlay), through, shown_count, is_all)


def without_changed(central: Mapping[str, Any], overlay: Overlay) -> Row:
    """Return a further page: central's hits outside of changed files."""
    if overlay.is_empty:
        return {**central}
    return _answer(
        central, [hit for hit in central["results"] if not overlay.is_overridden(hit)], overlay
    )


def _is_cut(hit: Row, overlay: Overlay, result_ids: set[int]) -> bool:
    return not overlay.is_overridden(hit) and id(hit) not in result_ids


def _answer(central: Mapping[str, Any], results: Sequence[Row], overlay: Overlay) -> Row:
    return {
        **central,
        "count": len(results),
        "results": list(results),
        "receipt": overlay.receipt(central["receipt"]),
        "hint": _hint(central, results),
        "instead": None if results else central.get("instead"),
    }


def _hint(central: Mapping[str, Any], results: Sequence[Row]) -> str | None:
    if results:
        return None if central.get("confidence") == "strong" else central.get("hint")
    return central.get("hint") or _NO_HITS_HINT


def _best_match(*answers: Mapping[str, Any]) -> Row:
    """Return the highest confidence and match that an answer states, with its hint."""
    for confidence in _CONFIDENCES:
        those = [answer for answer in answers if answer.get("confidence") == confidence]
        if those:
            best = max(those, key=lambda answer: answer.get("match") or 0.0)
            return {"confidence": confidence, **{key: best.get(key) for key in ("match", "hint")}}
    return {"confidence": None, "match": None}


def _as_shares(results: list[Row]) -> list[Row]:
    """Scale scores relative to the best hit, which may be a local one."""
    best = max((hit["score"] for hit in results), default=0.0)
    if best in {0.0, 1.0}:
        return results
    return [_rescored(hit, lambda score: score / best) for hit in results]


def _clamped(results: list[Row]) -> list[Row]:
    return [_rescored(hit, lambda score: min(1.0, score)) for hit in results]


def _rescored(hit: Row, rescore: Callable[[float], float]) -> Row:
    """Return the hit with another score, and so the further hits in its file."""
    rescored = {**hit, "score": rescore(hit["score"])}
    if hit.get("spans"):
        rescored["spans"] = [{**span, "score": rescore(span["score"])} for span in hit["spans"]]
    return rescored


def _scale(central: Sequence[Row], local: Sequence[Row], overlay: Overlay, limit: int) -> float:
    """Return the factor from local scores to central's; each is relative to its list's best hit.

    It is derived from the hits that both lists contain. Else, if central's page is full, the best
    unchanged local hit gets the score of central's last one. Else the similarity of the best hits
    to the query decides.
    """
    own = [hit for hit in local if overlay.is_own(hit) and hit["score"] > _MIN_SCORE]
    central_scores = {
        _key(hit, overlay): hit["score"] for hit in central if hit["project"] == overlay.project
    }
    both = [
        central_scores[key] / hit["score"]
        for hit in own
        if (key := _key(hit, overlay)) in central_scores
    ]
    if both:
        return float(median(both))
    unchanged = max((hit["score"] for hit in own if not overlay.has(hit["file"])), default=0.0)
    if unchanged and len(central) >= limit:
        return float(central[-1]["score"] / unchanged)
    ours, theirs = _likeness(own), _likeness(central)
    return min(1.0, ours / theirs) if ours > 0.0 and theirs > 0.0 else 1.0


def _key(hit: Mapping[str, Any], overlay: Overlay) -> tuple[Any, ...]:
    """Return the identity of a chunk in both lists; its line may differ in a changed file."""
    line = 0 if overlay.has(hit["file"]) else hit["start_line"]
    return hit["file"], line, hit["name"], hit["content"]


def _likeness(hits: Sequence[Row]) -> float:
    return float((hits[0]["similarity"] if hits else None) or 0.0)
