"""Definitions of a symbol, given by bare, qualified or module-qualified name."""

import difflib
from collections.abc import Iterable
from typing import Final, NamedTuple

from central.corpus.models import (
    File,
    Module,
    Package,
    Reference,
    ScipDefinition,
    ScipRelationship,
    Symbol,
)
from central.db import fetch_rows, like_pattern, sql_with
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.modules import prefixes
from central.trace.resolve.questions import ImportPath, Key, last_name
from central.trace.resolve.statements import SPLIT_CLASSES
from indexer.lexical import tokenize

MAX_DEFINITIONS: Final = 200
_SIMILAR_ROWS: Final = 1_000
_SIMILAR_NAMES: Final = 5
_CALL_OPERATOR: Final = "operator()"  # of C++, a name


class Definition(NamedTuple):
    """A definition with its file and package; `ecosystem` is its file's."""

    id: int
    repository: int
    file: int
    path: str
    language: str
    name: str
    qualified_name: str
    kind: str
    signature: str
    start_line: int
    end_line: int
    package: int
    distribution: str
    version: str
    ecosystem: str
    generated: bool = False

    @property
    def key(self) -> Key:
        """The identity in resolution: definitions of one name in one file are one."""
        return self.file, self.qualified_name


class DefinitionFilter(NamedTuple):
    """Restrictions on definitions; "" and 0 restrict nothing."""

    symbol: str
    repository: int = 0
    path: str = ""
    line: int = 0


COLUMNS: Final = """s.id, s.repository_id, s.file_id, f.path, f.language, s.name, s.qualified_name,
    s.kind, s.signature, s.start_line, s.end_line, coalesce(f.package_id, 0),
    coalesce(p.name, ''), coalesce(p.version, ''),
    coalesce((SELECT min(m.ecosystem) FROM {module} m WHERE m.file_id = f.id), 'none'),
    f.generated <> '' AS generated"""
JOINED: Final = """FROM {symbol} s JOIN {file} f ON f.id = s.file_id
    LEFT JOIN {package} p ON p.id = f.package_id"""
_sql = sql_with(
    columns=COLUMNS,
    joined=JOINED,
    split_classes=SPLIT_CLASSES,
    symbol=Symbol,
    file=File,
    package=Package,
    module=Module,
    reference=Reference,
    scip_definition=ScipDefinition,
    scip_relationship=ScipRelationship,
)
_NAMED = _sql("""SELECT * FROM (
        SELECT DISTINCT ON (s.file_id, s.qualified_name) {columns} {joined}
        WHERE s.name = %s::text AND s.repository_id = ANY(%s::bigint[])
            AND (s.qualified_name = %s::text OR s.qualified_name LIKE %s::text)
            AND (%s::bigint = 0 OR s.repository_id = %s::bigint)
            AND (%s::text = '' OR f.path = %s::text)
            AND (%s::int = 0 OR %s::int BETWEEN s.start_line AND s.end_line)
        ORDER BY s.file_id, s.qualified_name, s.start_line, s.id) AS found
    ORDER BY generated, repository_id, path, start_line, id LIMIT %s""")
_KEYED = _sql("""SELECT {columns}
    FROM unnest(%s::bigint[], %s::text[]) AS q (file, name)
    JOIN {symbol} s ON s.file_id = q.file AND s.qualified_name = q.name
    JOIN {file} f ON f.id = s.file_id
    LEFT JOIN {package} p ON p.id = f.package_id
    WHERE s.repository_id = ANY(%s::bigint[])
    ORDER BY s.repository_id, f.path, s.start_line, s.id""")
# The bases of a class that is spread over files may stand in another one.
_OVERRIDING = _sql("""SELECT DISTINCT s.file_id, s.qualified_name FROM {symbol} s
    WHERE s.name = ANY(%s::text[]) AND s.qualified_name <> s.name
        AND s.repository_id = ANY(%s::bigint[])
        AND (EXISTS (SELECT FROM {reference} r WHERE r.file_id = s.file_id
                AND r.caller = left(s.qualified_name, -1 - length(s.name))
                AND r.kind = 'inherit')
            OR EXISTS (SELECT FROM {scip_definition} d
                JOIN {scip_relationship} t ON t.symbol_id = d.symbol_id AND t.file_id = d.file_id
                WHERE d.file_id = s.file_id
                    AND d.qualified_name = left(s.qualified_name, -1 - length(s.name)))
            OR EXISTS (SELECT FROM {module} m WHERE m.file_id = s.file_id AND m.scope
                AND m.ecosystem IN {split_classes}))""")
_IN_LINES = _sql("""SELECT {columns} {joined}
    WHERE f.repository_id = %s::bigint AND f.path = %s::text
        AND s.repository_id = ANY(%s::bigint[])
    ORDER BY s.start_line, s.id""")
_HOLDERS = _sql("""SELECT DISTINCT m.repository_id, coalesce(m.package_id, 0), m.ecosystem
    FROM {module} m WHERE m.name = ANY(%s::text[]) AND m.repository_id = ANY(%s::bigint[])""")
