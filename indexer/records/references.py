"""References, imports and exports of a file.

Everything here is a pure function of one file. Central resolves, per request, what depends on
another file: the module of a path, the definition of a reference.

Paths of imports and exports are normalised to one form, `<module>.<name>.<name>…`, so that a
definition is found by comparing strings (docs/reference/trace.md). A path that begins with "/"
starts at the repository's root and is visible in that repository only.
"""

from enum import StrEnum
from typing import Final, NamedTuple

MODULE_PATH_BYTES: Final = 1_000  # of UTF-8: a path is a key of indexes, which have limits


# Before a directory from which a file of Python imports, among the names of its module.
SEARCHED: Final = "?"
ANY_DIRECTORY: Final = "*/"  # begins the name of a header by the end of its path
USED_NAMESPACE: Final = "using "  # begins the path of an import of a namespace's names (C++)


def cut_path(path: str) -> str:
    """Cut a module's, an import's or an export's path to its storable length."""
    if len(path) <= MODULE_PATH_BYTES and path.isascii():
        return path
    return path.encode()[:MODULE_PATH_BYTES].decode(errors="ignore")


class ReferenceKind(StrEnum):
    """How a name is used. `TYPE` is no use: it states the type of `caller` or of its result."""

    CALL = "call"
    NEW = "new"
    DECORATE = "decorate"
    INHERIT = "inherit"
    ELEMENT = "element"  # JSX
    VALUE = "value"  # passed as an argument
    TYPE = "type"


class Binding(StrEnum):
    """What a reference's `root` is bound to, within its own file."""

    LOCAL = "local"  # a definition of this file: `root` is its qualified name
    IMPORT = "import"  # an import of this file: `root` is the import's local name
    FREE = "free"  # not bound in this file: from the namespace, a wildcard import or the language
    UNKNOWN = "unknown"  # an unknown value; `root` and `chain` are empty


class Access(StrEnum):
    """How `name` is reached from `root` and `chain`."""

    PATH = "path"  # root.chain is the definition itself; `name` is its last component as written
    INSTANCE = "instance"  # `name` is a member of an instance of the type root.chain
    RESULT = "result"  # `name` is a member of the result of calling root.chain
    BASE = "base"  # `name` is a member of a base of the class root.chain: super().name()


# Names in a chain, and in a TYPE reference's caller, of parts of values that no program names. The
# items of a tuple are named by their places: "0".
ELEMENT: Final = "[]"  # what an index leads to
EACH: Final = "*"  # what iterating gives
NAMED: Final = "[*]"  # a member of any name, by an index signature; but of no name that follows
OF_EVERY_OBJECT: Final = frozenset(
    ("constructor", "hasOwnProperty", "isPrototypeOf", "toLocaleString", "toString", "valueOf")
)
CALLED: Final = "()"  # what calling the value gives
OBJECT: Final = "{}"  # the object that a function returns, as the class of its members
# Of a class: what a call of its name gives, if an object of that name decides it (Scala, Kotlin).
CLASS_CALL: Final = "^()"
# Of a class whose instances, as attributes of another class, give what this method does (Python).
DESCRIPTOR_METHOD: Final = "__get__"
CALL_METHOD: Final = "__call__"  # what calling an instance calls (Python)
# In a chain: what follows leads from a value to a function that it holds, and is no member (see
# `indexer.resolution.value`). At the end of a TYPE reference's caller: what that holds.
HELD: Final = "="
# After HELD: the function without a name that the one before it returns.
CLOSURE: Final = "=>"
CONSTRUCTOR_METHODS: Final = ("__init__", "constructor")  # what making an instance passes things to
# Before the name of what is called, as the name of a TYPE reference: what a call passes.
PASSED: Final = "^"
# What `with` and `async with` call of what they are given; what has neither gives itself (Python).
ENTER_METHODS: Final = ("__enter__", "__aenter__")
# After the name of an extension member, or of the scope of several: the value that it is called on.
RECEIVER: Final = "^"
# After the local name of an import that a scope binds to another path than the scopes around it or
# before it do, with a number: `load^1`.
INNER: Final = "^"


def argument(place: int) -> str:
    """Return the name, in a chain, of what a function is given at a place: "(0)"."""
    return f"({place})"


def is_argument(name: str) -> bool:
    """Whether a name in a chain is what a function is given."""
    return name[:1] == "(" and name != CALLED


class Reference(NamedTuple):
    """A use of a name.

    `caller` is the qualified name of the innermost enclosing function, method or class, "" at the
    file's top level. For INHERIT it is the inheriting class; bases are read in order of position.
    For TYPE it is the function, field or variable that has the type, and the type is root.chain
    (INSTANCE), that class itself (PATH, `type[Item]`), the subclass of it whose member it is (BASE,
    Python's `Self`), or the result of calling root.chain (RESULT); `name` is then "". `chain` is
    dotted, without `root`; each part is a member of the value before it, or of the result of
    calling that value: central decides by their types. `line` is 1-based, `column` 0-based in
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
    """A name that a file binds to a definition or module of another file.

    `local` is "" for a wildcard, and dotted if the language binds so (`import a.b` in Python). With
    INNER it is that of one scope.
    `module` is as written. `path` is normalised: a module, or a module and names in it.
    """

    local: str
    module: str
    path: str
    wildcard: bool
    line: int


class Export(NamedTuple):
    """A name under which a file re-exports a definition that has another name or file.

    `path` is a normalised import path or, if `is_local`, a qualified name of this file. `name` is
    `ns.g` for a member of an object that is a definition of another name (`ns = { g: h }`), and ""
    for the module's own value (`module.exports = f`) and for a wildcard, which re-exports every
    exported name of `path`. A local one whose path is its name is declared here and defined
    elsewhere: C's prototypes.
    """

    name: str
    path: str
    is_local: bool
    wildcard: bool
