"""From definitions to what they use."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from central.trace.backward import Edge
from central.trace.forward import Confidence, resolve
from central.trace.inquiry import Inquiry
from central.trace.overrides import overriding
from central.trace.sites import Site, sites_within
from central.trace.things import Key


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
