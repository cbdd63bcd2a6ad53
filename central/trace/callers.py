"""Callers of a definition: candidates by name, each resolved, and their callers in turn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import Inquiry
from central.trace.resolve.hierarchy import aliases_of, candidates, kin_of
from central.trace.resolve.questions import Key, Lineage, Thing, last_name
from central.trace.resolve.references import (
    Named,
    Names,
    Site,
    chained_sites,
    count_open,
    open_sites,
)
from central.trace.resolve.resolve import Confidence, Resolution, resolve
from indexer.records.references import Access

MAX_OPEN: Final = 10_000
MAX_CHAINED: Final = 2_000
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
    resolved, is_cut = _candidates(inquiry, definitions)
    overridden = _overridden(inquiry, definitions)
    keys = {one.key for one in definitions}
    edges = [
        edge
        for site, resolution in resolved
        for edge in _edges(site, resolution, keys, overridden)
        if edge.confidence >= least
    ]
    free = [site for site, resolution in resolved if resolution.is_open]
    return _with_open(inquiry, definitions, Found(edges, is_cut=is_cut), free, least)


class _Candidates(NamedTuple):
    resolved: list[tuple[Site, Resolution]]
    is_cut: bool


def _candidates(inquiry: Inquiry, definitions: Sequence[Definition]) -> _Candidates:
    """Every reference that may lead to one of the definitions, with what it does lead to."""
    aliases = aliases_of(inquiry, [one.key for one in definitions])
    owners = {owner for one in definitions if (owner := _owner(one))}
    kin = kin_of(inquiry, owners) if owners else None
    ecosystems = sorted({one.ecosystem for one in definitions})
    named = Named(
        names=[(name, one) for name in sorted(aliases.names) for one in ecosystems],
        files=sorted({one.file for one in definitions}),
        at_top=any("." not in one.qualified_name for one in definitions),
        containers=sorted(kin.names) if kin else None,
    )
    resolved = candidates(inquiry, named, aliases.roots, kin)
    return _Candidates(resolved, aliases.is_cut or (kin is not None and kin.is_cut))


def _owner(one: Definition) -> Key | None:
    """What a member is a member of."""
    container = one.qualified_name.rpartition(".")[0]
    return (one.file, container) if container else None


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
            if target not in direct and last_name(target[1]) == last_name(thing.name):
                rule = "receiver_type"
                edges.append(Edge(site, target, thing, rule, Confidence.MEDIUM, count, True))
    return edges


def _overridden(
    inquiry: Inquiry, definitions: Sequence[Definition]
) -> dict[Key, list[tuple[Key, Thing]]]:
    """For each class above a member's own, the members that may stand in for its own."""
    owners = {one.key: owner for one in definitions if (owner := _owner(one))}
    lineages = inquiry.answers([Lineage(*owner) for owner in owners.values()])
    found: dict[Key, list[tuple[Key, Thing]]] = {}
    for key, lineage in zip(owners, lineages, strict=True):
        for ancestor in lineage:
            found.setdefault(ancestor.key, []).append((key, ancestor))
    return found


def _untold(inquiry: Inquiry, names: Names, known: set[int]) -> list[Site]:
    """Open references that begin with something known. Of what is too much to look at, nothing is
    known but the name.
    """
    sites = chained_sites(inquiry, names, limit=MAX_OPEN + 1)
    looked_at = sites[:MAX_CHAINED]
    resolutions = resolve(inquiry, looked_at)
    found = [site for site, one in zip(looked_at, resolutions, strict=True) if one.is_open]
    found += sites[MAX_CHAINED:]
    return [site for site in found if site.id not in known]


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
    alike += _untold(inquiry, names, known={site.id for site in alike})
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
    found.edges += _by_name_only(alike[:MAX_OPEN], definitions)
    return found


