"""What a definition uses, and the overriding methods that a call may mean."""

from collections.abc import Container, Sequence
from typing import NamedTuple

from central.trace.callers import Edge
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.hierarchy import descendants
from central.trace.resolve.questions import Key
from central.trace.resolve.references import ReferenceSite, sites_within
from central.trace.resolve.resolve import Confidence, resolve
from central.trace.resolve.sql import SameScopeDefinitions
from indexer.records.references import Access


def override_edges(resolver: BatchResolver, edges: Sequence[Edge]) -> list[Edge]:
    """For each edge to an instance's member, edges to what overrides it below that class."""
    virtual = [
        (edge, edge.definition.receiver)
        for edge in edges
        if edge.definition and edge.definition.receiver and edge.site.access != Access.BASE
    ]
    below = descendants(resolver, {receiver for _, receiver in virtual})
    asked = [
        (edge, SameScopeDefinitions(file, f"{name}.{edge.target[1].rpartition('.')[2]}"))
        for edge, receiver in virtual
        for file, name in below[receiver]
    ]
    answers = resolver.resolve_all([near for _, near in asked])
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


class FoundCallees(NamedTuple):
    """What is used, and the references of which nothing is known."""

    edges: list[Edge]
    open: list[ReferenceSite]


def find_callees(
    resolver: BatchResolver, definitions: Sequence[Key], *, min_confidence: Confidence
) -> FoundCallees:
    """Every definition that a reference inside of `definitions` leads to."""
    return resolve_callees(
        resolver, sites_within(resolver, definitions), min_confidence=min_confidence
    )


def resolve_callees(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], *, min_confidence: Confidence
) -> FoundCallees:
    """Every definition that one of these references leads to, overrides after the others."""
    resolutions = resolve(resolver, sites)
    edges: list[Edge] = []
    for site, resolution in zip(sites, resolutions, strict=True):
        count = len(resolution.targets)
        edges += [
            Edge(
                site,
                definition.key,
                definition,
                definition.rule,
                resolution.confidence(definition),
                count,
            )
            for definition in resolution.targets
        ]
    edges += override_edges(resolver, edges)
    chosen = [edge for edge in edges if edge.confidence >= min_confidence]
    return FoundCallees(
        chosen, [s for s, one in zip(sites, resolutions, strict=True) if one.is_unresolved]
    )


def enclosing_definition(site: ReferenceSite, definitions: Container[Key]) -> Key:
    """The innermost of the definitions around a reference that stands in one of them."""
    name = site.caller
    while (site.file, name) not in definitions:
        name = name.rpartition(".")[0]
    return site.file, name
