"""Modules with which an import path may begin, and what they define and export of its names."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from central.trace.resolve.engine import RuleGenerator
from central.trace.resolve.modules import (
    Group,
    ModuleMatch,
    matches_in,
    module_matches,
    prefixes,
    undeclared,
)
from central.trace.resolve.questions import ComeAlong, Reexports
from central.trace.resolve.renamed import RealPath, real_paths
from central.trace.resolve.sql import (
    Declared,
    DefinitionRow,
    Definitions,
    Exported,
    ExportRow,
    FileContext,
    ModuleRow,
    Modules,
    Requirement,
    RequirementOf,
)

PathInContext: TypeAlias = tuple[FileContext, str]


class ModuleContents(NamedTuple):
    """A module's definitions, each with the number of names that it takes, and exports."""

    definitions: list[tuple[int, DefinitionRow]]
    named: Sequence[ExportRow]
    whole: Sequence[ExportRow]
    wildcards: Mapping[tuple[int, str], ExportRow]


def groups_of(paths: Sequence[PathInContext]) -> RuleGenerator[list[list[Group]]]:
    """Return the groups of modules to try for each path."""
    cuts = [[module for module, _ in prefixes(path)] for _, path in paths]
    wanted = [
        Modules(context.repository, module)
        for (context, _), modules in zip(paths, cuts, strict=True)
        for module in modules
    ]
    packages = [Declared(context.package) for context, _ in paths]
    answers = iter((yield [*wanted, *packages]))
    rows = [{module: next(answers) for module in modules} for modules in cuts]
    required: list[Sequence[Requirement]] = [next(answers) for _ in paths]
    real = yield from real_paths(paths, required)
    rows = [{} if meant else found for found, meant in zip(rows, real, strict=True)]
    declared = [{row.name for row in found} for found in required]
    installed = yield from _installed(paths, rows, declared)
    renamed = yield from _renamed(paths, real)
    return [
        meant or list(module_matches(context, path, found, names, come))
        for (context, path), found, names, come, meant in zip(
            paths, rows, declared, installed, renamed, strict=True
        )
    ]


def _renamed(
    paths: Sequence[PathInContext], real: Sequence[Sequence[RealPath]]
) -> RuleGenerator[list[list[Group]]]:
    """Return the groups of paths that begin with a renamed dependency: in its distribution."""
    places = [
        (context, path) for (context, _), meant in zip(paths, real, strict=True) for path in meant
    ]
    if not places:
        return [[] for _ in paths]
    cuts = [[module for module, _ in prefixes(path.path)] for _, path in places]
    answers = iter(
        (
            yield [
                Modules(context.repository, module)
                for (context, _), modules in zip(places, cuts, strict=True)
                for module in modules
            ]
        )
    )
    rows = iter([{module: next(answers) for module in modules} for modules in cuts])
    return [
        [
            group
            for path in meant
            for group in matches_in(context, path.path, next(rows), path.distribution)
        ]
        for (context, _), meant in zip(paths, real, strict=True)
    ]


def _installed(
    paths: Sequence[PathInContext],
    rows: Sequence[Mapping[str, Sequence[ModuleRow]]],
    declared: Sequence[Collection[str]],
) -> RuleGenerator[list[set[str]]]:
    """Return for each path the possible providers that no manifest names, but that come along."""
    providers = [
        sorted(undeclared(context, path, found, names)) if context.package else []
        for (context, path), found, names in zip(paths, rows, declared, strict=True)
    ]
    if not any(providers):
        return [set() for _ in paths]
    places = [context for context, _ in paths]
    pairs = list(zip(places, providers, strict=True))
    along = [ComeAlong(place.package, place.ecosystem) for place, names in pairs if names]
    locked = [RequirementOf(place.package, name) for place, names in pairs for name in names]
    answers = iter((yield [*along, *locked]))
    required = [next(answers)[0] if names else () for names in providers]
    return [
        {name for name in names if next(answers) or name in come}
        for names, come in zip(providers, required, strict=True)
    ]


def contents_of(
    groups: Sequence[Sequence[Group]],
) -> RuleGenerator[dict[ModuleMatch, ModuleContents]]:
    """Return what each module defines and exports of the names that a path needs."""
    matches = list(
        dict.fromkeys(module_match for tried in groups for group in tried for module_match in group)
    )
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
        contents[match] = ModuleContents(definitions, named, whole, wildcards)
    return contents


def is_plausible(group: Group, contents: dict[ModuleMatch, ModuleContents]) -> bool:
    """Whether a module of the group may have the name."""
    return any(not match.names or any(contents[match]) for match in group)
