"""What becomes of every reference of a name: listed, unresolved, or bound elsewhere."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from central.trace.resolve.definitions import Definition
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.references import (
    ReferenceQuery,
    ReferenceSite,
    count_references,
    count_unresolved,
    unlikely_sites,
    unresolved_sites,
)
from central.trace.resolve.resolve import Resolution, resolve

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


class NamedReferences(NamedTuple):
    """Definitions, the query for what may lead to them, and what it found.

    `leading` are the references that lead to one of the definitions.
    """

    definitions: Sequence[Definition]
    query: ReferenceQuery
    resolved: Sequence[tuple[ReferenceSite, Resolution]]
    leading: Collection[ReferenceSite]


def tally_of(resolver: BatchResolver, named: NamedReferences) -> Tally:
    """Count the references of the definitions' names that do not lead to them."""
    alike, more = _unresolved_by_import(resolver, named, limit=MAX_UNLIKELY)
    names = _names(named)
    unbound = count_unresolved(resolver, names, limit=MAX_UNRESOLVED + 1)
    missing = SAMPLE - len(alike)
    others = unresolved_sites(resolver, names, limit=missing) if unbound > 0 < missing else []
    count = len(alike) + more + unbound
    return _tally(resolver, named, count, [*alike[:SAMPLE], *others])


def tally_with_unresolved(
    resolver: BatchResolver, named: NamedReferences
) -> tuple[Tally, list[ReferenceSite]]:
    """Return the tally and the unresolved references, at most MAX_UNRESOLVED of them."""
    alike, _ = _unresolved_by_import(resolver, named, limit=MAX_UNRESOLVED + 1)
    alike += unresolved_sites(resolver, _names(named), limit=MAX_UNRESOLVED + 1)
    return _tally(resolver, named, len(alike), alike[:SAMPLE]), alike[:MAX_UNRESOLVED]


def _tally(
    resolver: BatchResolver,
    named: NamedReferences,
    unresolved: int,
    sample: Sequence[ReferenceSite],
) -> Tally:
    names = _names(named)
    total = count_references(resolver, names, limit=MAX_UNRESOLVED + 1)
    listed = sum((site.name, site.ecosystem) in names for site in named.leading)
    return Tally(
        unresolved=min(unresolved, MAX_UNRESOLVED + 1),
        unresolved_sample=sample,
        elsewhere=max(min(total, MAX_UNRESOLVED) - listed - unresolved, 0),
        is_more_elsewhere=total > MAX_UNRESOLVED,
    )


def _unresolved_by_import(
    resolver: BatchResolver, named: NamedReferences, *, limit: int
) -> tuple[list[ReferenceSite], int]:
    """Return unresolved references that their files bind, and how many more than `limit` there are.

    Those that the query leaves out are resolved up to MAX_UNLIKELY; the rest count as unresolved.
    """
    names = _names(named)
    found = [
        site
        for site, resolution in named.resolved
        if resolution.is_unresolved and (site.name, site.ecosystem) in names
    ]
    sites, count = unlikely_sites(resolver, named.query._replace(names=names), limit=limit)
    more = count - len(sites)
    known = {site.id for site, _ in named.resolved}  # by another name of their root
    sites = [site for site in sites if site.id not in known]
    looked_at = sites[:MAX_UNLIKELY]
    resolutions = resolve(resolver, looked_at)
    found += [site for site, one in zip(looked_at, resolutions, strict=True) if one.is_unresolved]
    return [*found, *sites[MAX_UNLIKELY:]], more


def _names(named: NamedReferences) -> list[tuple[str, str]]:
    return sorted({(one.name, one.ecosystem) for one in named.definitions})
