"""From definitions to the references that lead to them.

Only candidates are looked for here, by name and by alias; each is resolved forward, and is a caller
exactly if that leads back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from central.trace.aliases import aliases_of
from central.trace.forward import Confidence, Resolution, resolve
from central.trace.inquiry import Inquiry
from central.trace.questions import Lineage
from central.trace.sites import Names, Site, count_open, open_sites, sites_named, sites_rooted
from central.trace.symbols import Definition, definitions_at
from central.trace.things import Key, Thing
from indexer.relations import Access

MAX_OPEN: Final = 10_000
SAMPLE: Final = 5


class Edge(NamedTuple):
    """A reference and a definition that it leads to; `candidates` says to how many it does.

    `thing` is None where only the name links them.
    """

    site: Site
    target: Key
    thing: Thing | None
    rule: str
    confidence: Confidence
    candidates: int
    is_override: bool = False


@dataclass(slots=True)
class Found:
    """The callers, and the references of the same name of which nothing is known."""

    edges: list[Edge]
    open_count: int = 0
    open_sample: list[Site] = field(default_factory=list)
    is_cut: bool = False


def find_callers(
    inquiry: Inquiry, definitions: Sequence[Definition], *, least: Confidence
) -> Found:
    """Every reference that leads to one of the definitions with at least this confidence.

    With LOW, references that share no more than the name are among them, up to MAX_OPEN.
    """
    if not definitions:
        return Found([])
    candidates = _candidates(inquiry, definitions)
    overridden = _overridden(inquiry, definitions)
    keys = {one.key for one in definitions}
    edges = [
        edge
        for site, resolution in candidates.resolved
        for edge in _edges(site, resolution, keys, overridden)
        if edge.confidence >= least
    ]
    free = [site for site, resolution in candidates.resolved if resolution.is_open]
    return _with_open(inquiry, definitions, Found(edges, is_cut=candidates.is_cut), free, least)


def find_heirs(inquiry: Inquiry, classes: Iterable[Key]) -> dict[Key, list[Key]]:
    """For each class those that name it as a base, in any repository; without, it is left out."""
    definitions = list(definitions_at(inquiry, classes).values())
    heirs: dict[Key, list[Key]] = {one.key: [] for one in definitions}
    if definitions:
        for site, resolution in _candidates(inquiry, definitions, kind="inherit").resolved:
            for thing in resolution.targets:
                if thing.key in heirs:
                    heirs[thing.key].append((site.file, site.caller))
    return heirs


class _Candidates(NamedTuple):
    resolved: list[tuple[Site, Resolution]]
    is_cut: bool


def _candidates(
    inquiry: Inquiry, definitions: Sequence[Definition], *, kind: str = ""
) -> _Candidates:
    """Every reference that may lead to one of the definitions, with what it does lead to."""
    aliases = aliases_of(inquiry, definitions)
    ecosystems = sorted({one.ecosystem for one in definitions})
    names = [(name, one) for name in sorted(aliases.names) for one in ecosystems]
    sites = sites_named(inquiry, names, kind=kind, files=[one.file for one in definitions])
    known = {site.id for site in sites}
    rooted = sites_rooted(inquiry, aliases.roots, kind=kind)
    sites += [site for site in rooted if site.id not in known]
    return _Candidates(
        list(zip(sites, resolve(inquiry, sites), strict=True)), is_cut=aliases.is_cut
    )


def _edges(
    site: Site,
    resolution: Resolution,
    keys: set[Key],
    overridden: Mapping[Key, Sequence[tuple[Key, Thing]]],
) -> list[Edge]:
    count = len(resolution.targets)
    edges = [
        Edge(site, thing.key, thing, thing.rule, resolution.confidence(thing), count)
        for thing in resolution.targets
        if thing.key in keys
    ]
    direct = {edge.target for edge in edges}
    for thing in resolution.targets:
        if thing.receiver is None or site.access == Access.BASE:
            continue
        for target, _ in overridden.get(thing.receiver, ()):
            if target not in direct and _last(target[1]) == _last(thing.name):
                rule = "receiver_type"
                edges.append(Edge(site, target, thing, rule, Confidence.MEDIUM, count, True))
    return edges


def _overridden(
    inquiry: Inquiry, definitions: Sequence[Definition]
) -> dict[Key, list[tuple[Key, Thing]]]:
    """For each class above a member's own, the members that may stand in for its own."""
    owners = {
        one.key: (one.file, one.qualified_name.rpartition(".")[0])
        for one in definitions
        if "." in one.qualified_name
    }
    lineages = inquiry.answers([Lineage(*owner) for owner in owners.values()])
    found: dict[Key, list[tuple[Key, Thing]]] = {}
    for key, lineage in zip(owners, lineages, strict=True):
        for ancestor in lineage:
            found.setdefault(ancestor.key, []).append((key, ancestor))
    return found


def _with_open(
    inquiry: Inquiry,
    definitions: Sequence[Definition],
    found: Found,
    free: Sequence[Site],
    least: Confidence,
) -> Found:
    """Count what is open by the definitions' own names, and link it if that is asked for."""
    pairs = {(one.name, one.ecosystem) for one in definitions}
    names: Names = sorted(pairs)
    alike = [site for site in free if (site.name, site.ecosystem) in pairs]
    if least > Confidence.LOW:
        count = count_open(inquiry, names, limit=MAX_OPEN + 1)
        found.open_count = min(count + len(alike), MAX_OPEN + 1)
        missing = SAMPLE - len(alike)
        more = open_sites(inquiry, names, limit=missing) if count and missing > 0 else []
        found.open_sample = [*alike[:SAMPLE], *more]
        return found
    alike += open_sites(inquiry, names, limit=MAX_OPEN + 1)
    found.open_count, found.open_sample = len(alike), alike[:SAMPLE]
    found.is_cut = found.is_cut or len(alike) > MAX_OPEN
    for site in alike[:MAX_OPEN]:
        same = [
            one.key
            for one in definitions
            if (one.name, one.ecosystem) == (site.name, site.ecosystem)
        ]
        found.edges += [
            Edge(site, key, None, "name_only", Confidence.LOW, len(same)) for key in same
        ]
    return found


def _last(name: str) -> str:
    return name.rpartition(".")[2]
