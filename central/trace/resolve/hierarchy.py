"""Class hierarchies, and aliases of definitions."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from central.corpus.models import Export, File, Import, Module
from central.db import fetch_rows, sql
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.import_sites import modules_of
from central.trace.resolve.members import CUT_BASES, MAX_LEVELS
from central.trace.resolve.questions import Ancestors, ImportPath, Key, Limit, last_name
from central.trace.resolve.references import (
    ReferenceQuery,
    columns_of,
    given_sites,
    sites_named,
    sites_rooted,
    type_sites,
)
from central.trace.resolve.renamed import IN_REPOSITORY, renamed_imports
from central.trace.resolve.resolve import origins, resolve
from central.trace.resolve.sql import SameScopeDefinitions
from indexer.records.references import CLASS_CALL

MAX_ROUNDS: Final = 32
MAX_HOLDERS: Final = 10_000  # classes, and what holds or returns one; classes alone may be more
MAX_TYPES: Final = 20_000  # TYPE references that one round reads

# Exports under other names, then imports (file and local name alone). They are few, though the
# planner does not know: plain joins would read all of corpus_file and corpus_module.
_OTHER_NAMES = """WITH {asked}
    SELECT e.repository_id,
        coalesce((SELECT f.package_id FROM {file} f WHERE f.id = e.file_id), 0),
        m.ecosystem, e.file_id, e.name, e.path, e.is_local, m.name
    FROM {exports} e
    CROSS JOIN LATERAL (SELECT * FROM {module} WHERE file_id = e.file_id OFFSET 0) AS m
    WHERE {of_exports} e.repository_id = ANY((SELECT seen FROM asked)::bigint[])
        AND NOT e.wildcard
    UNION ALL
    SELECT NULL, NULL, NULL, i.file_id, i.local, NULL, NULL, NULL
    FROM {imports} i
    WHERE {of_imports} i.repository_id = ANY((SELECT seen FROM asked)::bigint[])
        AND NOT i.wildcard"""
_NAMES = "asked AS MATERIALIZED (SELECT %s::text[] AS texts, %s::bigint[] AS seen)"
_TEXTS = "ANY((SELECT texts FROM asked)::text[])"
_PATHS = """q (repository, path) AS MATERIALIZED (
        SELECT * FROM unnest(%s::bigint[], %s::text[])),
    asked AS MATERIALIZED (SELECT %s::bigint[] AS seen)"""
_OF_PATH = "path = q.path AND repository_id BETWEEN {in_repository} OFFSET 0)"
_MODELS: Final = {"file": File, "export": Export, "module": Module, "imported": Import}
# The conditions are those of the indexes import_alias and export_alias.
_OF_NAMES = sql(
    _OTHER_NAMES,
    asked=_NAMES,
    exports="{export}",
    imports="{imported}",
    of_exports="split_part(e.path, '.', -1) = {texts} "
    "AND NOT (split_part(e.path, '.', -1) = e.name) AND",
    of_imports="split_part(i.path, '.', -1) = {texts} "
    "AND NOT (split_part(i.path, '.', -1) = i.local) AND",
    texts=_TEXTS,
    **_MODELS,
)
_OF_PATHS = sql(
    _OTHER_NAMES,
    asked=_PATHS,
    exports="q CROSS JOIN LATERAL (SELECT * FROM {export} WHERE {of_path} AS",
    imports="q CROSS JOIN LATERAL (SELECT * FROM {imported} WHERE {of_path} AS",
    of_path=_OF_PATH,
    of_exports="",
    of_imports="",
    in_repository=IN_REPOSITORY,
    **_MODELS,
)
_DEFAULT: Final = "default"  # too many imports end in it: they are read by their whole paths
_Path: TypeAlias = tuple[int, str]  # repository, 0 for any, and import path


class _Renaming(NamedTuple):
    """An export under another name; one for each name of its module."""

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
    """Names that references or their roots may end in; `roots` are imports by other names.

    An import is (file, local name).
    """

    names: set[str]
    roots: set[Key] = field(default_factory=set)
    is_cut: bool = False


def aliases_of(resolver: BatchResolver, definitions: Iterable[Key]) -> Aliases:
    """Return all names under which the definitions may be used."""
    keys = {key for key in definitions if key[1]}
    known = Aliases({last_name(name) for _, name in keys})
    fresh, seen = known.names - {_DEFAULT}, set[_Path]()
    paths = set(_paths(resolver, _anonymous(resolver, keys)))
    for _ in range(MAX_ROUNDS):
        renamings, roots = _other_names(resolver, fresh, paths - seen)
        known.roots |= roots
        seen |= paths
        leading = _leading(resolver, renamings, keys)
        found = {last_name(renaming.name) for renaming in leading} - {""} - known.names
        fresh = found - {_DEFAULT}
        paths = set(_paths(resolver, leading)) - seen
        known.names |= found
        if not fresh and not paths:
            return known
    known.is_cut = True
    return known


def used_as(resolver: BatchResolver, keys: Collection[Key]) -> set[Key]:
    """Return the constants of JavaScript that may be used as a component that a call is given."""
    names = sorted({last_name(name) for _, name in keys if last_name(name)[:1].isupper()})
    sites = given_sites(resolver, names) if names else []
    calls = {
        (site.file, site.caller.removesuffix(".(0)"))
        for site, found in zip(sites, origins(resolver, sites), strict=True)
        if any(definition.key in keys for definition in found)
    }
    held = type_sites(resolver, [], calls, limit=MAX_TYPES) if calls else []
    return {(site.file, site.caller) for site in held}


def _other_names(
    resolver: BatchResolver, names: set[str], paths: set[_Path]
) -> tuple[list[_Renaming], set[Key]]:
    seen = resolver.repositories
    rows = fetch_rows(_OF_NAMES, [sorted(names), seen]) if names else []
    if paths:
        asked = sorted(paths)
        rows += fetch_rows(_OF_PATHS, [*columns_of(asked), seen])
    renamings = [_Renaming(*row) for row in rows if row[0] is not None]
    return renamings, {(row[3], row[4]) for row in rows if row[0] is None}


def _anonymous(resolver: BatchResolver, keys: Collection[Key]) -> list[_Renaming]:
    """Return the default exports that have no other name, one for each name of their module."""
    files = sorted({file for file, name in keys if name == _DEFAULT})
    return [
        _Renaming(repository, package, ecosystem, file, _DEFAULT, _DEFAULT, True, module)
        for file, repository, package, module, _, ecosystem in (
            modules_of(resolver, files) if files else ()
        )
    ]


def _leading(
    resolver: BatchResolver, renamings: Sequence[_Renaming], keys: set[Key]
) -> list[_Renaming]:
    """Return the renamings that lead to one of the definitions."""
    foreign = {
        renaming: ImportPath(*renaming[:3], renaming.path)
        for renaming in renamings
        if not renaming.is_local
    }
    answers = dict(zip(foreign, resolver.resolve_all(list(foreign.values())), strict=True))
    leading = {
        renaming
        for renaming, answer in answers.items()
        if any(definition.key in keys for definition in answer)
    }
    return [
        renaming
        for renaming in renamings
        if renaming in leading or (renaming.is_local and (renaming.file, renaming.path) in keys)
    ]


def _paths(resolver: BatchResolver, leading: Sequence[_Renaming]) -> list[_Path]:
    """Return (repository, path) of what imports the renamings without their names."""
    named = []
    for renaming in leading:
        if not renaming.name:  # the module itself is exported
            named.append((renaming.package, renaming.module))
        if renaming.name in {"", _DEFAULT}:
            named.append((renaming.package, f"{renaming.module}.{_DEFAULT}"))
    return [*((0, path) for _, path in named), *renamed_imports(resolver, named)]


def hierarchy_of(
    resolver: BatchResolver, owners: Collection[Key], ecosystems: Collection[str]
) -> Aliases:
    """Return the classes, their ancestors and subclasses, and what holds or returns them.

    `ecosystems` are those of the classes. What holds them is cut at MAX_HOLDERS, MAX_TYPES and
    MAX_ROUNDS.
    """
    owners = in_all_files(resolver, owners)
    lineages = resolver.resolve_all([Ancestors(*owner) for owner in owners])
    known = {*owners, *(definition.key for ancestors in lineages for definition in ancestors)}
    known |= _all_subclasses(resolver, owners, ecosystems)
    hierarchy = Aliases(set())
    fresh = known
    for _ in range(MAX_ROUNDS):
        aliases = aliases_of(resolver, fresh)
        hierarchy.names |= aliases.names
        hierarchy.roots |= aliases.roots
        # Also of names and imports of earlier rounds, which may lead to what is known only now.
        read = type_sites(resolver, sorted(aliases.names), aliases.roots, limit=MAX_TYPES + 1)
        hierarchy.is_cut |= aliases.is_cut or len(read) > MAX_TYPES
        sites = read[:MAX_TYPES]
        typed = {
            (site.file, site.caller.removesuffix(f".{CLASS_CALL}"))
            for site, definitions in zip(sites, origins(resolver, sites), strict=True)
            if any(definition.key in known for definition in definitions)
        } - known
        fresh = (typed | _all_subclasses(resolver, typed, ecosystems)) - known
        if len(fresh) > (room := max(MAX_HOLDERS - len(known), 0)):
            hierarchy.is_cut = True
            fresh = set(sorted(fresh)[:room])
        if not fresh:
            return hierarchy
        known |= fresh
    hierarchy.is_cut = True
    return hierarchy


def subclasses_of(
    resolver: BatchResolver, classes: Collection[Key], ecosystems: Collection[str]
) -> tuple[set[Key], set[Key]]:
    """Return the classes in each file that defines a part of them, and all their subclasses."""
    owners = in_all_files(resolver, classes)
    return owners, _all_subclasses(resolver, owners, ecosystems) - owners


def _all_subclasses(
    resolver: BatchResolver, starts: Collection[Key], ecosystems: Collection[str]
) -> set[Key]:
    """Return all classes, up to MAX_LEVELS down, whose base is a class or what holds one.

    One request asks for callers and each level, so results are kept in the resolver.
    """
    subclasses = resolver.subclasses
    found: set[Key] = set()
    level = set(starts)
    for _ in range(MAX_LEVELS):
        fresh = sorted(level - subclasses.keys())
        if fresh:
            subclasses |= _direct_subclasses(resolver, fresh, ecosystems)
        level = {subclass for key in level for subclass in subclasses[key]} - found
        if not level:
            break
        found |= level
    else:
        resolver.resolve_all([Limit(CUT_BASES)])
    return found


def in_all_files(resolver: BatchResolver, owners: Collection[Key]) -> set[Key]:
    """Return the classes in each file that defines a part; a member may be in another one."""
    answers = resolver.resolve_all([SameScopeDefinitions(*owner) for owner in owners])
    found = {
        (row.file, name) for (_, name), rows in zip(owners, answers, strict=True) for row in rows
    }
    return found | set(owners)


def _direct_subclasses(
    resolver: BatchResolver, classes: Sequence[Key], ecosystems: Collection[str]
) -> dict[Key, list[Key]]:
    """Return for each class those that name it as a base, in any repository."""
    subclasses: dict[Key, list[Key]] = {key: [] for key in classes}
    aliases = aliases_of(resolver, classes)
    query = ReferenceQuery(
        names=[
            (name, ecosystem) for name in sorted(aliases.names) for ecosystem in sorted(ecosystems)
        ],
        files=sorted({file for file, _ in classes}),
        at_top=True,
        containers=sorted({last_name(name.rpartition(".")[0]) for _, name in classes} - {""}),
        kind="inherit",
    )
    named = sites_named(resolver, query)
    rooted = sites_rooted(resolver, aliases.roots, kind=query.kind)
    sites = list({site.id: site for site in (*named, *rooted)}.values())
    for site, resolution in zip(sites, resolve(resolver, sites), strict=True):
        for definition in resolution.targets:
            if definition.key in subclasses:
                subclasses[definition.key].append((site.file, site.caller))
    return subclasses