_SIMILAR = _sql("""SELECT name FROM (
        SELECT s.name FROM {symbol} s
        WHERE s.repository_id = ANY(%s::bigint[]) AND array_to_tsvector(s.parts) @@ %s::tsquery
        LIMIT 20000) AS found
    GROUP BY name ORDER BY abs(length(name) - %s), name LIMIT %s""")


def definitions_named(resolver: BatchResolver, wanted: DefinitionFilter) -> list[Definition]:
    """Return the definitions that a symbol means, each once; at most MAX_DEFINITIONS + 1.

    The symbol is a name or its last parts; if none matches, a path through modules and re-exports.
    With a file, a whole name goes before the same name in a class.
    """
    module, name = split_symbol(wanted.symbol)
    if module:
        return _chosen(_by_path(resolver, f"{module}.{name}"), wanted)
    found = _by_name(resolver, name, wanted)
    if wanted.path and not wanted.line:
        found = [definition for definition in found if definition.qualified_name == name] or found
    return found or _chosen(_by_path(resolver, name), wanted)


def definitions_at(resolver: BatchResolver, keys: Iterable[Key]) -> dict[Key, Definition]:
    """Return definitions by file and qualified name."""
    ordered = list(dict.fromkeys(keys))
    if not ordered:
        return {}
    files, names = [file for file, _ in ordered], [name for _, name in ordered]
    rows = fetch_rows(_KEYED, [files, names, resolver.repositories])
    return {
        definition.key: definition for definition in reversed([Definition(*row) for row in rows])
    }


def overriding_members(resolver: BatchResolver, names: Iterable[str]) -> dict[str, set[Key]]:
    """Return the keys of the members by these names whose classes may have bases."""
    wanted = set(names)
    if fresh := sorted(wanted - resolver.members.keys()):
        resolver.members |= {name: set() for name in fresh}
        for file, name in fetch_rows(_OVERRIDING, [fresh, resolver.repositories]):
            resolver.members[last_name(name)].add((file, name))
    return {name: resolver.members[name] for name in wanted}


def definitions_in(resolver: BatchResolver, *, repository: int, path: str) -> list[Definition]:
    """Return a file's definitions in order of position, including overloads."""
    rows = fetch_rows(_IN_LINES, [repository, path, resolver.repositories])
    return [Definition(*row) for row in rows]


def similar_names(symbol: str, *, repositories: str) -> list[str]:
    """Return existing names that resemble the symbol's, most similar first."""
    name = last_name(split_symbol(symbol)[1])
    parts = [token[:3] for token in tokenize(name) if token]
    if not parts:
        return []
    like = " | ".join(f"'{part}':*" for part in dict.fromkeys(parts))
    rows = fetch_rows(_SIMILAR, [repositories, like, len(name), _SIMILAR_ROWS])
    casefolded = {row[0].lower(): row[0] for row in rows}
    close = difflib.get_close_matches(name.lower(), casefolded, n=_SIMILAR_NAMES, cutoff=0.6)
    return [casefolded[definition] for definition in close]


def split_symbol(symbol: str) -> tuple[str, str]:
    """Split `Auth.verify`, `Auth::verify()`, `Auth#verify` or `module:name` at the module."""
    text = symbol.strip().replace("::", ".").replace("#", ".")
    text = text if text.endswith(_CALL_OPERATOR) else text.removesuffix("()")
    module, colon, name = text.rpartition(":")
    return (module, name.strip(".")) if colon else ("", text.strip("."))


def _by_name(resolver: BatchResolver, name: str, wanted: DefinitionFilter) -> list[Definition]:
    repository, path, line = wanted.repository, wanted.path, wanted.line
    asked = [last_name(name), resolver.repositories, name, f"%.{like_pattern(name)}"]
    restrictions = [repository, repository, path, path, line, line]
    rows = fetch_rows(_NAMED, [*asked, *restrictions, MAX_DEFINITIONS + 1])
    return [Definition(*row) for row in rows]


def _by_path(resolver: BatchResolver, path: str) -> list[Definition]:
    """Resolve the path for each package that has a module of this name."""
    if "." not in path:
        return []
    modules = [module for module, names in prefixes(path) if names]
    holders = fetch_rows(_HOLDERS, [modules, resolver.repositories])
    answers = resolver.resolve_all(
        [
            ImportPath(repository, package, ecosystem, path)
            for repository, package, ecosystem in holders
        ]
    )
    return list(
        definitions_at(resolver, [target.key for answer in answers for target in answer]).values()
    )


def _chosen(found: Iterable[Definition], wanted: DefinitionFilter) -> list[Definition]:
    return [
        definition
        for definition in found
        if wanted.repository in {0, definition.repository}
        and wanted.path in {"", definition.path}
        and (not wanted.line or definition.start_line <= wanted.line <= definition.end_line)
    ]
