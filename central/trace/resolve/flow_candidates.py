"""References that may be of a function because something holds it: candidates for `value_flow`.

Bounded: what is proposed is resolved like every reference, and what is not proposed is not listed.
The receipt says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final, NamedTuple

from central.corpus.models import File, Reference, ScipSymbol, Symbol
from central.db import Row, fetch_rows, id_array, sql_with
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.modelled import DEFAULT
from central.trace.resolve.questions import Key, Limit, last_name
from central.trace.resolve.references import COLUMNS, ReferenceSite, columns_of
from central.trace.resolve.resolve import holds_function, origins, resolve
from indexer.records.files import VALUE_KINDS
from indexer.records.references import (
    CALLED,
    CLOSURE,
    CONSTRUCTOR_METHODS,
    ELEMENT,
    HELD,
    PASSED,
)

MAX_ROUNDS: Final = 4  # from what holds a function to what holds that
MAX_HOLDERS: Final = 300
MAX_SITES: Final = 1_000
CUT_HOLDERS: Final = (
    f"What holds a function was followed over {MAX_ROUNDS} holders in a row, {MAX_HOLDERS:,} in "
    f"each round, to {MAX_SITES:,} calls."
)
_SUFFIXES: Final = tuple(
    "".join(steps) for count in (0, 1, 2) for steps in product((CALLED, ELEMENT), repeat=count)
)
_sql = sql_with(
    columns=COLUMNS,
    held=f"'.{HELD}'",
    reference=Reference,
    scip_symbol=ScipSymbol,
    file=File,
    symbol=Symbol,
    step=f"'%%{HELD}%%'",
)
# What says that something holds one of these names, or, in the files, anything of these roots.
_HOLDERS = _sql("""SELECT r.file_id, r.name, r.caller, r.line, r.column
    FROM {reference} r
    WHERE (split_part(CASE WHEN r.chain = '' THEN r.root ELSE r.chain END, '.', -1)
            = ANY(%s::text[]) OR r.name = ANY(%s::text[]))
        AND r.repository_id = ANY(%s::bigint[]) AND r.kind = 'type'
        AND (right(r.caller, 2) = {held} OR (%s::bool AND r.access = 'result'))
    LIMIT %s""")
_HOLDERS_OF_ROOT = _sql("""SELECT r.file_id, r.name, r.caller, r.line, r.column
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, root)
    JOIN {reference} r ON r.file_id = q.file AND r.root = q.root AND r.kind = 'type'
        AND right(r.caller, 2) = {held}
    WHERE r.repository_id = ANY(%s::bigint[])
    LIMIT %s""")
_CONSTANTS = _sql("""SELECT s.file_id, s.qualified_name
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, name)
    JOIN {symbol} s ON s.file_id = q.file AND s.qualified_name = q.name
        AND s.kind = ANY(%s::text[])""")
_CALLS_AT = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::int[], %s::int[]) AS q (file, line, "column")
    JOIN {reference} r ON r.file_id = q.file AND r.line = q.line AND r.column = q."column"
        AND r.kind IN ('call', 'new', 'decorate')
    JOIN {file} f ON f.id = r.file_id
    WHERE r.repository_id = ANY(%s::bigint[])""")
_NAMED = _sql("""SELECT {columns}
    FROM {reference} r JOIN {file} f ON f.id = r.file_id
    WHERE r.name = ANY(%s::text[]) AND r.repository_id = ANY(%s::bigint[])
        AND r.kind <> 'type' AND r.chain LIKE {step}
    LIMIT %s""")
