"""Statements that answer the questions of `sql`, any number of one kind at once."""

from typing import Final

from central.corpus.models import (
    Dependency,
    Export,
    File,
    Import,
    Module,
    Package,
    Reference,
    ScipDefinition,
    ScipRelationship,
    ScipSymbol,
    Symbol,
)
from central.db import sql_with
from indexer.records.references import ANY_DIRECTORY, HELD, RECEIVER
from indexer.records.references import SEARCHED as SEARCHED_DIRECTORY

MAX_EXTENSIONS: Final = 1_000  # members of one name that are given to types from elsewhere
MAX_PASSED: Final = 200  # calls that pass a function to what has a name
MAX_PATHS: Final = 50  # with one end; of more none is chosen
# Where a class's members may stand in other files than the class: methods of a Go type, partial
# classes, reopened modules, extensions.
SPLIT_CLASSES: Final = "('go', 'nuget', 'rubygems', 'swiftpm')"
# `q` (n, name, file_id): where definitions of these names may stand.
_IN_SCOPE = """asked AS MATERIALIZED (
        SELECT q.n, q.file, q.name
        FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, name)
        JOIN {file} f ON f.id = q.file WHERE f.repository_id = ANY(%s::bigint[])),
    q AS MATERIALIZED (
        SELECT n, name, file AS file_id, true AS own FROM asked
        UNION
        SELECT asked.n, asked.name, b.file_id, false
        FROM asked JOIN {module} a ON a.file_id = asked.file AND a.scope
            AND a.ecosystem IN {split_classes}
        JOIN {module} b ON b.name = a.name AND b.repository_id = a.repository_id
            AND b.scope AND coalesce(b.package_id, 0) = coalesce(a.package_id, 0)
            AND b.file_id <> asked.file)"""
# What `q` (n, name, file_id) has: symbols, and what has a type alone, such as a field.
_DEFINED = """SELECT q.n, s.file_id, min(s.kind)
    FROM q JOIN {symbol} s ON s.file_id = q.file_id AND s.qualified_name = q.name
    GROUP BY q.n, s.file_id
    UNION ALL
    SELECT DISTINCT q.n, q.file_id, ''
    FROM q JOIN {reference} r ON r.file_id = q.file_id AND r.caller = q.name
        AND r.kind = 'type'
    WHERE NOT EXISTS (SELECT FROM {symbol} s
        WHERE s.file_id = q.file_id AND s.qualified_name = q.name)"""
# What the asked file declares and another of its repository defines, where a linker would find it.
# Nearest: that includes the declaring file or is included by it; that includes a header of such a
# path by a search path, if several have one the file with most directories in common; the only one
# of its name.
_DECLARED = """SELECT n, file_id, kind, distance = 0 FROM (
        SELECT *, min(distance) OVER (PARTITION BY n) AS nearest,
            count(*) OVER (PARTITION BY n) AS several
        FROM (SELECT q.n, s.file_id, min(s.kind) AS kind,
                CASE WHEN EXISTS (SELECT FROM {imported} i
                    WHERE i.local = '' AND i.wildcard
                        AND ((i.file_id = s.file_id AND i.path = header.name)
                            OR (i.file_id = q.file AND i.path = source.name))) THEN 0
                ELSE coalesce((SELECT min({by_search_path}) FROM {imported} i
                    CROSS JOIN LATERAL (SELECT '/' || btrim(i.module, '<>"') AS written) AS w
                    WHERE i.file_id = s.file_id AND i.local = '' AND i.wildcard
                        AND right(header.name, length(written)) = written
                        AND NOT EXISTS (SELECT FROM {module} other
                            WHERE other.name = i.path
                                AND other.repository_id = header.repository_id)),
                    {farthest}) END AS distance
            FROM asked q
            JOIN {export} e ON e.file_id = q.file AND e.name = q.name
                AND e.path = q.name AND e.is_local
            JOIN {module} header ON header.file_id = q.file AND {is_of_c_header}
            JOIN {symbol} s ON s.name = split_part(q.name, '.', -1)
                AND s.repository_id = header.repository_id AND s.qualified_name = q.name
                AND s.exported AND s.file_id <> q.file
            JOIN {module} source ON source.file_id = s.file_id AND {is_of_c_source}
            GROUP BY q.n, q.file, s.file_id, header.name, header.repository_id, source.name
        ) AS defined
    ) AS found WHERE distance = nearest AND (distance < {farthest} OR several = 1)"""
