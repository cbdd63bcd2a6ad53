"""Edges between uses and definitions, as every trace has them.

Where an instance of a class is made, edges to its constructors stand beside those to the class.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

from aeterna_code_search.contract.trace import Confidence
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.hierarchy import in_all_files, subclasses_of
from central.trace.resolve.questions import (
    FUNCTIONS,
    Constructors,
    Key,
    ResolvedDefinition,
    last_name,
)
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import Resolution
from indexer.records.references import Access, ReferenceKind


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


class Step(NamedTuple):
    """An edge, its distance from a requested definition, and that definition's index."""

    edge: Edge
    depth: int
    target: int


MAX_UNRESOLVED: Final = 10_000
SAMPLE: Final = 5


@dataclass(frozen=True, slots=True)
class Tally:
    """What becomes of the references that do not lead to what was asked.

    For callers, each reference of a definition's name and ecosystem is counted once. Either it
    leads to one of the definitions (at whatever confidence), or it is unresolved (nothing tells
    what it means; LOW lists it), or it is elsewhere: bound to another definition, or by an import
    or a base class to something outside of the visible repositories. For callees the references
    inside the definitions are counted so: elsewhere is what leads outside.

    No reference: a bare name that its function binds to a variable, and a name of the language.
    """

    unresolved: int = 0
    unresolved_sample: Sequence[ReferenceSite] = ()
    elsewhere: int = 0
    is_more_elsewhere: bool = False


@dataclass(slots=True)
class FoundEdges:
    """Edges to callers or callees, and what becomes of the other references.

    `untargeted` lead to no visible definition; of those to callers, they begin with an import.
    """

    edges: list[Edge] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    untargeted: list[ReferenceSite] = field(default_factory=list)
    is_cut: bool = False


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


_MAKES: Final = frozenset({ReferenceKind.CALL, ReferenceKind.NEW})


def constructor_edges(resolver: BatchResolver, edges: Iterable[Edge]) -> list[Edge]:
    """Return, for each edge to a class of which an instance is made, those to its constructors."""
    made = [
        edge
        for edge in edges
        if edge.site.kind in _MAKES
        and edge.site.access == Access.PATH
        and not (edge.definition and edge.definition.kind in FUNCTIONS)
    ]
    asked = [Constructors(*edge.target, edge.site.ecosystem) for edge in made]
    found: dict[tuple[int, Key], Edge] = {}
    for edge, answer in zip(made, resolver.resolve_all(asked), strict=True):
        for definition in answer:
            highest = Confidence.HIGH if definition.is_certain else Confidence.MEDIUM
            confidence = min(edge.confidence, highest)
            known = found.get(key := (edge.site.id, definition.key))
            if known is None or known.confidence < confidence:
                found[key] = edge._replace(target=definition.key, confidence=confidence)
    return list(found.values())


def class_of(definition: Definition) -> Key | None:
    """Return the class whose instances a constructor makes; None if it is no constructor."""
    container, _, name = definition.qualified_name.rpartition(".")
    rules = name_rules(definition.ecosystem)
    names = {name, ""} if name == last_name(container) else {name}
    is_named = not names.isdisjoint(rules.constructors | rules.secondary_constructors)
    return (
        (definition.file, container)
        if container and is_named and definition.kind in FUNCTIONS
        else None
    )


def without_repeated(steps: Iterable[Step], definitions: Iterable[Definition]) -> list[Step]:
    """Leave out what leads to a constructor if it also leads to its class, which was asked for."""
    asked = {definition.key for definition in definitions}
    return [
        step
        for step in steps
        if step.depth > 1
        or not (step.edge.is_to_constructor and step.edge.definition)
        or step.edge.definition.key not in asked
    ]


def classes_of(resolver: BatchResolver, definitions: Iterable[Definition]) -> list[Definition]:
    """Return the classes of the constructors among the definitions, in all their files."""
    owners = [key for definition in definitions if (key := class_of(definition))]
    if not owners:
        return []
    return [*definitions_at(resolver, sorted(in_all_files(resolver, owners))).values()]


def classes_below(resolver: BatchResolver, definitions: Iterable[Definition]) -> list[Definition]:
    """Return the classes below those of the constructors among the definitions.

    They may inherit a constructor.
    """
    owners = {
        key: definition.ecosystem for definition in definitions if (key := class_of(definition))
    }
    if not owners:
        return []
    below = subclasses_of(resolver, owners, set(owners.values()))[1]
    return [*definitions_at(resolver, sorted(below)).values()]
