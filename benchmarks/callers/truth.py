"""What is true: definitions, and the sites that use a name, each with the definitions it means.

Made by a tool that knows nothing of this project. Lines are 1-based, columns 0-based and counted in
characters; a site is where its name begins.
"""

import gzip
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

CALLABLE = frozenset({"function", "class", "method"})
NAMED = frozenset({"value", "mention"})  # kinds of sites where a name is not applied
Place = tuple[str, str, int, int]  # project, file, line, column


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class, method or property. `public`: a name that a library means for others."""

    project: str
    file: str
    line: int
    qualified_name: str
    kind: str
    public: bool

    @property
    def name(self) -> str:
        """The last component."""
        return self.qualified_name.rpartition(".")[2]

    @property
    def container(self) -> str:
        """The enclosing class's qualified name, "" for none."""
        return self.qualified_name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Site:
    """A use: `kind` is call, new, decorate, inherit, element (JSX), value (given as an argument),
    or mention (listed, returned, raised, …), which is no call but may lead to one.

    `targets` are indexes of definitions. `judged`: the tool found what the name means, in the
    sample or outside; otherwise it is unknown. `owner` is the inheriting class's definition.
    `held`: the name is a variable's, and these are what it holds as far as its type tells.
    `receiver` says through what a member is reached: "self", "annotated parameter", "chained
    call", …; "" for a bare name.
    """

    project: str
    file: str
    line: int
    column: int
    name: str
    kind: str
    targets: tuple[int, ...]
    judged: bool
    owner: int | None = None
    held: tuple[int, ...] = ()
    receiver: str = ""

    @property
    def place(self) -> Place:
        """Where it is, comparable with what the service says."""
        return self.project, self.file, self.line, self.column


@dataclass(frozen=True)
class Truth:
    """All definitions and sites of a family.

    `unread` are files, as (project, file), of which the tool tells nothing. `implemented` are pairs
    of a type and an interface that it has all methods of, where that is nowhere declared. A
    `is_partial` truth knows some callers alone: other answers may be right too.
    """

    tool: str
    definitions: tuple[Definition, ...]
    sites: tuple[Site, ...]
    unread: frozenset[tuple[str, str]] = frozenset()
    implemented: tuple[tuple[int, int], ...] = ()
    is_partial: bool = False

    @cached_property
    def callers(self) -> dict[int, list[Site]]:
        """The sites that call a definition or hand it over."""
        return _by_target(site for site in self.sites if site.kind != "mention")

    @cached_property
    def mentions(self) -> dict[int, list[Site]]:
        """The sites that merely mention a definition, or use a variable that holds it."""
        mentioned = _by_target(site for site in self.sites if site.kind == "mention")
        for site in self.sites:
            for target in site.held:
                mentioned.setdefault(target, []).append(site)
        return mentioned

    @cached_property
    def calls_by_name(self) -> dict[str, list[Site]]:
        """What a tool that knows names alone takes for callers: all but arguments."""
        found: dict[str, list[Site]] = {}
        for site in self.sites:
            if site.kind not in NAMED:
                found.setdefault(site.name, []).append(site)
        return found

    @cached_property
    def _bases(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for site in self.sites:
            if site.owner is not None:
                found.setdefault(site.owner, set()).update(site.targets)
        for one, interface in self.implemented:
            found.setdefault(one, set()).add(interface)
        return found

    @cached_property
    def index(self) -> dict[tuple[str, str, str], int]:
        """By project, file and qualified name."""
        return {
            (one.project, one.file, one.qualified_name): index
            for index, one in enumerate(self.definitions)
        }

    @cached_property
    def _read(self) -> set[tuple[str, str]]:
        everything = (*self.sites, *self.definitions)
        return {(one.project, one.file) for one in everything} - self.unread

    def is_read(self, project: str, file: str) -> bool:
        """Whether the tool tells of this file: it does not of examples in documents, or scripts."""
        return (project, file) in self._read

    def overridden(self, index: int) -> set[int]:
        """The methods of bases, however far up, that the method `index` overrides."""
        method = self.definitions[index]
        owner = self.index.get((method.project, method.file, method.container))
        seen: set[int] = set()
        waiting = [owner] if owner is not None and method.kind == "method" else []
        found = set()
        while waiting:
            for base in self._bases.get(waiting.pop(), set()) - seen:
                seen.add(base)
                waiting.append(base)
                one = self.definitions[base]
                name = f"{one.qualified_name}.{method.name}"
                if (same := self.index.get((one.project, one.file, name))) is not None:
                    found.add(same)
        return found


def _by_target(sites: Iterable[Site]) -> dict[int, list[Site]]:
    found: dict[int, list[Site]] = {}
    for site in sites:
        for target in site.targets:
            found.setdefault(target, []).append(site)
    return found


def save(truth: Truth, path: Path) -> None:
    """Write it where `load` finds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "tool": truth.tool,
        "definitions": [list(asdict(one).values()) for one in truth.definitions],
        "sites": [list(asdict(one).values()) for one in truth.sites],
        "unread": sorted(truth.unread),
        "implemented": truth.implemented,
        "is_partial": truth.is_partial,
    }
    part = path.with_suffix(".part")
    part.write_bytes(gzip.compress(json.dumps(content).encode(), compresslevel=6))
    part.replace(path)


def load(path: Path) -> Truth:
    """Read what `save` wrote."""
    return read(json.loads(gzip.decompress(path.read_bytes())))


def read(content: dict[str, Any]) -> Truth:
    """Rows of definitions and sites, each with its fields in order."""
    return Truth(
        content["tool"],
        tuple(Definition(*row) for row in content["definitions"]),
        tuple(_sites(content["sites"])),
        frozenset((project, file) for project, file in content.get("unread", ())),
        tuple((one, interface) for one, interface in content.get("implemented", ())),
        content.get("is_partial", False),
    )


def _sites(rows: Iterable[list[Any]]) -> Iterable[Site]:
    for project, file, line, column, name, kind, targets, judged, owner, held, *receiver in rows:
        place = (project, file, line, column)
        yield Site(*place, name, kind, tuple(targets), judged, owner, tuple(held), *receiver)
