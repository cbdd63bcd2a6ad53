"""Questions that one SQL statement answers for any number of them at once.

The fields of a question are the statement's columns; each row begins with the question's number.
The last parameter of every statement is the ids of the visible repositories.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

# Where a class's members may stand in other files than the class: methods of a Go type, partial
# classes, reopened modules, extensions.
_SPLIT_CLASSES: Final = "('go', 'nuget', 'rubygems', 'swiftpm')"


class FileContext(NamedTuple):
    """The surroundings that decide what a file's imports mean; `package` 0 means none."""

    repository: int
    package: int
    ecosystem: str


class Modules(NamedTuple):
    """Which modules of this name has the repository, or any other as a public one?"""

    repository: int
    name: str


class ModuleRow(NamedTuple):
    """All files of one module name in one package; `distribution` is the package's name."""

    repository: int
    package: int
    distribution: str
    ecosystem: str
    public: bool


class Definitions(NamedTuple):
    """Which files of a module define this qualified name?"""

    repository: int
    package: int
    module: str
    name: str


class SameScopeDefinitions(NamedTuple):
    """Which files define this qualified name: the file itself, or others of its scope?

    Others count only where a language spreads a class over files.
    """

    file: int
    name: str


class DefinitionRow(NamedTuple):
    """A definition; `kind` is "" for a field known from a TYPE reference alone."""

    file: int
    kind: str


class Exported(NamedTuple):
    """What does a module re-export under this name?"""

    repository: int
    package: int
    module: str
    name: str


class DefaultExports(NamedTuple):
    """What does a module export as itself, or by wildcard?"""

    repository: int
    package: int
    module: str


class ExportRow(NamedTuple):
    """An export; `package` is its file's."""

    file: int
    name: str
    path: str
    is_local: bool
    wildcard: bool
    package: int


class Imports(NamedTuple):
    """What does a file bind to this local name?"""

    file: int
    local: str


class Wildcards(NamedTuple):
    """What does a file import without naming it?"""

    file: int


class ImportRow(NamedTuple):
    """An import."""

    path: str
    line: int


class Scopes(NamedTuple):
    """To which scopes does a file belong?"""

    file: int


class ScopeRow(NamedTuple):
    """A scope: its files see one another's definitions."""

    name: str


class Typing(NamedTuple):
    """What are the bases of this class, the type of this variable or function result?"""

    file: int
    name: str


class TypingRow(NamedTuple):
    """An INHERIT or TYPE reference, in order of position."""

    kind: str
    binding: str
    root: str
    chain: str
    access: str
    repository: int
    package: int
    ecosystem: str


class Declared(NamedTuple):
    """On what do a package and those above it in its repository depend?"""

    package: int


class Requirement(NamedTuple):
    """A declared dependency; the nearest package's first."""

    name: str
    required: str
    pinned: str


class TopLevel(NamedTuple):
    """Which files of a package define and export this name at their top level?"""

    package: int
    name: str


class Files(NamedTuple):
    """What are the path, repository and package of this file?"""

    file: int


class FileRow(NamedTuple):
    """A file's path, repository and package."""

    path: str
    repository: int
    package: int


_MODULES = """SELECT DISTINCT q.n, m.repository_id, coalesce(m.package_id, 0),
        coalesce(p.name, ''), m.ecosystem, m.public
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, repository, name)
    JOIN corpus_module m ON m.name = q.name
    LEFT JOIN corpus_package p ON p.id = m.package_id
    WHERE m.repository_id = ANY(%s::bigint[]) AND (m.public OR m.repository_id = q.repository)"""
# What `q` (n, name, file_id) has: symbols, and what has a type alone, such as a field.
_DEFINED = """SELECT q.n, s.file_id, min(s.kind)
    FROM q JOIN corpus_symbol s ON s.file_id = q.file_id AND s.qualified_name = q.name
    GROUP BY q.n, s.file_id
    UNION ALL
    SELECT DISTINCT q.n, q.file_id, ''
    FROM q JOIN corpus_reference r ON r.file_id = q.file_id AND r.caller = q.name
        AND r.kind = 'type'
    WHERE NOT EXISTS (SELECT FROM corpus_symbol s
        WHERE s.file_id = q.file_id AND s.qualified_name = q.name)"""
_DEFINITIONS = f"""WITH q AS MATERIALIZED (
        SELECT q.n, q.name, m.file_id
        FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
            AS q (n, repository, package, module, name)
        JOIN corpus_module m ON m.name = q.module AND m.repository_id = q.repository
            AND coalesce(m.package_id, 0) = q.package
        WHERE m.repository_id = ANY(%s::bigint[]))
    {_DEFINED}"""  # noqa: S608
