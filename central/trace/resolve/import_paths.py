"""From an import's path to what it means: modules, what they define, and what they give on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from central.trace.resolve.engine import Asking, Steps
from central.trace.resolve.modules import Group, Landing, landings, prefixes
from central.trace.resolve.questions import GivenOn, Limit, Members, Path, Thing, after, surest
from central.trace.resolve.sql import (
    Declared,
    Definition,
    Definitions,
    Exported,
    ExportRow,
    Modules,
    Near,
    Place,
    Unnamed,
)

MAX_STEPS = 500  # paths that one import may go on through
MAX_MORE = 8  # names that a path may gain on its way

CUT_PATHS = f"An import was followed no further than {MAX_STEPS} paths or {MAX_MORE} more names."


def follow(question: Path) -> Steps:
    """What an import path means to a file in its place.

    Re-exports are followed breadth-first, each path once; then members of what was found.
    """
    search = _Search(question.path.count(".") + MAX_MORE)
    search.go_on(_Step(Place(*question[:3]), question.path, is_own=question.is_own))
    while search.frontier:
        frontier, search.frontier = search.frontier, []
        groups = yield from _groups(frontier)
        contents = yield from _contents(groups)
        for step, tried in zip(frontier, groups, strict=True):
            group = next((one for one in tried if _is_plausible(one, contents)), [])
            for landing in group:
                search.land(step, landing, contents[landing])
    if search.is_cut:
        yield [Limit(CUT_PATHS)]
    return (yield from _members(search.found, search.exported))


_Rest = tuple[str, ...]
_Wildcards = Mapping[tuple[int, str], ExportRow]


def given_on(question: GivenOn) -> Steps:
    """(exports that are the module itself, wildcards by what they give on)."""
    (rows,) = yield [Unnamed(*question)]
    whole = [row for row in rows if not row.wildcard]
    return whole, {(row.package, row.path): row for row in rows if row.wildcard}


class _Step(NamedTuple):
    """`way` are the exports that led here, with the names that were asked of each module."""

    place: Place
    path: str
    sure: bool = True
    way: tuple[tuple[ExportRow, _Rest], ...] = ()
    is_own: bool = False

    @property
    def trail(self) -> tuple[int, ...]:
        """The files that gave the name on."""
        return tuple(export.file for export, _ in self.way)

    def circles(self, export: ExportRow, names: _Rest) -> bool:
        """Whether an export leads through itself, by an ever longer path.

        `from .compiled import *` does, where the module is no file: its own name is looked for in
        the package, and that again in what the package imports whole.
        """
        return any(
            row == export and len(names) > len(earlier) and names[-len(earlier) :] == earlier
            for row, earlier in self.way
            if earlier
        )


class _Contents(NamedTuple):
    """What a module has of the names: (how many of them, definition), and exports."""

    definitions: list[tuple[int, Definition]]
    named: Sequence[ExportRow]
    whole: Sequence[ExportRow]
    wildcards: _Wildcards


@dataclass(slots=True)
class _Search:
    """`found` are definitions with the names that go on from them, `exported` what may be such."""

    most: int  # names that a path may have
    frontier: list[_Step] = field(default_factory=list)
    seen: set[tuple[Place, str]] = field(default_factory=set)
    spread: dict[tuple[object, ...], set[tuple[int, str]]] = field(default_factory=dict)
    found: list[tuple[Thing, _Rest]] = field(default_factory=list)
    exported: list[tuple[Thing, _Rest]] = field(default_factory=list)
    is_cut: bool = False

    def go_on(self, step: _Step) -> None:
        key = (step.place, step.path)
        if key in self.seen:
            return
        if len(self.seen) == MAX_STEPS:
            self.is_cut = True
            return
        self.seen.add(key)
        self.frontier.append(step)

    def land(self, step: _Step, landing: Landing, contents: _Contents) -> None:
        sure = step.sure and landing.sure
        arrived = step._replace(sure=sure)
        if not landing.names:
            for export in contents.whole:  # `module.exports = f`: the module itself is f
                self._give_on(arrived, landing, export, ())
            return
        for count, definition in _longest(contents.definitions):
            name = ".".join(landing.names[:count])
            thing = Thing(definition.file, name, definition.kind, sure, trail=step.trail)
            self.found.append((thing, landing.names[count:]))
        for export in contents.named:
            self._give_on(arrived, landing, export, landing.names[1:])
        if not (contents.named or contents.definitions or step.is_own):
            for export in contents.whole:
                self._give_on(arrived, landing, export, _whole_rest(landing))
            if _is_spread(landing):
                self._spread(arrived, landing, contents.wildcards)

    def _spread(self, step: _Step, landing: Landing, wildcards: _Wildcards) -> None:
        """Give on what no other module did: many modules may import one another whole."""
        where = (landing.repository, landing.ecosystem, landing.names)
        done = self.spread.setdefault(where, set())
        fresh = wildcards.keys() - done
        if not fresh:
            return
        done |= fresh
        for key, export in wildcards.items():
            if key in fresh:
                self._give_on(step, landing, export, landing.names)

    def _give_on(self, step: _Step, landing: Landing, export: ExportRow, rest: _Rest) -> None:
        if step.circles(export, landing.names):
            return
        if len(rest) > self.most:
            self.is_cut = True
            return
        way = (*step.way, (export, landing.names))
        if export.is_local:
            trail = (*step.trail, export.file)
            local = Thing(export.file, export.path, "", step.sure, trail=trail)
            self.exported.append((local, rest))
            return
        place = Place(landing.repository, export.package, landing.ecosystem)
        self.go_on(_Step(place, ".".join((export.path, *rest)), step.sure, way))


def _groups(frontier: Sequence[_Step]) -> Asking[list[list[Group]]]:
    """The groups of modules to try for each step."""
    cuts = [[module for module, _ in prefixes(step.path)] for step in frontier]
    wanted = [
        Modules(step.place.repository, module)
        for step, modules in zip(frontier, cuts, strict=True)
        for module in modules
    ]
    packages = [Declared(step.place.package) for step in frontier]
    answers = iter((yield [*wanted, *packages]))
    rows = [{module: next(answers) for module in modules} for modules in cuts]
    return [
        list(landings(step.place, step.path, found, {row.name for row in next(answers)}))
        for step, found in zip(frontier, rows, strict=True)
    ]


def _contents(groups: Sequence[Sequence[Group]]) -> Asking[dict[Landing, _Contents]]:
    """What each module of the groups defines and gives on of the names that a path asks for."""
    places = list(dict.fromkeys(one for tried in groups for group in tried for one in group))
    asked: list[Definitions | Exported | GivenOn] = []
    for place in places:
        asked.append(GivenOn(*place[:3]))
        asked += [Exported(*place[:3], name) for name in place.names[:1]]
        asked += [
            Definitions(*place[:3], ".".join(place.names[:count]))
            for count in range(1, len(place.names) + 1)
        ]
    answers = iter((yield asked))
    contents = {}
    for place in places:
        whole, wildcards = next(answers)
        named = next(answers) if place.names else ()
        definitions = [
            (count, row) for count in range(1, len(place.names) + 1) for row in next(answers)
        ]
        contents[place] = _Contents(definitions, named, whole, wildcards)
    return contents


def _is_plausible(group: Group, contents: dict[Landing, _Contents]) -> bool:
    """Whether a module of the group may have the name."""
    return any(not one.names or any(contents[one]) for one in group)


def _longest(definitions: Sequence[tuple[int, Definition]]) -> list[tuple[int, Definition]]:
    """In each file, the definition that takes up the most names; of all files, those as long."""
    most = max((count for count, _ in definitions), default=0)
    return [(count, row) for count, row in definitions if count == most]


def _is_spread(landing: Landing) -> bool:
    """Whether wildcards give the names on: `export *` leaves out one, `import *` some."""
    first = landing.names[0]
    if landing.ecosystem == "npm":
        return first != "default"
    return landing.ecosystem != "pypi" or not first.startswith("_")


def _whole_rest(landing: Landing) -> _Rest:
    """`import f from` a module that says `module.exports = f` is that f."""
    return landing.names[landing.names[0] == "default" :]


def _members(
    found: Sequence[tuple[Thing, _Rest]], exported: Sequence[tuple[Thing, _Rest]]
) -> Steps:
    """What was found, gone on from by the names that are left.

    Of what a file exports of its own, it is yet to be seen that it is there.
    """
    members = [(thing, rest) for thing, rest in (*found, *exported) if rest]
    unseen = [thing for thing, rest in exported if not rest]
    answers = iter(
        (
            yield [
                *(Members(thing.file, thing.name, rest) for thing, rest in members),
                *(Near(thing.file, thing.name) for thing in unseen),
            ]
        )
    )
    things = [thing for thing, rest in found if not rest]
    for thing, _ in members:
        things += after(next(answers), thing)
    for thing in unseen:
        things += [thing for row in next(answers) if row.file == thing.file]
    return surest(things)