_BY_SEARCH_PATH = """CASE WHEN EXISTS (SELECT FROM {module} alike
        WHERE alike.name = '*' || w.written AND alike.repository_id = header.repository_id
        OFFSET 1) THEN {farthest} - (SELECT count(*) FROM generate_series(1, {deepest}) AS depth
            WHERE split_part(header.name, '/', depth + 1) <> ''
                AND (string_to_array(header.name, '/'))[:depth + 1]
                    = (string_to_array(source.name, '/'))[:depth + 1])
    ELSE 0 END"""
_DEEPEST: Final = 100  # directories that are compared
# The name of a file of C or C++ that is its path.
_IS_OF_C = "{0}.ecosystem = 'none' AND starts_with({0}.name, '/')"
_OF_SYMBOL = """JOIN {scip_definition} d ON d.symbol_id = x.id
    JOIN {file} f ON f.id = d.file_id
    LEFT JOIN LATERAL (SELECT s.kind FROM {symbol} s
        WHERE s.file_id = d.file_id AND s.qualified_name = d.qualified_name
        ORDER BY s.id LIMIT 1) AS own ON true"""
# Whether a package's dependencies are those of `p`: its own, and those of the directories above,
# except for one file that has a manifest of its own.
_APPLIES = """(above.root = p.root OR (p.root <> p.manifest
        AND (above.root = '' OR starts_with(p.root, above.root || '/'))))"""
_sql = sql_with(
    in_scope=_IN_SCOPE,
    of_symbol=_OF_SYMBOL,
    defined=_DEFINED,
    declared=_DECLARED,
    by_search_path=_BY_SEARCH_PATH,
    deepest=str(_DEEPEST),
    farthest=str(_DEEPEST + 2),
    is_of_c_header=_IS_OF_C.format("header"),
    is_of_c_source=_IS_OF_C.format("source"),
    applies=_APPLIES,
    searched=f"'{SEARCHED_DIRECTORY}'",
    any_directory=f"'{ANY_DIRECTORY}'",
    most_paths=str(MAX_PATHS + 1),
    split_classes=SPLIT_CLASSES,
    receiver=f"'.{RECEIVER}'",
    held=f"'.{HELD}'",
    most_passed=str(MAX_PASSED + 1),
    most_extensions=str(MAX_EXTENSIONS + 1),
    module=Module,
    package=Package,
    symbol=Symbol,
    reference=Reference,
    scip_symbol=ScipSymbol,
    scip_definition=ScipDefinition,
    scip_relationship=ScipRelationship,
    file=File,
    export=Export,
    imported=Import,
    dependency=Dependency,
)
MODULES: Final = _sql("""SELECT DISTINCT q.n, m.repository_id, coalesce(m.package_id, 0),
        coalesce(p.name, ''), m.ecosystem, m.public
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, repository, name)
    JOIN {module} m ON m.name = q.name
    LEFT JOIN {package} p ON p.id = m.package_id
    WHERE m.repository_id = ANY(%s::bigint[]) AND (m.public OR m.repository_id = q.repository)""")
DEFINITIONS: Final = _sql("""WITH q AS MATERIALIZED (
        SELECT q.n, q.name, m.file_id
        FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
            AS q (n, repository, package, module, name)
        JOIN {module} m ON m.name = q.module AND m.repository_id = q.repository
            AND coalesce(m.package_id, 0) = q.package
        WHERE m.repository_id = ANY(%s::bigint[]))
    {defined}""")
SAME_SCOPE_DEFINITIONS: Final = _sql("""WITH {in_scope}
    SELECT own.*, true FROM ({defined}) AS own
    UNION ALL {declared}""")
SEARCHED: Final = _sql("""SELECT q.n, m.name
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, file)
    JOIN {module} m ON m.file_id = q.file AND starts_with(m.name, {searched})
    WHERE m.repository_id = ANY(%s::bigint[])
    ORDER BY m.id""")
