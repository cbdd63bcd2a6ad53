"""Questions that rules answer by asking others (`central.trace.rules`); Things answer them all."""

from typing import NamedTuple


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
