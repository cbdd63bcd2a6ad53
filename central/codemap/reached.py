"""Which definitions something visible leads to, from outside of themselves.

References do, by stored edges and what is resolved beside them. So do imports, types that a name
states, and what may be called in place of a member that is overridden.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from central.codemap.currency import Beside
from central.corpus.models import File, Reference
from central.db import fetch_rows, id_array, sql_with
from central.trace.resolve.definitions import Definition, overriding_members
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.hierarchy import aliases_of
from central.trace.resolve.import_sites import ImportSite, imports_bound, imports_named
from central.trace.resolve.questions import (
    FUNCTIONS,
    ImportPath,
    Key,
    Limit,
    Outside,
    last_name,
)
from central.trace.resolve.references import ReferenceSite, type_sites
from central.trace.resolve.resolve import origins
from central.trace.stored.hierarchy import lineages
from central.trace.stored.models import Edge as StoredEdge
from central.trace.stored.models import Path, Source
from central.trace.stored.state import CURRENT
from indexer.records.references import Access

UNUSED_TYPES: Final = 20_000  # that have the names of a portion of them
UNUSED_CLASSES: Final = 10_000  # with members of such names
_CUT_TYPES: Final = (
    f"Of the types by the names of definitions without callers, {UNUSED_TYPES:,} were read; there "
    "are more."
)
_CUT_CLASSES: Final = (
    f"Overriding members were looked for in {UNUSED_CLASSES:,} classes; there are more with "
    "members of these names."
)
_PACKAGE_FILE: Final = "__init__.py"  # what it imports, it re-exports
_sql = sql_with(
    current=CURRENT,
    edge=StoredEdge,
    source=Source,
    path=Path,
    file=File,
    reference=Reference,
    asked="""q AS MATERIALIZED (
        SELECT f.id AS file, p.id AS path FROM unnest(%s::bigint[]) AS one (file)
        JOIN {file} f ON f.id = one.file
        JOIN {path} p ON p.repository_id = f.repository_id AND p.path = f.path)""",
    from_current="""JOIN {source} s ON s.path_id = e.source AND {current}
        WHERE e.repository_id = ANY(%s::bigint[])""",
)
# With the definition around the reference, if it is in the same file; else null.
_LEADING: Final = _sql("""WITH {asked},
    found AS MATERIALIZED (
        SELECT q.file, q.path, e.source, e.name, e.references FROM q
        JOIN {edge} e ON e.target = q.path {from_current}
        UNION ALL
        SELECT q.file, q.path, e.source, e.receiver_name, e.references FROM q
        JOIN {edge} e ON e.receiver = q.path {from_current})
    SELECT DISTINCT file, name, NULL FROM found WHERE source <> path
    UNION
    SELECT DISTINCT found.file, found.name, r.caller FROM found
    CROSS JOIN LATERAL unnest(found.references) AS u (id)
    JOIN {reference} r ON r.id = u.id WHERE source = path""")


class ImportUses(NamedTuple):
    """Imports of definitions: files that use them, and files that only re-export them.

    `lines` are places (file, line) of imports by such a name that re-export it, or certainly mean
    something else.
    """

    used: set[Key]
    reexported: Counter[Key]
    lines: set[tuple[int, int]]

    def add(self, site: ReferenceSite, meant: Iterable[Key]) -> None:
        """Note an import of definitions."""
        for key in meant:
            if site.path.rpartition("/")[2] == _PACKAGE_FILE:
                self.reexported[key] += 1
                self.lines.add((site.file, site.line))
            elif site.file != key[0]:
                self.used.add(key)


class ReferenceTargets:
    """What references lead to, read file by file."""

    def __init__(self, resolver: BatchResolver, beside: Beside) -> None:
        self._resolver = resolver
        self._hidden = beside.hidden
        self._known: dict[int, dict[str, set[str | None]]] = {}
        self._beside: dict[int, list[tuple[str, str | None]]] = defaultdict(list)
        for edge in beside.edges:
            ends = [edge.target]
            if edge.definition and edge.definition.receiver:
                ends.append(edge.definition.receiver)
            for file, name in ends:
                caller = edge.site.caller if edge.site.file == file else None
                self._beside[file].append((name, caller))

    def read(self, files: Iterable[int]) -> None:
        """Read what leads to definitions of these files."""
        fresh = sorted(set(files) - self._known.keys() - {0})
        if not fresh:
            return
        found: dict[int, dict[str, set[str | None]]] = {file_id: {} for file_id in fresh}
        current = [self._hidden, self._resolver.repositories]
        rows = fetch_rows(_LEADING, [id_array(fresh), *current, *current])
        rows += [(file, *beside) for file in fresh for beside in self._beside.get(file, ())]
        for file, name, caller in rows:
            names = name.split(".")
            for end in range(1, len(names) + 1):
                found[file].setdefault(".".join(names[:end]), set()).add(caller)
        self._known |= found

    def has(self, key: Key) -> bool:
        """Whether something leads to a definition or to what is inside of it, from outside of it.

        Its file was read.
        """
        file, name = key
        return any(
            caller is None or not f"{caller}.".startswith(f"{name}.")
            for caller in self._known[file].get(name, ())
        )


def unreached(
    resolver: BatchResolver, reached: ReferenceTargets, definitions: Sequence[Definition]
) -> list[Definition]:
    """Return the definitions to which no reference, type or override leads."""
    reached.read(definition.file for definition in definitions)
    found = [definition for definition in definitions if not reached.has(definition.key)]
    known = _named_as_types(resolver, found)
    found = [definition for definition in found if definition.key not in known]
    known = _reached_by_override(resolver, reached, found)
    return [definition for definition in found if definition.key not in known]


def imported(resolver: BatchResolver, definitions: Sequence[Definition]) -> ImportUses:
    """Return which of the definitions imports of other files name."""
    keys = {definition.key for definition in definitions if definition.kind != "method"}
    aliases = aliases_of(resolver, keys)
    names = sorted(aliases.names | {definition.name for definition in definitions})
    sites = [*imports_named(resolver, names), *imports_bound(resolver, sorted(aliases.roots))]
    unique = list({site.site.id: site for site in sites}.values())
    answers = resolver.resolve_all([import_site.statement for import_site in unique])
    found = ImportUses(set(), Counter(), set())
    nameless: list[ImportSite] = []
    for import_site, (targets, modules) in zip(unique, answers, strict=True):
        if meant := {target.key for target in targets} & keys:
            found.add(import_site.site, meant)
        elif targets or modules:
            found.lines.add((import_site.site.file, import_site.site.line))
        else:
            nameless.append(import_site)
    asked = [Outside(ImportPath(*site.statement[1:]), Access.PATH, "") for site in nameless]
    for site, is_outside in zip(nameless, resolver.resolve_all(asked), strict=True):
        if is_outside:
            found.lines.add((site.site.file, site.site.line))
    return found


def _named_as_types(resolver: BatchResolver, definitions: Sequence[Definition]) -> set[Key]:
    classes = {definition.key for definition in definitions if definition.kind not in FUNCTIONS}
    names = sorted({last_name(name) for _, name in classes})
    sites = type_sites(resolver, names, (), limit=UNUSED_TYPES + 1) if names else []
    if len(sites) > UNUSED_TYPES:
        resolver.resolve_all([Limit(_CUT_TYPES)])
    return {
        found.key
        for site, several in zip(sites, origins(resolver, sites), strict=True)
        for found in several
        if found.key in classes
        and not (site.file == found.file and f"{site.caller}.".startswith(f"{found.name}."))
    }


def _reached_by_override(
    resolver: BatchResolver, reached: ReferenceTargets, definitions: Sequence[Definition]
) -> set[Key]:
    """Return the members that override a member which is used, or that such a one overrides."""
    members = [definition.key for definition in definitions if "." in definition.qualified_name]
    named = overriding_members(resolver, {last_name(name) for _, name in members})
    owners = sorted(
        {_owner(key) for key in (*members, *(k for keys in named.values() for k in keys))}
    )
    if len(owners) > UNUSED_CLASSES:
        resolver.resolve_all([Limit(_CUT_CLASSES)])
        owners = sorted(map(_owner, members))
    relatives: dict[Key, set[Key]] = defaultdict(set)
    for owner, lineage in zip(owners, lineages(resolver, owners), strict=True):
        for ancestor in lineage:
            relatives[owner].add(ancestor)
            relatives[ancestor].add(owner)
    reached.read(file for key in members for file, _ in relatives[_owner(key)])
    return {
        key
        for key in members
        if any(
            file and reached.has((file, f"{name}.{last_name(key[1])}"))
            for file, name in relatives[_owner(key)]
        )
    }


def _owner(key: Key) -> Key:
    return key[0], key[1].rpartition(".")[0]