PATH_ENDS: Final = _sql("""SELECT q.n, found.path
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, repository, "end")
    CROSS JOIN LATERAL (SELECT f.path FROM {module} m JOIN {file} f ON f.id = m.file_id
        WHERE m.name = {any_directory} || q."end" AND m.repository_id = q.repository
            AND m.repository_id = ANY(%s::bigint[])
        ORDER BY f.path LIMIT {most_paths}) AS found""")
# What an index says that a class implements stands behind what it names.
NAMED_BASES: Final = _sql("""WITH {in_scope},
    named AS (
        SELECT q.n, q.own, r.file_id, r.binding, r.root, r.chain, r.repository_id, r.ecosystem,
            r.symbol_id, r.line, r.column, r.id
        FROM q JOIN {reference} r ON r.file_id = q.file_id AND r.caller = q.name
            AND r.kind = 'inherit'
        UNION ALL
        SELECT q.n, q.own, d.file_id, 'scip', '', '', d.repository_id, '', t.implemented_id,
            NULL, NULL, t.id
        FROM q JOIN {scip_definition} d ON d.file_id = q.file_id AND d.qualified_name = q.name
        JOIN {scip_relationship} t ON t.symbol_id = d.symbol_id AND t.file_id = d.file_id)
    SELECT r.n, r.file_id, r.binding, r.root, r.chain, r.repository_id,
        coalesce(f.package_id, 0), r.ecosystem, coalesce(x.text, '')
    FROM named r JOIN {file} f ON f.id = r.file_id
    LEFT JOIN {scip_symbol} x ON x.id = r.symbol_id
    ORDER BY r.own DESC, r.file_id, r.line, r.column, r.id""")
DECORATORS: Final = _sql("""SELECT DISTINCT q.n, r.name
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, name)
    JOIN {reference} r ON r.file_id = q.file AND r.caller = q.name AND r.kind = 'decorate'
    WHERE r.repository_id = ANY(%s::bigint[])""")
EXPORTED: Final = _sql("""SELECT q.n, e.file_id, e.name, e.path, e.is_local, e.wildcard,
        coalesce(m.package_id, 0)
    FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
        AS q (n, repository, package, module, name)
    JOIN {module} m ON m.name = q.module AND m.repository_id = q.repository
        AND coalesce(m.package_id, 0) = q.package
    JOIN {export} e ON e.file_id = m.file_id AND e.name = q.name
    WHERE m.repository_id = ANY(%s::bigint[])""")
DEFAULT_EXPORTS: Final = _sql("""SELECT q.n, e.file_id, e.name, e.path, e.is_local, e.wildcard,
        coalesce(m.package_id, 0)
    FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::text[])
        AS q (n, repository, package, module)
    JOIN {module} m ON m.name = q.module AND m.repository_id = q.repository
        AND coalesce(m.package_id, 0) = q.package
    JOIN {export} e ON e.file_id = m.file_id AND e.name = ''
    WHERE m.repository_id = ANY(%s::bigint[])""")
IMPORTS: Final = _sql("""SELECT q.n, i.path, i.line
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, local)
    JOIN {imported} i ON i.file_id = q.file AND i.local = q.local
    WHERE NOT i.wildcard AND i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line, i.path""")
WILDCARDS: Final = _sql("""SELECT q.n, i.path, i.line
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, file)
    JOIN {imported} i ON i.file_id = q.file AND i.local = ''
    WHERE i.wildcard AND i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line, i.path""")
# Of C# also that of the package's files without a namespace, last.
SCOPES: Final = _sql("""SELECT q.n, scope.name
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, file)
    JOIN {module} m ON m.file_id = q.file AND m.scope
    LEFT JOIN {package} p ON p.id = m.package_id
    CROSS JOIN LATERAL (SELECT m.name UNION
        SELECT '/' || coalesce(p.root, '') WHERE m.ecosystem = 'nuget') AS scope (name)
    WHERE m.repository_id = ANY(%s::bigint[])
    GROUP BY q.n, scope.name
    ORDER BY starts_with(scope.name, '/'), length(scope.name) DESC, scope.name""")
