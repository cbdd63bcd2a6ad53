"""The stored hierarchy of classes, asked by one recursive statement; classes of live files resolve.

The rows are what `Bases` says of each class, so that all that can be reached along them, up to
MAX_LEVELS, is what `Ancestors` says.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from central.corpus.models import (
    File,
    Module,
    Reference,
    ScipDefinition,
    ScipRelationship,
    ScipSymbol,
    Symbol,
)
from central.db import fetch_rows, id_array, sql_with
from central.trace.resolve.definitions import overriding_members
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.members import CUT_BASES, MAX_LEVELS
from central.trace.resolve.questions import Ancestors, Bases, Key, Limit
from central.trace.resolve.references import columns_of
from central.trace.resolve.statements import SPLIT_CLASSES
from central.trace.stored.models import Inheritance, Path, Source

_sql = sql_with(
    inheritance=Inheritance,
    path=Path,
    source=Source,
    file=File,
    symbol=Symbol,
    scip_symbol=ScipSymbol,
    scip_definition=ScipDefinition,
    scip_relationship=ScipRelationship,
    reference=Reference,
    module=Module,
    split_classes=SPLIT_CLASSES,
    levels=str(MAX_LEVELS),
    path_of="""JOIN {file} f ON f.id = q.file
        JOIN {path} p ON p.repository_id = f.repository_id AND p.path = f.path""",
    # Hashed, which a list of ALL is not in a statement that is prepared.
    is_stored="s.file_id NOT IN (SELECT unnest(%s::bigint[]))",
)
# Other files of its scope may say what a class inherits from.
_CLASSES: Final = _sql("""SELECT r.file_id, r.caller FROM {reference} r
    WHERE r.file_id = ANY(%s::bigint[]) AND r.kind = 'inherit' AND r.caller <> ''
    UNION
    SELECT d.file_id, d.qualified_name FROM {scip_definition} d
    JOIN {scip_relationship} t ON t.symbol_id = d.symbol_id AND t.file_id = d.file_id
    JOIN {scip_symbol} x ON x.id = d.symbol_id AND right(x.text, 1) = '#'
    WHERE d.file_id = ANY(%s::bigint[])
    UNION
    SELECT s.file_id, n.name FROM {symbol} s CROSS JOIN LATERAL (VALUES
        (left(s.qualified_name, -1 - length(s.name))),
        (CASE WHEN s.kind NOT IN ('function', 'method', 'property') THEN s.qualified_name END)
        ) AS n (name)
    WHERE s.file_id = ANY(%s::bigint[]) AND n.name <> ''
        AND EXISTS (SELECT FROM {module} m WHERE m.file_id = s.file_id AND m.scope
            AND m.ecosystem IN {split_classes})
    ORDER BY 1, 2""")
_ABOVE: Final = _sql("""WITH RECURSIVE above AS (
        SELECT b.source, b.name, b.base, b.base_name, 1 AS level
        FROM unnest(%s::bigint[], %s::text[]) AS q (file, name) {path_of}
        JOIN {inheritance} b ON b.source = p.id AND b.name = q.name
        UNION
        SELECT b.source, b.name, b.base, b.base_name, above.level + 1
        FROM above JOIN {source} s ON s.path_id = above.base AND {is_stored}
        JOIN {inheritance} b ON b.source = above.base AND b.name = above.base_name
        WHERE above.level < {levels})
    SELECT DISTINCT s.file_id, above.name, coalesce(t.file_id, 0), above.base_name
    FROM above JOIN {source} s ON s.path_id = above.source
        AND s.repository_id = ANY(%s::bigint[])
    LEFT JOIN {source} t ON t.path_id = above.base""")
_LIVE_BASES: Final = _sql("""SELECT DISTINCT q.file, b.base_name
    FROM unnest(%s::bigint[]) AS q (file) {path_of}
    JOIN {inheritance} b ON b.base = p.id AND b.repository_id = ANY(%s::bigint[])
    JOIN {source} s ON s.path_id = b.source AND {is_stored}""")
# The last row, without a member, tells that there are classes further below. OFFSET keeps the
# planner from reading all symbols of a file for each class.
_BELOW: Final = _sql("""WITH RECURSIVE below AS (
        SELECT q.n, q.file, coalesce(found.id, 0) AS path, q.name, 0 AS level
        FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, name)
        LEFT JOIN LATERAL (SELECT p.id FROM (SELECT) AS one {path_of}) AS found ON true
        WHERE q.file = 0 OR found.id IS NOT NULL
        UNION
        SELECT below.n, s.file_id, b.source, b.name, below.level + 1
        FROM below JOIN {inheritance} b ON b.base = below.path AND b.base_name = below.name
            AND b.repository_id = ANY(%s::bigint[])
        JOIN {source} s ON s.path_id = b.source AND {is_stored}
        WHERE below.level < {levels}),
    nearest AS MATERIALIZED (SELECT n, file, name, min(level) AS level FROM below GROUP BY 1, 2, 3)
    (SELECT c.n, q.member, c.file, c.name, c.level
        FROM nearest c JOIN unnest(%s::int[], %s::text[]) AS q (n, member) ON q.n = c.n
        WHERE c.level > 0 AND EXISTS (SELECT FROM {symbol} m
            WHERE m.file_id = c.file AND m.qualified_name = c.name || '.' || q.member OFFSET 0)
        ORDER BY c.file, c.name LIMIT %s)
    UNION ALL
    SELECT 0, '', 0, '', 0 WHERE EXISTS (SELECT FROM nearest WHERE level = {levels})""")


def classes_in(files: Collection[int]) -> Mapping[int, list[Key]]:
    """Return the classes that may have bases, by file."""
    ids = id_array(files)
    found: dict[int, list[Key]] = defaultdict(list)
    for file, name in fetch_rows(_CLASSES, [ids, ids, ids]):
        found[file].append((file, name))
    return found


def lineages(resolver: BatchResolver, classes: Sequence[Key]) -> list[Collection[Key]]:
    """Return the ancestors of each class."""
    if resolver.live_files is not None:
        return [found.keys() for found in _levels_above(resolver, classes)]
    answers = resolver.resolve_all([Ancestors(*class_) for class_ in classes])
    return [[definition.key for definition in answer] for answer in answers]


def _levels_above(resolver: BatchResolver, classes: Sequence[Key]) -> list[Mapping[Key, int]]:
    """Return, for each class, how many levels above it each of its ancestors is."""
    bases = _bases_above(resolver, classes)
    return [_levels(resolver, class_, bases) for class_ in classes]


def _bases_above(resolver: BatchResolver, classes: Collection[Key]) -> Mapping[Key, set[Key]]:
    """Return the direct bases of classes and of all above them."""
    live = resolver.live_files or ()
    bases: dict[Key, set[Key]] = defaultdict(set)
    known: set[Key] = set()
    ahead = set(classes)
    while ahead:
        known |= ahead
        asked = sorted(class_ for class_ in ahead if class_[0] in live)
        answers = resolver.resolve_all([Bases(*class_) for class_ in asked])
        further: set[Key] = set()
        for class_, answer in zip(asked, answers, strict=True):
            bases[class_] = {base.key for base in answer}
            further |= bases[class_]
        stored = columns_of(sorted(ahead.difference(asked)))
        parameters = [*stored, resolver.live_ids, resolver.repositories]
        for file, name, *base in fetch_rows(_ABOVE, parameters) if ahead.difference(asked) else ():
            known.add((file, name))
            bases[file, name].add((base[0], base[1]))
            if base[0] in live:
                further.add((base[0], base[1]))
        ahead = further - known
    return bases


def _levels(
    resolver: BatchResolver, start: Key, bases: Mapping[Key, Collection[Key]]
) -> Mapping[Key, int]:
    found: dict[Key, int] = {}
    level = {start}
    for number in range(1, MAX_LEVELS + 1):
        level = (
            {base for class_ in level for base in bases.get(class_, ())} - found.keys() - {start}
        )
        if not level:
            return found
        found |= dict.fromkeys(level, number)
    resolver.resolve_all([Limit(CUT_BASES)])
    return found


def overriding_classes(
    resolver: BatchResolver, wanted: Collection[tuple[Key, str]], *, limit: int
) -> list[tuple[Key, str, Key]]:
    """Return the classes that define a member of a name, below the classes of which it is wanted.

    As (class, member, class below it), about `limit` at most.
    """
    if not wanted:
        return []
    live, members = resolver.live_files or (), sorted({member for _, member in wanted})
    ids = resolver.live_ids
    bases = fetch_rows(_LIVE_BASES, [ids, resolver.repositories, ids]) if live else []
    asked = [*wanted, *(((file, name), member) for file, name in bases for member in members)]
    below = _below(resolver, asked, limit)
    found = {(above, member, class_) for above, member, class_, _ in below}
    if live:
        below = [subclass for subclass in below if subclass[0][0] in live]
        named = overriding_members(resolver, members)
        below += [
            _Below(class_, member, class_, 0)
            for member, keys in named.items()
            for file, name in keys
            if file in live
            for class_ in [(file, name.rpartition(".")[0])]
        ]
        found |= _below_live(resolver, below, {above for above, _ in wanted})
    # It may be in a circle.
    return sorted(
        override for override in found if override[0] != override[2] and override[:2] in wanted
    )


class _Below(NamedTuple):
    """A class that defines a member, so many levels below another."""

    above: Key
    member: str
    key: Key
    levels: int


def _below_live(
    resolver: BatchResolver, below: Sequence[_Below], above: set[Key]
) -> set[tuple[Key, str, Key]]:
    """Return, for classes above, what is below classes of live files that are below them."""
    lower = sorted({subclass.above for subclass in below})
    levels = dict(zip(lower, _levels_above(resolver, lower), strict=True))
    return {
        (key, subclass.member, subclass.key)
        for subclass in below
        for key in above & levels[subclass.above].keys()
        if levels[subclass.above][key] + subclass.levels <= MAX_LEVELS
    }


def _below(resolver: BatchResolver, asked: Collection[tuple[Key, str]], limit: int) -> list[_Below]:
    """Return the stored classes below others that define a member of a name."""
    above = sorted({class_ for class_, _ in asked})
    numbers = {class_: number for number, class_ in enumerate(above)}
    parameters = [
        id_array(numbers.values()),
        *columns_of(above),
        resolver.repositories,
        resolver.live_ids,
        id_array(numbers[class_] for class_, _ in asked),
        [member for _, member in asked],
        limit,
    ]
    rows = fetch_rows(_BELOW, parameters)
    if rows and not rows[-1][1]:
        resolver.resolve_all([Limit(CUT_BASES)])
        rows.pop()
    return [
        _Below(above[n], member, (file, name), levels) for n, member, file, name, levels in rows
    ]
