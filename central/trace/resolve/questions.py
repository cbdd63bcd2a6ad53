"""Questions of resolution, and the definitions that answer them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias


class ImportPath(NamedTuple):
    """What does an import path mean to a file of this repository, package and ecosystem?

    `is_own`: in the module itself, without what it re-exports by wildcard.
    """

    repository: int
    package: int
    ecosystem: str
    path: str
    is_own: bool = False


class ScipMeaning(NamedTuple):
    """What does a symbol of an index mean to a file of this repository and package?

    Answered by (definitions, whether nothing else may be meant).
    """

    repository: int
    package: int
    symbol: str


class ImportedModules(NamedTuple):
    """Which modules are an import path, to a file of this repository, package and ecosystem?"""

    repository: int
    package: int
    ecosystem: str
    path: str


class ImportStatement(NamedTuple):
    """What does an import of this file name? Answered by (definitions, modules)."""

    file: int
    repository: int
    package: int
    ecosystem: str
    path: str


class Reexports(NamedTuple):
    """What does a module re-export without naming it? Asked once for all names."""

    repository: int
    package: int
    module: str


class ComeAlong(NamedTuple):
    """Which distributions do the declared dependencies of a package require?"""

    package: int
    ecosystem: str


class Limit(NamedTuple):
    """A limit that an answer has met, recorded for the receipt."""

    reason: str


class NameInFile(NamedTuple):
    """What does root.chain mean in a file? `caller` is the definition around it."""

    file: int
    repository: int
    package: int
    ecosystem: str
    binding: str
    root: str
    chain: str
    caller: str


class UnboundName(NameInFile):
    """What does a name mean that its file does not bind?"""

    __slots__ = ()


Key: TypeAlias = tuple[int, str]  # file and qualified name


class Members(NamedTuple):
    """What does `names` mean, seen from a definition, which the subclass may inherit?"""

    file: int
    name: str
    names: tuple[str, ...]
    inherited_by: Key | None = None


class Classes(NamedTuple):
    """Of which classes is the value of this definition, or its result when called?"""

    file: int
    name: str
    inherited_by: Key | None = None


class Bases(NamedTuple):
    """Which classes does a class name as its bases, in order?"""

    file: int
    name: str


class Ancestors(NamedTuple):
    """Which classes does a class inherit from, nearest first, without itself?"""

    file: int
    name: str


class Constructors(NamedTuple):
    """Which members does making an instance of a class call?"""

    file: int
    name: str
    ecosystem: str


class MemberAccess(NamedTuple):
    """What does this access reach from the meaning of `origin`?"""

    origin: ImportPath | NameInFile
    access: str
    name: str


class ExtensionAccess(NamedTuple):
    """Which extension member does this access reach? Asked only where its class has no such."""

    origin: NameInFile
    access: str
    name: str


class ImportedAccess(NamedTuple):
    """What does an access reach from import paths as written, or else from modules beside the file?

    `beside` asks for both.
    """

    as_written: tuple[MemberAccess, ...]
    beside: MemberAccess


class Flow(NamedTuple):
    """Which functions may a value be to which a chain leads that has HELD and further steps?

    `site` is the file, line and column of the last call, if that is known.
    """

    origin: NameInFile
    site: tuple[int, ...] = ()


class Held(NamedTuple):
    """Which functions does a function return, or a variable, a field or an item of one hold?"""

    file: int
    name: str
    site: tuple[int, ...] = ()


class Passed(NamedTuple):
    """Which functions do callers of a function pass as this parameter: `0=name`?

    `site`: a call that gives it back gives what it passes itself; if nothing tells which call that
    is (an empty one), nothing is known but of a single function.
    """

    file: int
    name: str
    parameter: str
    site: tuple[int, ...] | None = None


class Outside(NamedTuple):
    """Is what this access reaches from `origin` outside of what is visible?

    Asked only of what has no visible definition. `is_indirect`: by the type of a definition, or as
    a member of a member.
    """

    origin: ImportPath | NameInFile
    access: str
    name: str
    is_indirect: bool = False

    def of_path(self, repository: int, package: int, ecosystem: str, path: str) -> "Outside":
        """Return the same question of an import path."""
        return self._replace(origin=ImportPath(repository, package, ecosystem, path))


class OutsideBases(NamedTuple):
    """May a class inherit this member from a class outside of what is visible?"""

    file: int
    name: str
    member: str


FUNCTIONS = frozenset({"function", "method"})


class ResolvedDefinition(NamedTuple):
    """A definition that answers a question, and how it was reached.

    `is_certain`: no step was a guess. `via_files` are the files that re-export the name. `receiver`
    is the class (file, name) of the instance whose member this is. `is_alias`: a variable that
    stands for another definition, which is found too. `inherited_by` is the subclass whose member
    it is, if a base class defines it: two subclasses may lead to one member and go on differently.
    `model`: the library, with its versions, whose model told a step.
    """

    file: int
    name: str
    kind: str
    is_certain: bool = True
    rule: str = ""
    via_files: tuple[int, ...] = ()
    receiver: Key | None = None
    is_alias: bool = False
    inherited_by: Key | None = None
    model: str = ""

    @property
    def key(self) -> Key:
        """The identity of a definition."""
        return self.file, self.name


def last_name(dotted: str) -> str:
    """`Auth.verify` → `verify`."""
    return dotted.rpartition(".")[2]


def enclosing_names(dotted: str) -> Iterator[str]:
    """Yield a name and those around it: `a.b.c` → `a.b.c`, `a.b`, `a`."""
    while dotted:
        yield dotted
        dotted = dotted.rpartition(".")[0]


def best_candidates(candidates: Iterable[ResolvedDefinition]) -> tuple[ResolvedDefinition, ...]:
    """Return each definition once, as reached with most certainty and fewest re-exports."""
    best: dict[tuple[int, str, Key | None], ResolvedDefinition] = {}
    for candidate in candidates:
        identity = (candidate.file, candidate.name, candidate.inherited_by)
        known = best.get(identity)
        if known is None or _rank(candidate) > _rank(known):
            best[identity] = candidate
    return tuple(best.values())


def reached_via(
    candidates: Iterable[ResolvedDefinition], earlier: ResolvedDefinition
) -> list[ResolvedDefinition]:
    """Return `candidates` as reached through `earlier`: no more certain, by its rule and files."""
    return [
        candidate._replace(
            is_certain=candidate.is_certain and earlier.is_certain,
            rule=earlier.rule or candidate.rule,
            via_files=earlier.via_files + candidate.via_files,
            model=candidate.model or earlier.model,
        )
        for candidate in candidates
    ]


def reached_via_each(
    earlier: Iterable[ResolvedDefinition], answers: Iterable[Iterable[ResolvedDefinition]]
) -> Iterator[ResolvedDefinition]:
    """Yield what the question about each definition was answered with, as reached through it."""
    for definition, answer in zip(earlier, answers, strict=True):
        yield from reached_via(answer, definition)


def _rank(candidate: ResolvedDefinition) -> tuple[bool, int]:
    return candidate.is_certain, -len(candidate.via_files)
