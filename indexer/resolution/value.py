"""What a path of names may stand for, as far as its file tells."""

from enum import Enum, auto
from typing import Final, NamedTuple

from indexer.records.references import Access, Binding

# Of what is asked for with each name: to look a member up on its enumeration takes half as long as
# to make a tuple.
LOCAL: Final = Binding.LOCAL
IMPORT: Final = Binding.IMPORT
FREE: Final = Binding.FREE
PATH: Final = Access.PATH
INSTANCE: Final = Access.INSTANCE
RESULT: Final = Access.RESULT
BASE: Final = Access.BASE


class NameRole(Enum):
    """What a name is written as: languages keep names of some sorts apart."""

    VALUE = auto()
    RECEIVER = auto()
    CALLEE = auto()
    TYPE = auto()


VALUE: Final = NameRole.VALUE
RECEIVER: Final = NameRole.RECEIVER
CALLEE: Final = NameRole.CALLEE
TYPE: Final = NameRole.TYPE


class Value(NamedTuple):
    """The thing root.chain itself (PATH), an instance of it, what calling it gives, or its base;
    with a `member`, that member of it. Of what nothing is known is UNKNOWN itself.
    """

    binding: Binding
    root: str = ""
    chain: tuple[str, ...] = ()
    access: Access = PATH
    member: str = ""


UNKNOWN: Final = Value(Binding.UNKNOWN)
MAX_CHAIN: Final = 8  # of names between a root and what is asked of it


def is_method_access(value: Value) -> bool:
    """Whether it is a method, of which a member can only be one of its result."""
    if value.access is PATH and value is not UNKNOWN:
        return (value.chain or value.root.split("."))[-1][:1].islower()
    return bool(value.member)


def member_value(value: Value, access: Access) -> Value:
    """The member that it is (INSTANCE) or what calling that gives (RESULT), to go on from."""
    if not value.member or value.access is BASE or len(value.chain) >= MAX_CHAIN:
        return UNKNOWN
    return Value(value.binding, value.root, (*value.chain, value.member), access)


def as_instance(value: Value) -> Value:
    """An instance of the class that `value` is."""
    if value.access is PATH and value is not UNKNOWN:
        return Value(value.binding, value.root, value.chain, INSTANCE, value.member)
    return UNKNOWN