_NEAR = f"""WITH asked AS MATERIALIZED (
        SELECT q.n, q.file, q.name
        FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, name)
        JOIN corpus_file f ON f.id = q.file WHERE f.repository_id = ANY(%s::bigint[])),
    q AS MATERIALIZED (
        SELECT n, name, file AS file_id FROM asked
        UNION
        SELECT asked.n, asked.name, b.file_id
        FROM asked JOIN corpus_module a ON a.file_id = asked.file AND a.scope
            AND a.ecosystem IN {_SPLIT_CLASSES}
        JOIN corpus_module b ON b.name = a.name AND b.repository_id = a.repository_id
            AND b.scope AND coalesce(b.package_id, 0) = coalesce(a.package_id, 0))
    {_DEFINED}"""  # noqa: S608
_EXPORTED = """SELECT q.n, e.file_id, e.name, e.path, e.is_local, e.wildcard,
        coalesce(m.package_id, 0)
    FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
        AS q (n, repository, package, module, name)
    JOIN corpus_module m ON m.name = q.module AND m.repository_id = q.repository
        AND coalesce(m.package_id, 0) = q.package
    JOIN corpus_export e ON e.file_id = m.file_id AND e.name = q.name
    WHERE m.repository_id = ANY(%s::bigint[])"""
_UNNAMED = """SELECT q.n, e.file_id, e.name, e.path, e.is_local, e.wildcard,
        coalesce(m.package_id, 0)
    FROM unnest(%s::int[], %s::bigint[], %s::bigint[], %s::text[])
        AS q (n, repository, package, module)
    JOIN corpus_module m ON m.name = q.module AND m.repository_id = q.repository
        AND coalesce(m.package_id, 0) = q.package
    JOIN corpus_export e ON e.file_id = m.file_id AND e.name = ''
    WHERE m.repository_id = ANY(%s::bigint[])"""
_IMPORTS = """SELECT q.n, i.path, i.line
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, local)
    JOIN corpus_import i ON i.file_id = q.file AND i.local = q.local
    WHERE NOT i.wildcard AND i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line, i.path"""
_WILDCARDS = """SELECT q.n, i.path, i.line
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, file)
    JOIN corpus_import i ON i.file_id = q.file AND i.local = ''
    WHERE i.wildcard AND i.repository_id = ANY(%s::bigint[])
    ORDER BY i.line, i.path"""
_SCOPES = """SELECT q.n, m.name
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, file)
    JOIN corpus_module m ON m.file_id = q.file AND m.scope
    WHERE m.repository_id = ANY(%s::bigint[])
    ORDER BY length(m.name) DESC, m.name"""
_TYPING = """SELECT q.n, r.kind, r.binding, r.root, r.chain, r.access, r.repository_id,
        coalesce(f.package_id, 0), r.ecosystem
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, file, name)
    JOIN corpus_reference r ON r.file_id = q.file AND r.caller = q.name
        AND r.kind IN ('inherit', 'type')
    JOIN corpus_file f ON f.id = r.file_id
    WHERE r.repository_id = ANY(%s::bigint[])
    ORDER BY r.line, r.column, r.id"""
_DECLARED = """SELECT q.n, d.name, d.required, d.pinned
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, package)
    JOIN corpus_package p ON p.id = q.package
    JOIN corpus_package above ON above.repository_id = p.repository_id
        AND above.ecosystem = p.ecosystem
        AND (above.root = '' OR above.root = p.root OR starts_with(p.root, above.root || '/'))
    JOIN corpus_dependency d ON d.package_id = above.id
    WHERE p.repository_id = ANY(%s::bigint[])
    ORDER BY length(above.root) DESC, above.id, d.id"""
_TOP_LEVEL = """SELECT DISTINCT q.n, s.file_id, s.kind
    FROM unnest(%s::int[], %s::bigint[], %s::text[]) AS q (n, package, name)
    JOIN corpus_package p ON p.id = q.package
    JOIN corpus_symbol s ON s.name = q.name AND s.repository_id = p.repository_id
        AND s.qualified_name = q.name AND s.exported
    JOIN corpus_file f ON f.id = s.file_id AND f.package_id = q.package
    WHERE p.repository_id = ANY(%s::bigint[])"""
_PLACES = """SELECT q.n, f.path, f.repository_id, coalesce(f.package_id, 0)
    FROM unnest(%s::int[], %s::bigint[]) AS q (n, file)
    JOIN corpus_file f ON f.id = q.file
    WHERE f.repository_id = ANY(%s::bigint[])"""

STATEMENTS: Final[dict[type, tuple[str, Callable[..., Any]]]] = {
    Modules: (_MODULES, ModuleRow),
    Definitions: (_DEFINITIONS, DefinitionRow),
    SameScopeDefinitions: (_NEAR, DefinitionRow),
    Exported: (_EXPORTED, ExportRow),
    DefaultExports: (_UNNAMED, ExportRow),
    Imports: (_IMPORTS, ImportRow),
    Wildcards: (_WILDCARDS, ImportRow),
    Scopes: (_SCOPES, ScopeRow),
    Typing: (_TYPING, TypingRow),
    Declared: (_DECLARED, Requirement),
    TopLevel: (_TOP_LEVEL, DefinitionRow),
    Files: (_PLACES, FileRow),
}
