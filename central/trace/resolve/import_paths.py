"""Import paths: their modules, the definitions there, and re-exports."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.free_names import follow_fixture, is_fixture
from central.trace.resolve.modules import (
    Group,
    ModuleMatch,
    module_matches,
    prefixes,
    undeclared,
)
from central.trace.resolve.questions import (
    ComeAlong,
    ImportPath,
    Limit,
    Members,
    Reexports,
    ResolvedDefinition,
    best_candidates,
    reached_via,
)
from central.trace.resolve.sql import (
    Declared,
    DefaultExports,
    DefinitionRow,
    Definitions,
    Exported,
    ExportRow,
    FileContext,
    ModuleRow,
    Modules,
    RequirementOf,
    SameScopeDefinitions,
)
from indexer.records.files import VALUE_KINDS

MAX_STEPS = 500  # paths that one import may lead through
MAX_MORE = 8  # names that a path may gain through re-exports

CUT_PATHS = f"An import was followed no further than {MAX_STEPS} paths or {MAX_MORE} more names."


def follow_import(question: ImportPath) -> RuleSteps:
    """Resolve an import path: follow re-exports breadth-first, then members of the results."""
    if is_fixture(question.path):
        return (yield from follow_fixture(question))
    search = _Search(question.path.count(".") + MAX_MORE)
    search.enqueue(_Step(FileContext(*question[:3]), question.path, is_own=question.is_own))
    while search.frontier:
        frontier, search.frontier = search.frontier, []
        groups = yield from _groups(frontier)
        contents = yield from _contents(groups)
        for step, tried in zip(frontier, groups, strict=True):
            group = next((one for one in tried if _is_plausible(one, contents)), [])
            for match in group:
                search.visit(step, match, contents[match])
    if search.is_cut:
        yield [Limit(CUT_PATHS)]
    return (yield from _members(search.found, search.exported))


_Rest = tuple[str, ...]
_Wildcards = Mapping[tuple[int, str], ExportRow]


def reexports(question: Reexports) -> RuleSteps:
    """Answer (exports that are the module itself, wildcards by package and path)."""
    (rows,) = yield [DefaultExports(*question)]
    whole = [row for row in rows if not row.wildcard]
    return whole, {(row.package, row.path): row for row in rows if row.wildcard}


class _Step(NamedTuple):
    """A path to follow; `way` holds the exports that led here, with each module's names."""

    context: FileContext
    path: str
    is_certain: bool = True
    way: tuple[tuple[ExportRow, _Rest], ...] = ()
    is_own: bool = False

    @property
    def via_files(self) -> tuple[int, ...]:
        """The files that re-export the name."""
        return tuple(export.file for export, _ in self.way)

    def circles(self, export: ExportRow, names: _Rest) -> bool:
        """Whether an export leads through itself, by an ever longer path.

        `from .compiled import *` does if the module is no file: its name is looked up in the
        package, and again in what the package imports by wildcard.
        """
        return any(
            row == export and len(names) > len(earlier) and names[-len(earlier) :] == earlier
            for row, earlier in self.way
            if earlier
        )


class _Contents(NamedTuple):
    """A module's definitions, each with the number of names that it takes, and exports."""

    definitions: list[tuple[int, DefinitionRow]]
    named: Sequence[ExportRow]
    whole: Sequence[ExportRow]
    wildcards: _Wildcards


@dataclass(slots=True)
class _Search:
    """Definitions found with the remaining names; `exported` ones are not yet verified."""

    most: int  # names that a path may have
    frontier: list[_Step] = field(default_factory=list)
    seen: set[tuple[FileContext, str]] = field(default_factory=set)
    spread: dict[tuple[object, ...], set[tuple[int, str]]] = field(default_factory=dict)
    found: list[tuple[ResolvedDefinition, _Rest]] = field(default_factory=list)
    exported: list[tuple[ResolvedDefinition, _Rest]] = field(default_factory=list)
    is_cut: bool = False

    def enqueue(self, step: _Step) -> None:
        key = (step.context, step.path)
        if key in self.seen:
            return
        if len(self.seen) == MAX_STEPS:
            self.is_cut = True
            return
        self.seen.add(key)
        self.frontier.append(step)

    def visit(self, step: _Step, match: ModuleMatch, contents: _Contents) -> None:
        is_certain = step.is_certain and match.is_certain
        arrived = step._replace(is_certain=is_certain)
        if not match.names:
            for export in contents.whole:  # `module.exports = f`: the module itself is f
                self._reexport(arrived, match, export, ())
            return
        for count, definition in _longest(contents.definitions):
            name = ".".join(match.names[:count])
            candidate = ResolvedDefinition(
                definition.file,
                name,
                definition.kind,
                is_certain,
                via_files=step.via_files,
                is_alias=_is_alias(definition, contents.named) and count == 1,
            )
            self.found.append((candidate, match.names[count:]))
        for export in contents.named:
            self._reexport(arrived, match, export, match.names[1:])
        if not (contents.named or contents.definitions or step.is_own):
            for export in contents.whole:
                self._reexport(arrived, match, export, _whole_rest(match))
            if _is_spread(match):
                self._spread(arrived, match, contents.wildcards)

    def _spread(self, step: _Step, match: ModuleMatch, wildcards: _Wildcards) -> None:
        """Follow wildcards that no other module followed; many modules may import one another."""
        where = (match.repository, match.ecosystem, match.names)
        done = self.spread.setdefault(where, set())
        fresh = wildcards.keys() - done
        if not fresh:
            return
        done |= fresh
        for key, export in wildcards.items():
            if key in fresh:
                self._reexport(step, match, export, match.names)

    def _reexport(self, step: _Step, match: ModuleMatch, export: ExportRow, rest: _Rest) -> None:
        if step.circles(export, match.names):
            return
        if len(rest) > self.most:
            self.is_cut = True
            return
        way = (*step.way, (export, match.names))
        if export.is_local:
            via_files = (*step.via_files, export.file)
            local = ResolvedDefinition(
                export.file, export.path, "", step.is_certain, via_files=via_files
            )
            self.exported.append((local, rest))
            return
        context = FileContext(match.repository, export.package, match.ecosystem)
        self.enqueue(_Step(context, ".".join((export.path, *rest)), step.is_certain, way))


