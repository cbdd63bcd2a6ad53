"""Members further down that a call may reach as well."""

from collections.abc import Sequence

from central.trace.backward import Edge
from central.trace.forward import Confidence
from central.trace.inquiry import Inquiry
from central.trace.kin import descendants
from central.trace.rows import Near
from central.trace.things import Key
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
