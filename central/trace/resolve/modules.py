"""Modules: which files provide them, and which packages come along."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from central.trace.resolve.ecosystems import is_standard, name_rules
from central.trace.resolve.engine import RuleSteps
from central.trace.resolve.questions import ComeAlong, Limit
from central.trace.resolve.sql import Declared, FileContext, ModuleRow, Required

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
    cuts = [
        (module, names, [row for row in rows[module] if row.ecosystem == context.ecosystem])
        for module, names in prefixes(path)
    ]
    own = [
        (module, names, [row for row in found if row.repository == context.repository])
        for module, names, found in cuts
    ]
    yield from _longest(own, lambda row: row.package == context.package)
    yield from _longest(own, lambda row: row.package != context.package)
    if path.startswith("/") or is_standard(context.ecosystem, path):
        return
    foreign = [
        (module, names, [row for row in found if row.repository != context.repository])
        for module, names, found in cuts
    ]
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
    cuts = [
        (
            module,
            names,
            [
                row
                for row in rows[module]
                if row.ecosystem == context.ecosystem and row.distribution == distribution
            ],
        )
        for module, names in prefixes(path)
    ]
    yield from _longest(cuts, lambda row: row.repository == context.repository)
    yield from _longest(cuts, lambda row: row.repository != context.repository)


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