TYPING: Final = _sql("""SELECT q.n, r.binding, r.root, r.chain, r.access, r.repository_id,
        coalesce(f.package_id, 0), r.ecosystem
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, name)
    JOIN {reference} r ON r.file_id = q.file AND r.caller = q.name
        AND r.kind = 'type' AND r.binding <> 'scip'
    JOIN {file} f ON f.id = r.file_id
    WHERE r.repository_id = ANY(%s::bigint[])
    ORDER BY r.line, r.column, r.id""")
HELD_ROWS: Final = _sql("""SELECT q.n, r.binding, r.root, r.chain, r.access, r.repository_id,
        coalesce(f.package_id, 0), r.ecosystem, r.caller, r.line, r.column
    FROM unnest(%s::int[], %s::bigint[], %s::text[], %s::text[]) AS q (n, file, name, beginning)
    JOIN {reference} r ON r.file_id = q.file AND r.kind = 'type'
        AND (r.caller = q.name || {held}
            OR (q.beginning <> '' AND starts_with(r.caller, q.beginning)
                AND right(r.caller, 2) = {held}))
    JOIN {file} f ON f.id = r.file_id
    WHERE r.repository_id = ANY(%s::bigint[])
    ORDER BY r.line, r.column, r.id""")
# The reference at the position of what a call passes is the call.
PASSED_ROWS: Final = _sql("""SELECT q.n, p.*
    FROM unnest(%s::int[], %s::text[], %s::bigint[], %s::text[], %s::text[])
        AS q (n, called, file, place, keyword)
    CROSS JOIN LATERAL (
        SELECT r.file_id, c.binding, c.root, c.chain, c.access, c.name, r.repository_id,
            coalesce(f.package_id, 0), r.ecosystem, r.binding, r.root, r.chain, r.line, r.column
        FROM {reference} r
        JOIN {file} f ON f.id = r.file_id
        JOIN {reference} c ON c.file_id = r.file_id AND c.line = r.line AND c.column = r.column
            AND c.kind IN ('call', 'new', 'decorate')
        WHERE r.name = q.called AND r.kind = 'type' AND r.caller IN (q.place, q.keyword)
            AND (q.file = 0 OR r.file_id = q.file) AND r.repository_id = ANY(%s::bigint[])
        ORDER BY r.id LIMIT {most_passed}) AS p (file, binding, root, chain, access, name,
            repository, package, ecosystem, value, value_root, value_chain, line, "column")""")
EXTENSIONS: Final = _sql("""SELECT q.n, e.*
    FROM unnest(%s::int[], %s::text[], %s::text[]) AS q (n, ecosystem, name)
    CROSS JOIN LATERAL (
        SELECT s.file_id, s.qualified_name, s.kind, r.binding, r.root, r.chain, r.repository_id,
            coalesce(f.package_id, 0), r.ecosystem, coalesce(p.name, '')
        FROM {symbol} s
        JOIN {file} f ON f.id = s.file_id
        JOIN {reference} r ON r.file_id = s.file_id AND r.kind = 'type'
            AND r.ecosystem = q.ecosystem
            AND r.caller IN (s.qualified_name || {receiver},
                left(s.qualified_name, -1 - length(s.name)) || {receiver})
        LEFT JOIN {package} p ON p.id = f.package_id
        WHERE s.name = q.name AND s.repository_id = ANY(%s::bigint[])
        ORDER BY s.id LIMIT {most_extensions}) AS e""")
DECLARED: Final = _sql("""SELECT q.n, d.name, d.required, d.pinned, d.alias
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, package)
    JOIN {package} p ON p.id = q.package
    JOIN {package} above ON above.repository_id = p.repository_id
        AND above.ecosystem = p.ecosystem AND {applies}
    JOIN {dependency} d ON d.package_id = above.id AND NOT d.locked
    WHERE p.repository_id = ANY(%s::bigint[])
    ORDER BY length(above.root) DESC, above.id, d.id""")