_OF_ROOT = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, root)
    JOIN {reference} r ON r.file_id = q.file AND r.root = q.root
        AND r.kind <> 'type' AND r.chain LIKE {step}
    JOIN {file} f ON f.id = r.file_id
    WHERE r.repository_id = ANY(%s::bigint[])
    LIMIT %s""")


_IN_FILES = _sql("""SELECT {columns}
    FROM {reference} r JOIN {file} f ON f.id = r.file_id
    WHERE r.file_id = ANY(%s::bigint[]) AND r.repository_id = ANY(%s::bigint[])
        AND r.kind <> 'type' AND r.chain LIKE {step}""")


class _Holder(NamedTuple):
    """A TYPE reference that may tell what its caller holds, or what a call passes."""

    file: int
    name: str
    caller: str
    line: int
    column: int


@dataclass(slots=True)
class _Search:
    """What is known to hold a function: names, and functions or variables by file."""

    names: set[str] = field(default_factory=set)
    roots: set[Key] = field(default_factory=set)


def flow_sites(
    resolver: BatchResolver, names: Iterable[str], instances: Iterable[str] = ()
) -> tuple[list[ReferenceSite], set[Key]]:
    """Return references to what may hold a function with one of these names, and constants.

    What has one of the names `instances` gives an instance that may be called.
    """
    known = _Search(set(instances))
    fresh = _Search(set(names))
    for number in range(MAX_ROUNDS):
        rows = _holders(resolver, fresh, are_indirect=number > 0)
        found = _search(resolver, rows)
        fresh = _Search(found.names - known.names, found.roots - known.roots)
        if not (fresh.names or fresh.roots):
            break
        known.names |= fresh.names
        known.roots |= fresh.roots
    else:
        resolver.resolve_all([Limit(CUT_HOLDERS)])
    if not known.names and not known.roots:
        return [], set()
    return _sites(resolver, known), _constants(known.roots)


def held_sites_in(resolver: BatchResolver, files: Iterable[int]) -> list[ReferenceSite]:
    """Return the references to what something holds in these files, whatever that is."""
    rows = fetch_rows(_IN_FILES, [id_array(files), resolver.repositories])
    return [ReferenceSite(*row) for row in rows]


def _constants(keys: Iterable[Key]) -> set[Key]:
    """Return which of these are constants, whose references are of them and may be of a function.

    A default export is one too.
    """
    wanted = sorted(keys)
    rows = fetch_rows(_CONSTANTS, [*columns_of(wanted), list(VALUE_KINDS)]) if wanted else []
    return {(file, name) for file, name in rows} | {key for key in wanted if key[1] == DEFAULT}


def _holders(resolver: BatchResolver, search: _Search, *, are_indirect: bool) -> list[_Holder]:
    rows: list[Row] = []
    if search.names:
        named = sorted({*search.names, *(f"@{name}" for name in search.names)})  # of an instance
        called = [f"{HELD}{name}" for name in sorted(search.names)]
        asked = [named, called, resolver.repositories, are_indirect]
        rows += _most(resolver, _HOLDERS, asked, MAX_HOLDERS)
    if search.roots:
        asked = [*columns_of(sorted(search.roots)), resolver.repositories]
        rows += _most(resolver, _HOLDERS_OF_ROOT, asked, MAX_HOLDERS)
    return [_Holder(*row) for row in rows]


def _most(
    resolver: BatchResolver, statement: str, asked: Sequence[object], limit: int
) -> list[Row]:
    """Return the rows of a statement up to a limit, which the receipt names if there are more."""
    rows = fetch_rows(statement, [*asked, limit + 1])
    if len(rows) > limit:
        resolver.resolve_all([Limit(CUT_HOLDERS)])
    return rows[:limit]


def _search(resolver: BatchResolver, rows: Sequence[_Holder]) -> _Search:
    """Return the holders that rows tell of: the callees of calls that pass something, too."""
    found = _Search()
    for row in rows:
        if not row.caller.startswith(PASSED):
            _add(found, row.file, row.caller.removesuffix(f".{HELD}"))
    calls = [(row.file, row.line, row.column) for row in rows if row.caller.startswith(PASSED)]
    if calls:
        files, lines, columns = zip(*calls, strict=True)
        asked = [id_array(files), list(lines), list(columns), resolver.repositories]
        sites = [ReferenceSite(*row) for row in fetch_rows(_CALLS_AT, asked)]
        for resolution in resolve(resolver, sites):
            for target in resolution.targets:
                made = ((target.file, f"{target.name}.{method}") for method in CONSTRUCTOR_METHODS)
                found.roots |= {target.key, *made}
        _add_called_results(resolver, sites, found)
    return found


def _add_called_results(
    resolver: BatchResolver, sites: Iterable[ReferenceSite], found: _Search
) -> None:
    """Add the functions that return the functions that are called: `wrap` of `wrap(a)(b)`."""
    called = [
        site._replace(chain=site.chain.partition(HELD)[0].rstrip("."))
        for site in sites
        if holds_function(site)
    ]
    for answer in origins(resolver, called) if called else ():
        found.roots |= {definition.key for definition in answer}
        found.names |= {last_name(definition.name) for definition in answer}


def _add(found: _Search, file: int, part: str) -> None:
    """Add `make`, `TABLE[key]`, `Class.field`, or a parameter of `apply`: `apply.0=f`."""
    name = part.partition("[")[0]
    *around, last = name.split(".")
    if HELD in last and last != CLOSURE:
        name = ".".join(around)
    while name.endswith(f".{CLOSURE}"):
        name = name.rpartition(".")[0]
    if HELD not in last or last == CLOSURE:
        found.names.add(last_name(name))
    found.roots.add((file, name))


def _sites(resolver: BatchResolver, known: _Search) -> list[ReferenceSite]:
    named = [f"{name}{suffix}" for name in sorted(known.names) for suffix in _SUFFIXES]
    rows: list[Row] = []
    if named:
        rows += _most(resolver, _NAMED, [named, resolver.repositories], MAX_SITES)
    if known.roots:
        asked = [*columns_of(sorted(known.roots)), resolver.repositories]
        rows += _most(resolver, _OF_ROOT, asked, MAX_SITES)
    return [ReferenceSite(*row) for row in rows]
