"""All resolved references of a family at once, each judged by the truth.

The drawn symbols show what is asked for; this shows every edge that the graph has.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from benchmarks.callers.query import Edge, Line
from benchmarks.callers.truth import Site, Truth


class Verdict(StrEnum):
    """What the truth says of an edge. `UNKNOWN`: nothing certain, for or against it."""

    RIGHT = "right"
    FALSE = "false"
    UNKNOWN = "unknown"


def judged(truth: Truth, edges: Iterable[Edge]) -> Iterator[tuple[Edge, Verdict]]:
    """Each edge between definitions that the truth knows, with its verdict."""
    sites: dict[Line, list[Site]] = {}
    for site in truth.sites:
        sites.setdefault((site.project, site.file, site.line), []).append(site)
    for edge in dict.fromkeys(edges):
        index = truth.index.get(edge.bound)
        if index is not None:
            yield edge, _verdict(truth, index, sites.get(edge.line, []))


def _verdict(truth: Truth, index: int, on_line: Iterable[Site]) -> Verdict:
    """An edge to a constructor by its class's name is unknown: no site there bears its name."""
    may_mean = {index, *truth.overridden(index)}
    if any(may_mean & {*site.targets, *site.held} for site in on_line):
        return Verdict.RIGHT
    named = [site for site in on_line if site.name == truth.definitions[index].name]
    is_certain = named and all(site.judged and not site.held for site in named)
    return Verdict.FALSE if is_certain and not truth.is_partial else Verdict.UNKNOWN