REQUIREMENT_OF: Final = _sql("""SELECT q.n, d.name, d.required, d.pinned, d.alias
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, package, name)
    JOIN {package} p ON p.id = q.package
    JOIN {package} above ON above.repository_id = p.repository_id
        AND above.ecosystem = p.ecosystem AND {applies}
    JOIN {dependency} d ON d.package_id = above.id AND d.name = q.name
    WHERE p.repository_id = ANY(%s::bigint[])
    ORDER BY d.locked, length(above.root) DESC, above.id, d.id""")
REQUIRED: Final = _sql("""SELECT DISTINCT q.n, d.name
    FROM unnest(%s::int[], %s::text[], %s::text[]) AS q (n, ecosystem, distribution)
    JOIN {package} p ON p.name = q.distribution AND p.ecosystem = q.ecosystem
    JOIN {dependency} d ON d.package_id = p.id AND NOT d.locked
    WHERE p.repository_id = ANY(%s::bigint[])""")
FIRST_NAMES: Final = _sql("""SELECT DISTINCT q.n, split_part(m.name, '.', 1)
    FROM unnest(%s::int[], %s::text[], %s::text[]) AS q (n, ecosystem, distribution)
    JOIN {package} p ON p.name = q.distribution AND p.ecosystem = q.ecosystem
    JOIN {module} m ON m.package_id = p.id AND m.public
    WHERE p.repository_id = ANY(%s::bigint[])""")
TOP_LEVEL: Final = _sql("""SELECT DISTINCT q.n, s.file_id, s.kind
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, package, name)
    JOIN {package} p ON p.id = q.package
    JOIN {symbol} s ON s.name = q.name AND s.repository_id = p.repository_id
        AND s.qualified_name = q.name AND s.exported
    JOIN {file} f ON f.id = s.file_id AND f.package_id = q.package
    WHERE p.repository_id = ANY(%s::bigint[])""")
SHARED_MEMBERS: Final = _sql("""SELECT q.n, s.file_id, s.qualified_name, s.kind
    FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
        AS q (n, repository, package, name, paths)
    JOIN {symbol} s ON s.name = q.name AND s.repository_id = q.repository AND s.kind = 'method'
    JOIN {file} f ON f.id = s.file_id AND coalesce(f.package_id, 0) = q.package
        AND f.path ~ ('^(?:' || q.paths || ')$')
    WHERE s.repository_id = ANY(%s::bigint[])""")
SCIP_DEFINITIONS: Final = _sql("""SELECT DISTINCT q.n, d.file_id, d.qualified_name,
        coalesce(own.kind, '')
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, repository, symbol)
    JOIN {scip_symbol} x ON x.text = q.symbol AND x.repository_id = q.repository
    {of_symbol}
    WHERE x.repository_id = ANY(%s::bigint[])""")
SCIP_PROVIDERS: Final = _sql("""SELECT DISTINCT q.n, d.file_id, d.qualified_name,
        coalesce(own.kind, '')
    FROM unnest(%s::int[], %s::text[], %s::text[], %s::text[])
        AS q (n, ecosystem, distribution, symbol)
    JOIN {scip_symbol} x ON x.text = q.symbol
    {of_symbol}
    JOIN {package} p ON p.id = f.package_id AND p.ecosystem = q.ecosystem
        AND p.name = q.distribution
    WHERE x.repository_id = ANY(%s::bigint[])""")
IN_PACKAGE: Final = _sql("""SELECT DISTINCT q.n, s.file_id, s.qualified_name, s.kind, f.path
    FROM unnest(%s::int[], %s::text[], %s::text[], %s::text[])
        AS q (n, ecosystem, distribution, name)
    JOIN {package} p ON p.name = q.distribution AND p.ecosystem = q.ecosystem
    JOIN {symbol} s ON s.name = split_part(q.name, '.', -1) AND s.repository_id = p.repository_id
        AND s.qualified_name = q.name
    JOIN {file} f ON f.id = s.file_id AND f.package_id = p.id
    WHERE p.repository_id = ANY(%s::bigint[])""")
FILES: Final = _sql("""SELECT q.n, f.path, f.repository_id, coalesce(f.package_id, 0)
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, file)
    JOIN {file} f ON f.id = q.file
    WHERE f.repository_id = ANY(%s::bigint[])""")
