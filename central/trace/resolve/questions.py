"""What resolution asks, and the definitions that it answers."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias


class Path(NamedTuple):
    """What does an import path mean to a file in this place?

    `is_own`: in the module itself, and not what that gives on by wildcard.
    """

    repository: int
    package: int
    ecosystem: str
    path: str
    is_own: bool = False


class GivenOn(NamedTuple):
    """What does a module give on without naming it? Asked once, whatever name is looked for."""

    repository: int
    package: int
    module: str


class Limit(NamedTuple):
    """No question: a limit that an answer met, kept for the receipt."""

    reason: str


class Named(NamedTuple):
    """What does root.chain mean in a file? `caller` is where it stands."""

    file: int
    repository: int
    package: int
    ecosystem: str
    binding: str
    root: str
    chain: str
    caller: str


class Free(NamedTuple):
    """What does a name mean that the file does not bind?"""

    file: int
    repository: int
    package: int
    ecosystem: str
    root: str
    chain: str
    caller: str


class Members(NamedTuple):
    """What does `names` mean, seen from a definition?"""

    file: int
    name: str
    names: tuple[str, ...]


class Classes(NamedTuple):
    """Of which classes is an instance of this, or what it gives when called?"""

    file: int
    name: str


class Bases(NamedTuple):
    """Which classes does a class name as its bases, in order?"""

    file: int
    name: str


class Lineage(NamedTuple):
    """Which classes does a class inherit from, nearest first, without itself?"""

    file: int
    name: str


class Reached(NamedTuple):
    """What is reached by this access from what `origin` means?"""

    origin: Path | Named
    access: str
    name: str


class Untold(NamedTuple):
    """Does this lead to something in sight of which no class is told?"""

    origin: Named


Key: TypeAlias = tuple[int, str]  # file and qualified name

FUNCTIONS = frozenset({"function", "method"})


class Thing(NamedTuple):
    """A definition that something leads to.

    `sure`: nothing on the way was a guess. `trail` are the files that gave the name on. `receiver`
    is the class (file, name) in which a member was looked for, where it was one of an instance.
    """

    file: int
    name: str
    kind: str
    sure: bool = True
    rule: str = ""
    trail: tuple[int, ...] = ()
    receiver: Key | None = None

    @property
    def key(self) -> Key:
        """What tells definitions apart."""
        return self.file, self.name


def last_name(dotted: str) -> str:
    """`Auth.verify` → `verify`."""
    return dotted.rpartition(".")[2]


def surest(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """Each definition once, by the surest and shortest way."""
    best: dict[Key, Thing] = {}
    for thing in things:
        known = best.get(thing.key)
        if known is None or _rank(thing) > _rank(known):
            best[thing.key] = thing
    return tuple(best.values())


def after(things: Iterable[Thing], earlier: Thing) -> list[Thing]:
    """`things` as found on from `earlier`: no surer than it, and by its way."""
    return [
        thing._replace(
            sure=thing.sure and earlier.sure,
            rule=earlier.rule or thing.rule,
            trail=earlier.trail + thing.trail,
        )
        for thing in things
    ]


def _rank(thing: Thing) -> tuple[bool, int]:
    return thing.sure, -len(thing.trail)
