"""What becomes of every reference of a name: listed, unresolved, or bound elsewhere."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from central.trace.resolve.definitions import Definition
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.references import (
    Names,
    ReferenceQuery,
    ReferenceSite,
    count_references,
    unlikely_sites,
    unresolved_sites,
)
from central.trace.resolve.resolve import Resolution

MAX_UNRESOLVED: Final = 10_000
MAX_UNLIKELY: Final = 2_000  # references that are resolved only to be counted
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
    unresolved_sample: Sequence[ReferenceSite] = field(default=())
    elsewhere: int = 0
    is_more_elsewhere: bool = False


class Unlikely(NamedTuple):
    """Bound references of the names whose roots suggest something else.

    Only the first are resolved; those `beyond` and `more` count as unresolved.
    """

    sites: Sequence[ReferenceSite] = ()
    beyond: Sequence[ReferenceSite] = ()
    more: int = 0


def read_unlikely(
    resolver: BatchResolver,
    definitions: Sequence[Definition],
    query: ReferenceQuery,
    *,
    within: Collection[int] | None,
    limit: int,
) -> Unlikely:
    """Read at most `limit` of the references that the query leaves out."""
    named = query._replace(names=names_of(definitions))
    sites, count = unlikely_sites(resolver, named, within=within, limit=limit)
    return Unlikely(sites[:MAX_UNLIKELY], sites[MAX_UNLIKELY:], count - len(sites))


class NamedReferences(NamedTuple):
    """References of the definitions, resolved; `leading` are those that lead to one of them."""

    definitions: Sequence[Definition]
    resolved: Sequence[tuple[ReferenceSite, Resolution]]
    unlikely: Unlikely
    leading: Collection[ReferenceSite]


def tally_of(resolver: BatchResolver, named: NamedReferences) -> Tally:
    """Count the references of the definitions' names that do not lead to them."""
    names = names_of(named.definitions)
    alike = unresolved_among(named)
    unbound, total = count_references(resolver, names, limit=MAX_UNRESOLVED + 1)
    missing = SAMPLE - len(alike)
    others: list[ReferenceSite] = []
    if unbound and missing > 0:
        others = unresolved_sites(resolver, names, within=None, limit=missing)
    count = len(alike) + named.unlikely.more + unbound
    return tally_with(names, named.leading, total, count, [*alike, *others])


def tally_with_unresolved(
    resolver: BatchResolver, named: NamedReferences
) -> tuple[Tally, list[ReferenceSite]]:
    """Return the tally and the unresolved references, at most MAX_UNRESOLVED of them."""
    names = names_of(named.definitions)
    limit = MAX_UNRESOLVED + 1
    unbound = unresolved_sites(resolver, names, within=None, limit=limit)
    alike = [*unresolved_among(named), *unbound]
    _, total = count_references(resolver, names, limit=limit)
    tally = tally_with(names, named.leading, total, len(alike), alike)
    return tally, alike[:MAX_UNRESOLVED]


def tally_with(
    names: Names,
    leading: Iterable[ReferenceSite],
    total: int,
    unresolved: int,
    sample: Sequence[ReferenceSite],
) -> Tally:
    """Return the tally of `total` references of these names, of which some lead there."""
    listed = sum((site.name, site.ecosystem) in names for site in leading)
    return Tally(
        unresolved=min(unresolved, MAX_UNRESOLVED + 1),
        unresolved_sample=sample[:SAMPLE],
        elsewhere=max(min(total, MAX_UNRESOLVED) - listed - unresolved, 0),
        is_more_elsewhere=total > MAX_UNRESOLVED,
    )


def unresolved_among(named: NamedReferences) -> list[ReferenceSite]:
    """Return the references of the names that their files bind, but nothing tells to what."""
    names = set(names_of(named.definitions))
    found = [
        site
        for site, resolution in named.resolved
        if resolution.is_unresolved and (site.name, site.ecosystem) in names
    ]
    known = {site.id for site, _ in named.resolved}  # also by an alias
    return [*found, *(site for site in named.unlikely.beyond if site.id not in known)]


def names_of(definitions: Sequence[Definition]) -> list[tuple[str, str]]:
    """Return their names with their ecosystems."""
    return sorted({(definition.name, definition.ecosystem) for definition in definitions})
