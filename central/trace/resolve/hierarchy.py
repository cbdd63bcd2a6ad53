"""Class hierarchies, and other names of a definition."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from central.corpus.models import Export, File, Import, Module
from central.db import fetch_rows, sql
from central.trace.resolve.definitions import definitions_at
from central.trace.resolve.engine import Inquiry
from central.trace.resolve.members import CUT_BASES, MAX_LEVELS
from central.trace.resolve.questions import Key, Limit, Lineage, Path, last_name
from central.trace.resolve.references import Named, Site, sites_named, sites_rooted, type_sites
from central.trace.resolve.resolve import Resolution, origins, resolve
from central.trace.resolve.sql import Near

MAX_ROUNDS: Final = 32

# As in the conditions of the indexes import_alias and export_alias.
# Exports under other names, then imports (file and local name alone). They are few, though the
# planner does not know: plain joins would read all of corpus_file and corpus_module.
_OTHER_NAMES = """WITH asked AS MATERIALIZED (SELECT %s::text[] AS texts, %s::bigint[] AS seen)
    SELECT e.repository_id,
        coalesce((SELECT f.package_id FROM {file} f WHERE f.id = e.file_id), 0),
        m.ecosystem, e.file_id, e.name, e.path, e.is_local, m.name
    FROM {export} e
    CROSS JOIN LATERAL (SELECT * FROM {module} WHERE file_id = e.file_id OFFSET 0) AS m
    WHERE {of_exports} AND e.repository_id = ANY((SELECT seen FROM asked)::bigint[])
        AND NOT e.wildcard
    UNION ALL
    SELECT NULL, NULL, NULL, i.file_id, i.local, NULL, NULL, NULL
    FROM {imported} i
    WHERE {of_imports} AND i.repository_id = ANY((SELECT seen FROM asked)::bigint[])
        AND NOT i.wildcard"""
_TEXTS = "ANY((SELECT texts FROM asked)::text[])"
_MODELS: Final = {"file": File, "export": Export, "module": Module, "imported": Import}
_OF_NAMES = sql(
    _OTHER_NAMES,
    of_exports="split_part(e.path, '.', -1) = {texts} "
    "AND NOT (split_part(e.path, '.', -1) = e.name)",
    of_imports="split_part(i.path, '.', -1) = {texts} "
    "AND NOT (split_part(i.path, '.', -1) = i.local)",
    texts=_TEXTS,
    **_MODELS,
)
_OF_PATHS = sql(
    _OTHER_NAMES,
    of_exports="e.path = {texts}",
    of_imports="i.path = {texts}",
    texts=_TEXTS,
    **_MODELS,
)


class _Renaming(NamedTuple):
    """An export under another name; once for each name of its module."""

    repository: int
    package: int
    ecosystem: str
    file: int
    name: str
    path: str
    is_local: bool
    module: str


@dataclass(slots=True)
class Aliases:
    """`names` as references may end; `roots` are imports (file, local) by any other name."""

    names: set[str]
    roots: set[Key] = field(default_factory=set)
    is_cut: bool = False


def aliases_of(inquiry: Inquiry, definitions: Iterable[Key]) -> Aliases:
    """All names under which the definitions may be used."""
    keys = set(definitions)
    known = Aliases({last_name(name) for _, name in keys})
    fresh, paths, seen = set(known.names), set[str](), set[str]()
    for _ in range(MAX_ROUNDS):
        renamings, roots = _other_names(inquiry, fresh, paths - seen)
        known.roots |= roots
        seen |= paths
        leading = _leading(inquiry, renamings, keys)
        fresh = {one.name for one in leading if one.name not in {"", "default"}} - known.names
        paths = {path for one in leading for path in _unnamed(one)} - seen
        known.names |= fresh
        if not fresh and not paths:
            return known
    known.is_cut = True
    return known


def _other_names(
    inquiry: Inquiry, names: set[str], paths: set[str]
) -> tuple[list[_Renaming], set[Key]]:
    rows = fetch_rows(_OF_NAMES, [sorted(names), inquiry.repositories]) if names else []
    if paths:
        rows += fetch_rows(_OF_PATHS, [sorted(paths), inquiry.repositories])
    renamings = [_Renaming(*row) for row in rows if row[0] is not None]
    return renamings, {(row[3], row[4]) for row in rows if row[0] is None}


def _leading(inquiry: Inquiry, renamings: Sequence[_Renaming], keys: set[Key]) -> list[_Renaming]:
    """Those that do lead to one of the definitions."""
    foreign = list(dict.fromkeys(Path(*one[:3], one.path) for one in renamings if not one.is_local))
    answers = dict(zip(foreign, inquiry.answers(foreign), strict=True))
    return [
        one
        for one in renamings
        if (
            (one.file, one.path) in keys
            if one.is_local
            else any(thing.key in keys for thing in answers[Path(*one[:3], one.path)])
        )
    ]


def _unnamed(one: _Renaming) -> list[str]:
    """Paths of a default export, and of what is a module itself."""
    if one.name == "default":
        return [f"{one.module}.default"]
    return [one.module, f"{one.module}.default"] if not one.name else []


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
