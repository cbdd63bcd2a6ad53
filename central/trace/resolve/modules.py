"""Modules with which an import path may begin, and what they define and export of its names.

With the packages that come along with those that a manifest declares.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from central.trace.resolve.ecosystems import is_standard, name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.questions import ComeAlong, Limit, Reexports
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
    Required,
    Requirement,
    RequirementOf,
)

MAX_DEPENDENCY_LEVELS: Final = 8  # of dependencies of dependencies
MAX_PACKAGES: Final = 1_000  # whose dependencies are read for a package
CUT_DEPENDENCIES: Final = (
    f"Dependencies of dependencies were followed over {MAX_DEPENDENCY_LEVELS} levels and"
    f" {MAX_PACKAGES:,} packages at most."
)

MAX_PROVIDERS: Final = 100  # of a module's name, that a package does not declare


class ModuleMatch(NamedTuple):
    """A module and the rest of a path in it; `is_certain` unless no manifest declares it."""

    repository: int
    package: int
    module: str
    names: tuple[str, ...]
    ecosystem: str
    is_certain: bool


Group = list[ModuleMatch]
_Prefix = tuple[str, tuple[str, ...]]
_Cut = tuple[str, tuple[str, ...], list[ModuleRow]]


def prefixes(path: str) -> list[_Prefix]:
    """Return (module, names) for every cut of a path, the longest module first.

    Names hold no "/", so nothing before the last one is a name.
    """
    head, slash, tail = path.rpartition("/")
    parts = tail.split(".")
    return [
        (head + slash + ".".join(parts[:count]), tuple(parts[count:]))
        for count in range(len(parts), 0, -1)
    ]


def module_matches(
    context: FileContext,
    path: str,
    rows: Mapping[str, Sequence[ModuleRow]],
    declared: Collection[str],
    installed: Collection[str],
) -> Iterator[Group]:
    """Yield groups of modules with which the path may begin, in the order of attempts.

    `rows` are the modules of each prefix's name that are visible from the context. `installed` are
    distributions that come with the `declared` ones.
    """
    if not any(rows.values()):
        return
    own = _cuts(context, path, rows, lambda row: row.repository == context.repository)
    yield from _longest(own, lambda row: row.package == context.package)
    yield from _longest(own, lambda row: row.package != context.package)
    if path.startswith("/") or is_standard(context.ecosystem, path):
        return
    foreign = _cuts(context, path, rows, lambda row: row.repository != context.repository)
    if not any(found for _, _, found in foreign):
        return
    yield from _longest(foreign, lambda row: row.distribution in declared)
    if installed:
        yield from _longest(foreign, lambda row: row.distribution in installed)
    for module, names, found in foreign:
        if found:
            providers = {(row.repository, row.package) for row in found}
            if len(providers) == 1 and is_unmistakable(found[0], module):
                yield [_match(found[0], module, names, is_certain=False)]
            return


def matches_in(
    context: FileContext, path: str, rows: Mapping[str, Sequence[ModuleRow]], distribution: str
) -> Iterator[Group]:
    """Yield groups of one distribution's modules, the own repository's first."""
    cuts = _cuts(context, path, rows, lambda row: row.distribution == distribution)
    yield from _longest(cuts, lambda row: row.repository == context.repository)
    yield from _longest(cuts, lambda row: row.repository != context.repository)


def _cuts(
    context: FileContext,
    path: str,
    rows: Mapping[str, Sequence[ModuleRow]],
    fits: Callable[[ModuleRow], bool],
) -> list[_Cut]:
    """Return the cuts of a path, each with the modules of its ecosystem that fit."""
    ecosystem = context.ecosystem
    return [
        (module, names, [row for row in rows[module] if row.ecosystem == ecosystem and fits(row)])
        for module, names in prefixes(path)
    ]


def undeclared(
    context: FileContext,
    path: str,
    rows: Mapping[str, Sequence[ModuleRow]],
    declared: Collection[str],
) -> set[str]:
    """Return the distributions of other repositories that may provide the path's module.

    None if its own repository has such a module, which other packages have not, or for the name of
    more than MAX_PROVIDERS.
    """
    if path.startswith("/") or is_standard(context.ecosystem, path):
        return set()
    alike = [row for found in rows.values() for row in found if row.ecosystem == context.ecosystem]
    is_own = any(row.repository == context.repository for row in alike)
    if is_own and not name_rules(context.ecosystem).shares_modules:
        return set()
    found = {row.distribution for row in alike} - {"", *declared}
    return found if len(found) <= MAX_PROVIDERS else set()


def is_unmistakable(row: ModuleRow, module: str) -> bool:
    """Whether a module's name alone identifies its package, without a manifest."""
    name = row.distribution
    match row.ecosystem:
        case "go":
            return module == name or module.startswith(name + "/")
        case "maven" | "nuget" | "composer":
            return "." in module.strip(".")
        case "npm":
            return name[:1] == "@" or _is_joined(name)
        case "pypi":
            return _is_joined(name) and f"{_canonical(module)}-".startswith(f"{name}-")
        case "cargo" | "rubygems":
            head = _canonical(module.replace("/", "-"))
            return _is_joined(name) and f"{head}-".startswith(f"{_canonical(name)}-")
    return False


def _longest(cuts: Sequence[_Cut], fits: Callable[[ModuleRow], bool]) -> Iterator[Group]:
    """Yield the modules of the longest prefix that has any.

    If that is the whole path, add the next one: a package may re-export a name that one of its
    modules has too, and then `from package import name` means the re-export.
    """
    group: Group = []
    for module, names, found in cuts:
        unique = {(row.repository, row.package): row for row in found if fits(row)}
        group += [_match(row, module, names, is_certain=True) for row in unique.values()]
        if group and names:
            break
    if group:
        yield group


def _match(row: ModuleRow, module: str, names: tuple[str, ...], *, is_certain: bool) -> ModuleMatch:
    return ModuleMatch(row.repository, row.package, module, names, row.ecosystem, is_certain)


def _is_joined(name: str) -> bool:
    return "-" in name or "_" in name


def _canonical(name: str) -> str:
    return name.replace("_", "-").replace(".", "-").lower()


def come_along(question: ComeAlong) -> RuleSteps:
    """Answer (names,), a set: what visible packages require, level by level."""
    (declared,) = yield [Declared(question.package)]
    level = {row.name for row in declared}
    seen = set(level)
    asked = 0
    for _ in range(MAX_DEPENDENCY_LEVELS):
        asked += len(level)
        if not level or asked > MAX_PACKAGES:
            break
        answers = yield [Required(question.ecosystem, name) for name in sorted(level)]
        level = {row.name for rows in answers for row in rows} - seen
        seen |= level
    if level:
        yield [Limit(CUT_DEPENDENCIES)]
    return (frozenset(seen),)


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
