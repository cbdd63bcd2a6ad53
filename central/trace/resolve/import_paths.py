"""Import paths: their modules, the definitions there, and re-exports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.free_names import follow_fixture
from central.trace.resolve.modules import (
    ModuleContents,
    ModuleMatch,
    contents_of,
    groups_of,
    is_plausible,
)
from central.trace.resolve.questions import (
    ImportPath,
    Limit,
    Members,
    Reexports,
    ResolvedDefinition,
    best_candidates,
    reached_via,
)
from central.trace.resolve.search_paths import searched_paths
from central.trace.resolve.sql import (
    DefaultExports,
    DefinitionRow,
    ExportRow,
    FileContext,
    SameScopeDefinitions,
)
from indexer.records.files import VALUE_KINDS
from indexer.records.fixtures import split_fixture

MAX_STEPS = 500  # paths that one import may lead through
MAX_MORE = 8  # names that a path may gain through re-exports

CUT_PATHS = f"An import was followed no further than {MAX_STEPS} paths or {MAX_MORE} more names."


def follow_import(question: ImportPath) -> RuleSteps:
    """Resolve an import path: follow re-exports breadth-first, then members of the results."""
    if split_fixture(question.path):
        return (yield from follow_fixture(question))
    search = _Search(question.path.count(".") + MAX_MORE)
    search.enqueue(_Step(FileContext(*question[:3]), question.path, is_own=question.is_own))
    while search.frontier:
        frontier, search.frontier = search.frontier, []
        groups = yield from groups_of([(step.context, step.path) for step in frontier])
        contents = yield from contents_of(groups)
        for step, tried in zip(frontier, groups, strict=True):
            group = next((group for group in tried if is_plausible(group, contents)), [])
            for match in group:
                search.visit(step, match, contents[match])
            if not group and step.way:
                yield from _search_further(search, step)
    if search.is_cut:
        yield [Limit(CUT_PATHS)]
    return (yield from _members(search.found, search.exported))


def _search_further(search: "_Search", step: "_Step") -> RuleGenerator[None]:
    """Follow what a file re-exports to the further directories from which it imports."""
    export = step.way[-1][0]
    if not step.path.startswith(export.path):  # it was found further, and has not the name
        return
    rest = step.path.removeprefix(export.path)
    for further in (yield from searched_paths(export.file, step.context, [export.path])):
        is_certain = step.is_certain and further.is_certain
        for path in further.paths:
            search.enqueue(step._replace(path=f"{path}{rest}", is_certain=is_certain))


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

    def visit(self, step: _Step, match: ModuleMatch, contents: ModuleContents) -> None:
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
        named = [
            export_row
            for export_row in contents.named
            if not _is_shared_namespace(export_row, match)
        ]
        if not (named or _is_defined(match, contents) or step.is_own):
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


def _longest(definitions: Sequence[tuple[int, DefinitionRow]]) -> list[tuple[int, DefinitionRow]]:
    """Return the definitions that take the most names."""
    most = max((count for count, _ in definitions), default=0)
    return [(count, row) for count, row in definitions if count == most]


def _is_defined(match: ModuleMatch, contents: ModuleContents) -> bool:
    """Whether a module defines the name: it may only open a module again, as in Ruby."""
    if name_rules(match.ecosystem).reopens_modules:
        return any(count == len(match.names) for count, _ in contents.definitions)
    return bool(contents.definitions)


def _is_alias(definition: DefinitionRow, named: Sequence[ExportRow]) -> bool:
    """Whether the definition is a variable that its file exports as another: `f = g`."""
    is_variable = definition.kind in VALUE_KINDS or not definition.kind
    return is_variable and any(export.file == definition.file for export in named)


def _is_shared_namespace(export: ExportRow, match: ModuleMatch) -> bool:
    """Whether it is a namespace of C++ with declarations, which other headers have too."""
    return export.is_local and export.path == export.name and len(match.names) > 1


def _is_spread(match: ModuleMatch) -> bool:
    """Whether wildcards re-export the name: `export *` omits one, `import *` some."""
    first = match.names[0]
    omitted = name_rules(match.ecosystem).omitted_by_wildcards
    return omitted is None or not omitted.match(first)


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
        candidates += _defined(candidate, next(answers))
    return best_candidates(candidates)


def _defined(
    exported: ResolvedDefinition, rows: Sequence[DefinitionRow]
) -> list[ResolvedDefinition]:
    """Return an exported local name where it is defined: in its file, or else in another."""
    own = [row for row in rows if row.file == exported.file]
    return [
        exported._replace(
            file=row.file,
            kind=exported.kind if own else row.kind,
            is_certain=exported.is_certain and row.is_certain,
        )
        for row in own or rows
    ]
