"""What resolution reads: questions that one statement answers for any number of them at once.

The fields of a question are the statement's columns; each row begins with the question's number.
The last parameter of every statement is the ids of the visible repositories.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from central.trace.resolve import statements


class Place(NamedTuple):
    """Where a file stands; it decides what the file's imports mean. `package` 0: in none."""

    repository: int
    package: int
    ecosystem: str


class Modules(NamedTuple):
    """Which modules has the repository, or in public any other, of this name?"""

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


class Near(NamedTuple):
    """Which files define this qualified name: the file itself, or those of its scope?

    The latter only where a language spreads a class over files.
    """

    file: int
    name: str


class Definition(NamedTuple):
    """A definition; `kind` "" for a field that only a TYPE reference tells of."""

    file: int
    kind: str


class Exported(NamedTuple):
    """What does a module give on under this name?"""

    repository: int
    package: int
    module: str
    name: str


class Unnamed(NamedTuple):
    """What does a module give on as itself, or by wildcard?"""

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
    """In which scopes is a file?"""

    file: int


class ScopeRow(NamedTuple):
    """A name under which files see one another's definitions."""

    name: str


class Typing(NamedTuple):
    """What are the bases of this class, the type of this variable, the result of this function?"""

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
    """What do a package, and those above it in its repository, depend on?"""

    package: int


class Requirement(NamedTuple):
    """A declared dependency; the nearest package's first."""

    name: str
    required: str
    pinned: str


class TopLevel(NamedTuple):
    """Which files of a package define this name at their top level, for others to use?"""

    package: int
    name: str


class Places(NamedTuple):
    """Where is this file?"""

    file: int


class PlaceRow(NamedTuple):
    """A file's path, repository and package."""

    path: str
    repository: int
    package: int


STATEMENTS: Final[dict[type, tuple[str, Callable[..., Any]]]] = {
    Modules: (statements.MODULES, ModuleRow),
    Definitions: (statements.DEFINITIONS, Definition),
    Near: (statements.NEAR, Definition),
    Exported: (statements.EXPORTED, ExportRow),
    Unnamed: (statements.UNNAMED, ExportRow),
    Imports: (statements.IMPORTS, ImportRow),
    Wildcards: (statements.WILDCARDS, ImportRow),
    Scopes: (statements.SCOPES, ScopeRow),
    Typing: (statements.TYPING, TypingRow),
    Declared: (statements.DECLARED, Requirement),
    TopLevel: (statements.TOP_LEVEL, Definition),
    Places: (statements.PLACES, PlaceRow),
}
