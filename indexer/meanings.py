"""What a path of names may stand for, as far as its file tells."""

from enum import Enum, auto
from typing import Final, NamedTuple

from indexer.relations import Access, Binding


class Sort(Enum):
    """What a name is written as: languages keep names of some sorts apart."""

    VALUE = auto()
    RECEIVER = auto()
    CALLEE = auto()
    TYPE = auto()


class Value(NamedTuple):
    """The thing root.chain itself (PATH), an instance of it, what calling it gives, or its base;
    with a `member`, that member of it. Without a root, nothing is known.
    """

    binding: Binding
    root: str = ""
    chain: tuple[str, ...] = ()
    access: Access = Access.PATH
    member: str = ""


UNKNOWN: Final = Value(Binding.UNKNOWN)


def ends_in_call(value: Value) -> bool:
    """Whether it is a method, of which a member can only be one of its result."""
    if value.access is Access.PATH and value.binding is not Binding.UNKNOWN:
        return (value.chain or value.root.split("."))[-1][:1].islower()
    return value.access is Access.INSTANCE and bool(value.member)


def instance(value: Value) -> Value:
    """An instance of the class that `value` is."""
    if value.access is Access.PATH and value.binding is not Binding.UNKNOWN:
        return value._replace(access=Access.INSTANCE)
    return UNKNOWN
