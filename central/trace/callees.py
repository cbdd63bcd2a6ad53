"""What a definition uses, and the overriding methods that a call may mean."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from central.trace.callers import Edge
from central.trace.resolve.engine import Inquiry
from central.trace.resolve.hierarchy import descendants
from central.trace.resolve.questions import Key
from central.trace.resolve.references import Site, sites_within
from central.trace.resolve.resolve import Confidence, resolve
from central.trace.resolve.sql import Near
from indexer.records.references import Access


def overriding(inquiry: Inquiry, edges: Sequence[Edge]) -> list[Edge]:
    """For each edge to an instance's member, edges to what overrides it below that class."""
    virtual = [
        (edge, edge.thing.receiver)
        for edge in edges
        if edge.thing and edge.thing.receiver and edge.site.access != Access.BASE
    ]
    below = descendants(inquiry, {receiver for _, receiver in virtual})
    asked = [
        (edge, Near(file, f"{name}.{edge.target[1].rpartition('.')[2]}"))
        for edge, receiver in virtual
        for file, name in below[receiver]
    ]
    answers = inquiry.answers([near for _, near in asked])
    found: dict[tuple[int, Key], Edge] = {}
    direct = {(edge.site.id, edge.target) for edge in edges}
    for (edge, near), rows in zip(asked, answers, strict=True):
        for row in rows:
            key = (edge.site.id, (row.file, near.name))
            if key not in direct and row.kind:
                found[key] = edge._replace(
                    target=key[1],
                    rule="receiver_type",
                    confidence=Confidence.MEDIUM,
                    is_override=True,
                )
    return list(found.values())


class Used(NamedTuple):
    """What is used, and the references of which nothing is known."""

    edges: list[Edge]
    open: list[Site]


def find_callees(inquiry: Inquiry, definitions: Sequence[Key], *, least: Confidence) -> Used:
    """Every definition that a reference inside of `definitions` leads to."""
    return find_used(inquiry, sites_within(inquiry, definitions), least=least)


def find_used(inquiry: Inquiry, sites: Sequence[Site], *, least: Confidence) -> Used:
    """Every definition that one of these references leads to, overrides after the others."""
    resolutions = resolve(inquiry, sites)
    edges: list[Edge] = []
    for site, resolution in zip(sites, resolutions, strict=True):
        count = len(resolution.targets)
        edges += [
            Edge(site, thing.key, thing, thing.rule, resolution.confidence(thing), count)
            for thing in resolution.targets
        ]
    edges += overriding(inquiry, edges)
    chosen = [edge for edge in edges if edge.confidence >= least]
    return Used(chosen, [s for s, one in zip(sites, resolutions, strict=True) if one.is_open])


def owner_of(site: Site, definitions: Container[Key]) -> Key:
    """The innermost of the definitions around a reference that stands in one of them."""
    name = site.caller
    while (site.file, name) not in definitions:
        name = name.rpartition(".")[0]
    return site.file, name
