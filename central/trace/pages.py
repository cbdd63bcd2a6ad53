"""Steps in the order in which they are answered, and where a page of them begins.

A page begins at a place, not at a number: what is indexed between two pages moves nothing that
stands elsewhere.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from central.trace.scope import Sight
from central.trace.walking import Step

_Place: TypeAlias = tuple[str, str, int, int]


class Page(NamedTuple):
    """Some of the steps, and the position at which those after them begin, as JSON."""

    steps: Sequence[Step]
    following: list[str | int] | None


def in_order(sight: Sight, steps: Iterable[Step]) -> list[Step]:
    """By project, file, line and column."""
    return sorted(
        steps,
        key=lambda step: (_place(sight, step), step.depth, step.target, step.edge.target),
    )


def page_from(
    sight: Sight, steps: Sequence[Step], position: Sequence[str | int] | None, limit: int
) -> Page:
    """At most `limit` of the ordered steps, from `position` on; None: from the first on."""
    start = _start(sight, steps, position) if position else 0
    end = start + limit
    if end >= len(steps):
        return Page(steps[start:], None)
    place = _place(sight, steps[end])
    before = end - bisect_left(steps, place, key=lambda step: _place(sight, step))
    return Page(steps[start:end], [*place, before])


def _start(sight: Sight, steps: Sequence[Step], position: Sequence[str | int]) -> int:
    """Steps of one reference are told apart by how many of them stand before."""
    *parts, before = position
    place = tuple(parts)
    first = bisect_left(steps, place, key=lambda step: _place(sight, step))
    behind = bisect_right(steps, place, key=lambda step: _place(sight, step))
    return min(first + int(before), behind)


def _place(sight: Sight, step: Step) -> _Place:
    site = step.edge.site
    return sight.repositories[site.repository].name, site.path, site.line, site.column