def _by_name_only(sites: Iterable[Site], definitions: Sequence[Definition]) -> Iterator[Edge]:
    """One edge for each reference: to the first definition of its repository, or of all.

    As many as there are of that name may be meant, which `candidates` tells.
    """
    counts = Counter((one.name, one.ecosystem) for one in definitions)
    first: dict[tuple[str, str, int], Key] = {}
    for one in definitions:
        for repository in (one.repository, 0):
            first.setdefault((one.name, one.ecosystem, repository), one.key)
    for site in sites:
        name = (site.name, site.ecosystem)
        target = first.get((*name, site.repository)) or first[(*name, 0)]
        yield Edge(site, target, None, "name_only", Confidence.LOW, counts[name])


MAX_LEVEL: Final = 2_000  # definitions whose callers are looked for side by side
MAX_STEPS: Final = 200_000
CUT_CALLERS: Final = "The search for callers met a limit; ask for a definition by file."


Level: TypeAlias = dict[Key, set[int]]  # definitions, and which of those asked for led to them


class Step(NamedTuple):
    """An edge, how far it is from what was asked for, and which of the definitions that was."""

    edge: Edge
    depth: int
    target: int


@dataclass(slots=True)
class Walk:
    """What was found, and every definition that an edge begins or ends at."""

    steps: list[Step]
    first: Found  # of the first level
    definitions: dict[Key, Definition]
    cut: set[str] = field(default_factory=set)

    def take(self, edges: Iterable[Edge], depth: int, level: Level) -> None:
        """Add a level's edges, for each of the definitions that led there."""
        steps = (Step(edge, depth, target) for edge in edges for target in level[edge.target])
        self.steps += islice(steps, MAX_STEPS - len(self.steps))
        if next(steps, None):
            self.cut.add(f"Only the nearest {MAX_STEPS} callers were listed.")


def walk_callers(
    inquiry: Inquiry, definitions: Sequence[Definition], *, depth: int, least: Confidence
) -> Walk:
    """Callers up to `depth` levels; from each of `definitions`, each caller is gone on from once.

    The definitions around the last level's references are not read.
    """
    walk = Walk([], Found([]), {one.key: one for one in definitions})
    level: Level = {one.key: {index} for index, one in enumerate(definitions)}
    seen = {key: set(targets) for key, targets in level.items()}
    known: dict[Key, list[Edge]] = {}
    for number in range(1, depth + 1):
        found = _find(inquiry, walk, [key for key in level if key not in known], least)
        if number == 1:
            walk.first = found
        known |= {key: [] for key in level if key not in known}
        for edge in found.edges:
            known[edge.target].append(edge)
        edges = [edge for key in level for edge in known[key]]
        walk.take(edges, number, level)
        if number == depth or not edges:
            break
        level = _onward(inquiry, walk, edges, level, seen)
        if len(level) > MAX_LEVEL:
            walk.cut.add(f"Only {MAX_LEVEL} callers of level {number} were gone on from.")
            level = dict(islice(level.items(), MAX_LEVEL))
    return walk


def _find(inquiry: Inquiry, walk: Walk, keys: Iterable[Key], least: Confidence) -> Found:
    found = find_callers(inquiry, [walk.definitions[key] for key in keys], least=least)
    if found.is_cut:
        walk.cut.add(CUT_CALLERS)
    return found


def _onward(
    inquiry: Inquiry, walk: Walk, edges: Iterable[Edge], level: Level, seen: Level
) -> Level:
    """The definitions around a level's references, with what each has not been reached from."""
    callers: Level = {}
    for edge in edges:
        key = (edge.site.file, edge.site.caller)
        if not edge.site.caller:
            continue
        reached = seen.setdefault(key, set())
        if fresh := level[edge.target] - reached:
            reached |= fresh
            callers.setdefault(key, set()).update(fresh)
    walk.definitions |= definitions_at(inquiry, [k for k in callers if k not in walk.definitions])
    return {key: targets for key, targets in callers.items() if key in walk.definitions}
