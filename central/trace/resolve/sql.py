"""Questions that one SQL statement answers for any number of them at once.

The fields of a question are the statement's columns; each row begins with the question's number.
The last parameter of every statement is the ids of the visible repositories.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from central.trace.resolve import statements


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

    Others count only where a language spreads a class over files, or if the file declares the name
    and does not define it (C's headers).
    """

    file: int
    name: str


class DefinitionRow(NamedTuple):
    """A definition; `kind` is "" for a field known from a TYPE reference alone.

    It is not certain if nothing but the name tells that it is what another file declares.
    """

    file: int
    kind: str
    is_certain: bool = True


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


class NameRow(NamedTuple):
    """A name: of a scope, whose files see one another's definitions, or a directory, nearest first;

    of a decorator, without its path; of a declared dependency; or the first one of a module.
    """

    name: str


class Searched(NamedTuple):
    """From which directories does a file of Python import beside the usual ones?"""

    file: int


class PathEnds(NamedTuple):
    """Which files of a repository have a path that ends like this? Some more than count."""

    repository: int
    end: str


class PathRow(NamedTuple):
    """A file's path."""

    path: str


class NamedBases(NamedTuple):
    """What does this class name as its bases, in each file that defines a part of it?"""

    file: int
    name: str


class BaseRow(NamedTuple):
    """An INHERIT reference: those of the class's own file first, in order of position."""

    file: int
    binding: str
    root: str
    chain: str
    repository: int
    package: int
    ecosystem: str
    symbol: str = ""


class Decorators(NamedTuple):
    """How is this definition decorated?"""

    file: int
    name: str


class ScipDefinitions(NamedTuple):
    """Which definitions does the index of this repository name so?"""

    repository: int
    symbol: str


class ScipProviders(NamedTuple):
    """Which definitions of repositories that declare this distribution are named so?"""

    ecosystem: str
    distribution: str
    symbol: str


class SymbolRow(NamedTuple):
    """A definition that a symbol names, or a shared method; `kind` is "" for a field."""

    file: int
    name: str
    kind: str


class InPackage(NamedTuple):
    """Which definitions of this qualified name have the visible packages of a distribution?"""

    ecosystem: str
    distribution: str
    name: str


class PackageRow(NamedTuple):
    """A definition, and the path of its file."""

    file: int
    name: str
    kind: str
    path: str


class Typing(NamedTuple):
    """What is the type of this variable or function result?"""

    file: int
    name: str


class TypingRow(NamedTuple):
    """A TYPE reference, in order of position."""

    binding: str
    root: str
    chain: str
    access: str
    repository: int
    package: int
    ecosystem: str


class HeldRows(NamedTuple):
    """What does a file say that this holds, or an item whose name begins like this?"""

    file: int
    name: str
    beginning: str


class FlowRow(NamedTuple):
    """A TYPE reference that tells what function its caller holds."""

    binding: str
    root: str
    chain: str
    access: str
    repository: int
    package: int
    ecosystem: str
    caller: str
    line: int
    column: int


class PassedRows(NamedTuple):
    """What do calls of what has this name pass, at one of two places? `file` 0: in any file."""

    called: str
    file: int
    place: str
    keyword: str


class PassedRow(NamedTuple):
    """A call, and the binding, root and chain of a value that it passes."""

    file: int
    binding: str
    root: str
    chain: str
    access: str
    name: str
    repository: int
    package: int
    ecosystem: str
    value_binding: str
    value_root: str
    value_chain: str
    line: int
    column: int


class Extensions(NamedTuple):
    """Which extension members have this name, and which type do they extend?"""

    ecosystem: str
    name: str


class ExtensionRow(NamedTuple):
    """An extension member and the type of its receiver, which is any if `binding` is unknown."""

    file: int
    name: str
    kind: str
    binding: str
    root: str
    chain: str
    repository: int
    package: int
    ecosystem: str
    distribution: str

    @property
    def key(self) -> tuple[int, str]:
        """The identity of the definition."""
        return self.file, self.name


class Declared(NamedTuple):
    """On what do a package and those above it in its repository depend?"""

    package: int


class Requirement(NamedTuple):
    """A declared dependency; the nearest package's first. `alias`: see `renamed`."""

    name: str
    required: str
    pinned: str
    alias: str = ""


class RequirementOf(NamedTuple):
    """How do a package and those above it, or else their lock files, ask for a distribution?"""

    package: int
    name: str


class Required(NamedTuple):
    """On what do the visible packages of this distribution depend?"""

    ecosystem: str
    distribution: str


class FirstNames(NamedTuple):
    """With which names do the public modules of this distribution begin?"""

    ecosystem: str
    distribution: str


class TopLevel(NamedTuple):
    """Which files of a package define and export this name at their top level?"""

    package: int
    name: str


class SharedMembers(NamedTuple):
    """Which methods of this name are in the package's files with such paths?"""

    repository: int
    package: int
    name: str
    paths: str


class Files(NamedTuple):
    """What are the path, repository and package of this file?"""

    file: int


class FileRow(NamedTuple):
    """A file's path, repository and package."""

    path: str
    repository: int
    package: int


STATEMENTS: Final[dict[type, tuple[str, Callable[..., Any]]]] = {
    ScipDefinitions: (statements.SCIP_DEFINITIONS, SymbolRow),
    ScipProviders: (statements.SCIP_PROVIDERS, SymbolRow),
    InPackage: (statements.IN_PACKAGE, PackageRow),
    Modules: (statements.MODULES, ModuleRow),
    Definitions: (statements.DEFINITIONS, DefinitionRow),
    SameScopeDefinitions: (statements.SAME_SCOPE_DEFINITIONS, DefinitionRow),
    Exported: (statements.EXPORTED, ExportRow),
    DefaultExports: (statements.DEFAULT_EXPORTS, ExportRow),
    Imports: (statements.IMPORTS, ImportRow),
    Wildcards: (statements.WILDCARDS, ImportRow),
    Scopes: (statements.SCOPES, NameRow),
    PathEnds: (statements.PATH_ENDS, PathRow),
    Searched: (statements.SEARCHED, NameRow),
    NamedBases: (statements.NAMED_BASES, BaseRow),
    Decorators: (statements.DECORATORS, NameRow),
    Typing: (statements.TYPING, TypingRow),
    HeldRows: (statements.HELD_ROWS, FlowRow),
    PassedRows: (statements.PASSED_ROWS, PassedRow),
    Extensions: (statements.EXTENSIONS, ExtensionRow),
    Declared: (statements.DECLARED, Requirement),
    RequirementOf: (statements.REQUIREMENT_OF, Requirement),
    Required: (statements.REQUIRED, NameRow),
    FirstNames: (statements.FIRST_NAMES, NameRow),
    TopLevel: (statements.TOP_LEVEL, DefinitionRow),
    SharedMembers: (statements.SHARED_MEMBERS, SymbolRow),
    Files: (statements.FILES, FileRow),
}
