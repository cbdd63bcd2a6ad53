"""Edges between uses and definitions, as every trace has them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from aeterna_code_search.contract.trace import Confidence
from central.trace.resolve.definitions import Definition
from central.trace.resolve.questions import Key, ResolvedDefinition
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import Resolution


class Edge(NamedTuple):
    """A reference and one of the `candidates` definitions to which it leads.

    `definition` is None if only the name links them.
    """

    site: ReferenceSite
    target: Key
    definition: ResolvedDefinition | None
    rule: str
    confidence: Confidence
    candidates: int
    is_override: bool = False

    @property
    def is_to_constructor(self) -> bool:
        """Whether the target is the constructor of the class that the reference means."""
        is_written = self.definition is None or self.definition.key == self.target
        return not is_written and not self.is_override

    def to_override(self, target: Key) -> Self:
        """Return the edge to a member that may override the target."""
        return self._replace(
            target=target, rule="receiver_type", confidence=Confidence.MEDIUM, is_override=True
        )


def edges_to(site: ReferenceSite, resolution: Resolution) -> list[Edge]:
    """Return an edge to each definition that the reference may mean."""
    count = resolution.candidates
    return [
        Edge(site, target.key, target, target.rule, resolution.confidence(target), count)
        for target in resolution.targets
    ]


def is_of_kind(edge: Edge, kinds: Collection[str]) -> bool:
    """Whether the reference is of one of `kinds`; true if there are none."""
    return not kinds or edge.site.kind in kinds


class Step(NamedTuple):
    """An edge, its distance from a requested definition, and that definition's index."""

    edge: Edge
    depth: int
    target: int


def edges_by_name(
    sites: Iterable[ReferenceSite], definitions: Sequence[Definition]
) -> Iterator[Edge]:
    """Yield one edge for each reference, to the first definition of its repository or of all.

    `candidates` is the number of definitions of that name.
    """
    counts = Counter((definition.name, definition.ecosystem) for definition in definitions)
    first: dict[tuple[str, str, int], Key] = {}
    for definition in definitions:
        for repository in (definition.repository, 0):
            first.setdefault((definition.name, definition.ecosystem, repository), definition.key)
    for site in sites:
        name = (site.name, site.ecosystem)
        target = first.get((*name, site.repository)) or first[(*name, 0)]
        yield Edge(site, target, None, "name_only", Confidence.LOW, counts[name])