def _groups(frontier: Sequence[_Step]) -> RuleGenerator[list[list[Group]]]:
    """Return the groups of modules to try for each step."""
    cuts = [[module for module, _ in prefixes(step.path)] for step in frontier]
    wanted = [
        Modules(step.context.repository, module)
        for step, modules in zip(frontier, cuts, strict=True)
        for module in modules
    ]
    packages = [Declared(step.context.package) for step in frontier]
    answers = iter((yield [*wanted, *packages]))
    rows = [{module: next(answers) for module in modules} for modules in cuts]
    declared = [{row.name for row in next(answers)} for _ in frontier]
    installed = yield from _installed(frontier, rows, declared)
    return [
        list(module_matches(step.context, step.path, found, names, come))
        for step, found, names, come in zip(frontier, rows, declared, installed, strict=True)
    ]


def _installed(
    frontier: Sequence[_Step],
    rows: Sequence[Mapping[str, Sequence[ModuleRow]]],
    declared: Sequence[Collection[str]],
) -> RuleGenerator[list[set[str]]]:
    """Return for each step the possible providers that no manifest names, but that come along."""
    providers = [
        sorted(undeclared(step.context, step.path, found, names)) if step.context.package else []
        for step, found, names in zip(frontier, rows, declared, strict=True)
    ]
    if not any(providers):
        return [set() for _ in frontier]
    places = [step.context for step in frontier]
    pairs = list(zip(places, providers, strict=True))
    along = [ComeAlong(place.package, place.ecosystem) for place, names in pairs if names]
    locked = [RequirementOf(place.package, name) for place, names in pairs for name in names]
    answers = iter((yield [*along, *locked]))
    required = [next(answers)[0] if names else () for names in providers]
    return [
        {name for name in names if next(answers) or name in come}
        for names, come in zip(providers, required, strict=True)
    ]


def _contents(groups: Sequence[Sequence[Group]]) -> RuleGenerator[dict[ModuleMatch, _Contents]]:
    """Return what each module defines and exports of the names that a path needs."""
    matches = list(dict.fromkeys(one for tried in groups for group in tried for one in group))
    asked: list[Definitions | Exported | Reexports] = []
    for match in matches:
        asked.append(Reexports(*match[:3]))
        asked += [Exported(*match[:3], name) for name in match.names[:1]]
        asked += [
            Definitions(*match[:3], ".".join(match.names[:count]))
            for count in range(1, len(match.names) + 1)
        ]
    answers = iter((yield asked))
    contents = {}
    for match in matches:
        whole, wildcards = next(answers)
        named = next(answers) if match.names else ()
        definitions = [
            (count, row) for count in range(1, len(match.names) + 1) for row in next(answers)
        ]
        contents[match] = _Contents(definitions, named, whole, wildcards)
    return contents


def _is_plausible(group: Group, contents: dict[ModuleMatch, _Contents]) -> bool:
    """Whether a module of the group may have the name."""
    return any(not one.names or any(contents[one]) for one in group)


def _longest(definitions: Sequence[tuple[int, DefinitionRow]]) -> list[tuple[int, DefinitionRow]]:
    """Return the definitions that take the most names."""
    most = max((count for count, _ in definitions), default=0)
    return [(count, row) for count, row in definitions if count == most]


def _is_alias(definition: DefinitionRow, named: Sequence[ExportRow]) -> bool:
    """Whether the definition is a variable that its file exports as another: `f = g`."""
    is_variable = definition.kind in VALUE_KINDS or not definition.kind
    return is_variable and any(export.file == definition.file for export in named)


def _is_spread(match: ModuleMatch) -> bool:
    """Whether wildcards re-export the name: `export *` omits one, `import *` some."""
    first = match.names[0]
    if match.ecosystem == "npm":
        return first != "default"
    return match.ecosystem != "pypi" or not first.startswith("_")


def _whole_rest(match: ModuleMatch) -> _Rest:
    """Drop `default`: `import f` from a module with `module.exports = f` is that f."""
    return match.names[match.names[0] == "default" :]


def _members(
    found: Sequence[tuple[ResolvedDefinition, _Rest]],
    exported: Sequence[tuple[ResolvedDefinition, _Rest]],
) -> RuleSteps:
    """Resolve the remaining names, and verify that exported local names exist."""
    members = [(candidate, rest) for candidate, rest in (*found, *exported) if rest]
    unseen = [candidate for candidate, rest in exported if not rest]
    answers = iter(
        (
            yield [
                *(Members(candidate.file, candidate.name, rest) for candidate, rest in members),
                *(SameScopeDefinitions(candidate.file, candidate.name) for candidate in unseen),
            ]
        )
    )
    candidates = [candidate for candidate, rest in found if not rest]
    for candidate, _ in members:
        candidates += reached_via(next(answers), candidate)
    for candidate in unseen:
        candidates += [candidate for row in next(answers) if row.file == candidate.file]
    return best_candidates(candidates)
