"""What a name turns out to mean, as resolution hands it on. Pure."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

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
