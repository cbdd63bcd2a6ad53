"""References, imports and exports of a file.

Everything here is a pure function of one file. What depends on another file (which module a path
names, which definition a reference means) is worked out in central, when asked.

Paths of imports and exports are normalised to one form, `<module>.<name>.<name>…`, so that a
definition is found by comparing strings (docs/trace.md). A path that begins with "/" is meant from
the repository's root and is visible in that repository alone.
"""

from enum import StrEnum
from typing import NamedTuple

from indexer.limits import MODULE_PATH_BYTES


def cut_path(path: str) -> str:
    """As much of a module's, an import's or an export's path as can be stored."""
    if len(path) <= MODULE_PATH_BYTES and path.isascii():
        return path
    return path.encode()[:MODULE_PATH_BYTES].decode(errors="ignore")


class ReferenceKind(StrEnum):
    """How a name is used. `TYPE` is no use: it says of which type `caller` is or what it gives."""

    CALL = "call"
    NEW = "new"
    DECORATE = "decorate"
    INHERIT = "inherit"
    ELEMENT = "element"  # JSX
    VALUE = "value"  # passed as an argument
    TYPE = "type"


class Binding(StrEnum):
    """What a reference's `root` is, as far as its own file tells."""

    LOCAL = "local"  # a definition of this file: `root` is its qualified name
    IMPORT = "import"  # an import of this file: `root` is the import's local name
    FREE = "free"  # bound nowhere here: the namespace, a wildcard import or the language knows it
    UNKNOWN = "unknown"  # a value of which nothing is known; `root` and `chain` are empty


class Access(StrEnum):
    """How `name` is reached from `root` and `chain`."""

    PATH = "path"  # root.chain is the thing itself; `name` is its last component as written
    INSTANCE = "instance"  # `name` is a member of an instance of the type root.chain
    RESULT = "result"  # `name` is a member of what calling root.chain gives
    BASE = "base"  # `name` is a member of a base of the class root.chain: super().name()


class Reference(NamedTuple):
    """A use of a name.

    `caller` is the qualified name of the innermost enclosing function, method or class, "" at the
    file's top level. Of an INHERIT it is the inheriting class; bases are read in order of position.
    Of a TYPE it is the function, field or variable whose type is told, and the type is root.chain
    (INSTANCE) or what calling root.chain gives (RESULT); `name` is then "". `chain` is dotted and
    without `root`; it may go on over members of what comes before, or of what calling that gives:
    central knows by their types which. `line` is 1-based, `column` 0-based and counted in
    characters.
    """

    kind: ReferenceKind
    name: str
    binding: Binding
    root: str
    chain: str
    access: Access
    caller: str
    line: int
    column: int


class Import(NamedTuple):
    """A name that a file binds to something of another file.

    `local` is "" for a wildcard, and dotted where the language binds so (`import a.b` in Python).
    `module` is as written. `path` is normalised: a module, or a module and names in it.
    """

    local: str
    module: str
    path: str
    wildcard: bool
    line: int


class Export(NamedTuple):
    """A name under which a file gives on what is not defined under that name in it.

    `path` is a normalised import path, or, where `is_local`, a qualified name of this file.
    `name` is "" for what a module itself is (`module.exports = f`) and for a wildcard, which gives
    on every exported name of `path`.
    """

    name: str
    path: str
    is_local: bool
    wildcard: bool
