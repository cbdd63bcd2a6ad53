"""Whose instances may be asked for a member: its class, those above and below, and their makers.

For the search backwards: it narrows a member's candidates to those whose root may have it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from central.trace.aliases import aliases_of
from central.trace.forward import Resolution, origins, resolve
from central.trace.inquiry import Inquiry
from central.trace.members import CUT_BASES, MAX_LEVELS
from central.trace.questions import Limit, Lineage
from central.trace.rows import Near
from central.trace.sites import Named, Site, sites_named, sites_rooted, type_sites
from central.trace.symbols import definitions_at
from central.trace.things import Key, last_name


@dataclass(slots=True)
class Kin:
    """`names` as a root may end, and `roots`: imports (file, local name) by any other name."""

    names: set[str] = field(default_factory=set)
    roots: set[Key] = field(default_factory=set)
    is_cut: bool = False


def kin_of(inquiry: Inquiry, owners: Collection[Key]) -> Kin:
    """Of classes: what is one of them, inherits from one, or is inherited; and what makes such."""
    owners = _spread(inquiry, owners)
    lineages = inquiry.answers([Lineage(*owner) for owner in owners])
    known = {*owners, *(thing.key for lineage in lineages for thing in lineage)}
    known |= {heir for heirs in descendants(inquiry, owners).values() for heir in heirs}
    kin = Kin()
    fresh = known
    while fresh:
        aliases = aliases_of(inquiry, fresh)
        kin.is_cut = kin.is_cut or aliases.is_cut
        names, roots = aliases.names - kin.names, aliases.roots - kin.roots
        kin.names |= names
        kin.roots |= roots
        sites = type_sites(inquiry, sorted(aliases.names), roots)
        fresh = {
            (site.file, site.caller)
            for site, things in zip(sites, origins(inquiry, sites), strict=True)
            if any(thing.key in known for thing in things)
        } - known
        known |= fresh
    return kin


def descendants(inquiry: Inquiry, starts: Collection[Key]) -> dict[Key, list[Key]]:
    """For each class every class that inherits from it, as far down as is searched.

    What one request asks several times, for callers, callees and each level, is searched once.
    """
    heirs = inquiry.heirs
    level: Collection[Key] = starts
    for _ in range(MAX_LEVELS):
        fresh = sorted(set(level) - heirs.keys())
        if not fresh:
            break
        heirs |= {key: [] for key in fresh} | _heirs(inquiry, fresh)
        level = [heir for key in fresh for heir in heirs[key]]
    else:
        inquiry.answers([Limit(CUT_BASES)] if level else [])
    return {start: _closure(start, heirs) for start in starts}


def candidates(
    inquiry: Inquiry, named: Named, roots: Iterable[Key], kin: Kin | None = None
) -> list[tuple[Site, Resolution]]:
    """References by name, by an import's other name, or of an import that is kin; resolved."""
    sites = sites_named(inquiry, named)
    sites += sites_rooted(inquiry, roots, kind=named.kind)
    if kin:
        names = [name for name, _ in named.names]
        sites += sites_rooted(inquiry, kin.roots, kind=named.kind, names=names)
    unique = list({site.id: site for site in sites}.values())
    return list(zip(unique, resolve(inquiry, unique), strict=True))


def _spread(inquiry: Inquiry, owners: Collection[Key]) -> set[Key]:
    """The classes in every file where they stand: a member's file need not be its class's."""
    answers = inquiry.answers([Near(*owner) for owner in owners])
    found = {
        (row.file, name) for (_, name), rows in zip(owners, answers, strict=True) for row in rows
    }
    return found | set(owners)


def _heirs(inquiry: Inquiry, classes: Sequence[Key]) -> dict[Key, list[Key]]:
    """For each class those that name it as a base, in any repository."""
    definitions = list(definitions_at(inquiry, classes).values())
    heirs: dict[Key, list[Key]] = {one.key: [] for one in definitions}
    if not definitions:
        return heirs
    aliases = aliases_of(inquiry, heirs)
    ecosystems = sorted({one.ecosystem for one in definitions})
    named = Named(
        names=[(name, one) for name in sorted(aliases.names) for one in ecosystems],
        files=sorted({one.file for one in definitions}),
        at_top=True,
        containers=sorted({last_name(name.rpartition(".")[0]) for _, name in heirs} - {""}),
        kind="inherit",
    )
    for site, resolution in candidates(inquiry, named, aliases.roots):
        for thing in resolution.targets:
            if thing.key in heirs:
                heirs[thing.key].append((site.file, site.caller))
    return heirs


def _closure(start: Key, heirs: dict[Key, list[Key]]) -> list[Key]:
    seen, waiting = {start}, [start]
    while waiting:
        below = [key for key in heirs.get(waiting.pop(), ()) if key not in seen]
        seen.update(below)
        waiting += below
    return sorted(seen - {start})
