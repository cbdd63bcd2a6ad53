"""The value of a path of names, as far as its file determines it."""

from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

from indexer.records.files import NAME_CHARACTERS
from indexer.records.references import EACH, ELEMENT, Access, Binding, Reference, ReferenceKind

if TYPE_CHECKING:
    from indexer.resolution.scopes import Scope

# Module constants because these are read for each name: looking a member up on its enumeration
# takes half as long as creating a tuple.
LOCAL: Final = Binding.LOCAL
IMPORT: Final = Binding.IMPORT
FREE: Final = Binding.FREE
PATH: Final = Access.PATH
INSTANCE: Final = Access.INSTANCE
RESULT: Final = Access.RESULT
BASE: Final = Access.BASE


class NameRole(Enum):
    """The syntactic role of a name. Some languages have a namespace for some roles."""

    VALUE = auto()
    RECEIVER = auto()
    CALLEE = auto()
    TYPE = auto()


VALUE: Final = NameRole.VALUE
RECEIVER: Final = NameRole.RECEIVER
CALLEE: Final = NameRole.CALLEE
TYPE: Final = NameRole.TYPE


class WrittenType(NamedTuple):
    """A type of which parts have types too, where it is written: `list[Item]`, `() => Item`.

    `taken` are the names of the parts that lead to the value (indexer/syntax/containers.py).
    """

    text: str
    scope: "Scope"
    offset: int
    taken: tuple[str, ...] = ()


class Items(NamedTuple):
    """What a function over items gives: `sorted(items)`, or a literal of them: each is a value.

    `paths` lead to it, such as `values`, CALLED, EACH; `taken` are the names of one that were read.
    """

    each: "Value"
    paths: frozenset[tuple[str, ...]] = frozenset({(EACH,), (ELEMENT,)})
    taken: tuple[str, ...] = ()


class Value(NamedTuple):
    """The object root.chain itself (PATH), an instance, a call's result or a base class of it.

    With a `member`, that member of it. UNKNOWN is the only unknown value. `written` is the type of
    a container or function, or what its items are. With `is_self` it is the class around a method,
    or an instance of it, so in a subclass it is that.
    """

    binding: Binding
    root: str = ""
    chain: tuple[str, ...] = ()
    access: Access = PATH
    member: str = ""
    written: WrittenType | Items | None = None
    is_self: bool = False

    @property
    def path(self) -> str:
        """The dotted names of the object."""
        return ".".join((self.root, *self.chain))


UNKNOWN: Final = Value(Binding.UNKNOWN)
MAX_CHAIN: Final = 8  # names between a root and its member


def is_method_access(value: Value) -> bool:
    """Whether the value is a method, so that its members are members of its result."""
    if value.access is PATH and value is not UNKNOWN:
        return (value.chain or value.root.split("."))[-1][:1].islower()
    return bool(value.member)


def member_value(value: Value, access: Access) -> Value:
    """Return the value of its member (INSTANCE) or the result of calling it (RESULT)."""
    if not value.member or value.access is BASE or len(value.chain) >= MAX_CHAIN:
        return UNKNOWN
    return Value(value.binding, value.root, (*value.chain, value.member), access)


def as_instance(value: Value) -> Value:
    """Return an instance of the class `value`."""
    if value.access is PATH and value is not UNKNOWN:
        return Value(
            value.binding, value.root, value.chain, INSTANCE, value.member, None, value.is_self
        )
    return UNKNOWN


def type_reference(owner: str, value: Value, position: tuple[int, int]) -> Reference:
    """Return the TYPE reference that tells the type of `owner`, a definition or a part of it."""
    return Reference(
        ReferenceKind.TYPE,
        "",
        value.binding,
        value.root[:NAME_CHARACTERS],
        ".".join(value.chain)[:NAME_CHARACTERS],
        value.access,
        owner[:NAME_CHARACTERS],
        *position,
    )
