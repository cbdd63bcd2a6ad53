"""What a compiler bound a reference to: the definition of a SCIP symbol.

A symbol is found by the definitions of its own repository's index. Across repositories the
format's promise does not hold as it stands: an indexer names the published file, the consumer's
package or no package. So the package is a hint, and a repository provides only packages that its
own manifests declare.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from central.trace.resolve.engine import BatchResolver, RuleGenerator, RuleSteps
from central.trace.resolve.questions import (
    ImportedModules,
    ImportPath,
    ResolvedDefinition,
    ScipMeaning,
    best_candidates,
)
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.sql import (
    Declared,
    FirstNames,
    InPackage,
    PackageRow,
    ScipDefinitions,
    ScipProviders,
)
from indexer.records.manifests import Ecosystem
from indexer.records.references import HELD, Access, Binding
from indexer.records.scip import SCIP_BINDING, parse_symbol
from indexer.records.scip_targets import ScipTarget, scip_target

SCIP: Final = "scip"
_ENTRY: Final = "index"  # the name of most public entries
_OF_VALUES: Final = {Access.INSTANCE, Access.RESULT}
_OF_UNKNOWN: Final = {Binding.UNKNOWN, SCIP_BINDING}
Meaning: TypeAlias = tuple[Sequence[ResolvedDefinition], bool]


def scip_definitions(
    resolver: BatchResolver, sites: Sequence[ReferenceSite]
) -> Mapping[int, Sequence[ResolvedDefinition]]:
    """Return what indexes bind references to, by their places in `sites`.

    What is bound to something outside has no definitions. What is not here is for the rules, and
    so is what holds a function.
    """
    asked = {
        index: [ScipMeaning(site.repository, site.package, site.symbol)]
        for index, site in enumerate(sites)
        if site.symbol and HELD not in site.chain.split(".")
    }
    if not asked:
        return {}
    return {
        index: [_as_reached(sites[index], definition) for definition in found]
        for index, (answer,) in resolver.resolve_each(asked).items()
        if (found := definitions_of(answer)) is not None
    }


def definitions_of(meaning: Meaning | tuple[()]) -> Sequence[ResolvedDefinition] | None:
    """Return the definitions of an answer to ScipMeaning; None if the rules are to be asked."""
    found, is_all = meaning or ((), False)
    return found if is_all else None


def _as_reached(site: ReferenceSite, target: ResolvedDefinition) -> ResolvedDefinition:
    """Return a definition with the class through whose instance it may be reached."""
    container = target.name.rpartition(".")[0]
    is_virtual = site.access in _OF_VALUES or site.binding in _OF_UNKNOWN
    return (
        target._replace(receiver=(target.file, container)) if container and is_virtual else target
    )


def scip_meaning(question: ScipMeaning) -> RuleSteps:
    """Answer with (definitions, whether that is all)."""
    (own,) = yield [ScipDefinitions(question.repository, question.symbol)]
    if own:
        return _definitions(own), True
    symbol = parse_symbol(question.symbol)
    target = scip_target(symbol) if symbol else None
    if target is None or not (target.package or target.path):
        return (), False
    found = yield from _in_other_repositories(question, target)
    if found:
        return tuple(definition._replace(rule=SCIP) for definition in found), True
    return (), (yield from _is_outside(question, target))


def meaning_without(repository: int, question: ScipMeaning) -> RuleSteps:
    """Answer as `scip_meaning`; to the files of one repository, no symbol means anything."""
    return _no_meaning() if question.repository == repository else scip_meaning(question)


def _no_meaning() -> RuleSteps:
    """Leave it to the rules."""
    yield ()
    return (), False


def _in_other_repositories(
    question: ScipMeaning, target: ScipTarget
) -> RuleGenerator[Sequence[ResolvedDefinition]]:
    """Find the definition by the indexes of providers, its import path, and in its package.

    What these find in several repositories is a tie.
    """
    ecosystem, package = target.ecosystem, target.package
    path = ImportPath(question.repository, question.package, ecosystem, target.path)
    asked = [path] if target.path else []
    provided, named, *imported = yield [
        ScipProviders(ecosystem, package, question.symbol),
        InPackage(ecosystem, package, ".".join(target.names)),
        *asked,
    ]
    found = [*_definitions(provided), *(definition for answer in imported for definition in answer)]
    is_dotted = ecosystem == Ecosystem.PYPI
    module = target.module.replace(".", "/") if is_dotted else target.module
    alike = _nearest(named, module)
    if not found or (ecosystem == Ecosystem.NPM and _is_file(alike, module)):
        found += _definitions(alike)
    if len({definition.key for definition in found}) > 1:
        found = [definition._replace(is_certain=False) for definition in found]
    return best_candidates(found)


def _is_outside(question: ScipMeaning, target: ScipTarget) -> RuleGenerator[bool]:
    """Whether no visible repository can be what is meant: of what is asked for, none is seen."""
    if target.ecosystem == Ecosystem.PYPI:  # of which the package may be the consumer's own
        place = (question.repository, question.package, target.ecosystem)
        (modules,) = yield [ImportedModules(*place, target.path)]
        return not modules
    if not target.package:
        return False
    visible, declared = yield [
        FirstNames(target.ecosystem, target.package),
        Declared(question.package),
    ]
    return not visible and any(row.name == target.package for row in declared)


def _is_file(rows: Sequence[PackageRow], module: str) -> bool:
    """Whether a single definition is in a file of the published file's name, and that says more
    than that it is an entry.
    """
    ends = {tuple(_components(path)[-1:]) for path in (module, *(row.path for row in rows))}
    return len(rows) == 1 and len(ends) == 1 and ends != {(_ENTRY,)}


def _nearest(rows: Sequence[PackageRow], module: str) -> list[PackageRow]:
    """Return the definitions in files whose paths end most like a published file's."""
    wanted = _components(module)
    scores = {row: _common_end(_components(row.path), wanted) for row in rows}
    most = max(scores.values(), default=0)
    return [row for row in rows if scores[row] == most]


def _components(path: str) -> list[str]:
    """`dist/inner/index.d.cts` → dist, inner, index; `src/click/__init__.py` → src, click."""
    *folders, file = path.split("/")
    name = file.partition(".")[0]
    return folders if name == "__init__" else [*folders, name]


def _common_end(left: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(reversed(left), reversed(other), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _definitions(rows: Sequence[object]) -> tuple[ResolvedDefinition, ...]:
    """Return the definitions of rows: several are a tie."""
    keys = {(row.file, row.name): row.kind for row in rows}  # type: ignore[attr-defined]
    return tuple(
        ResolvedDefinition(file, name, kind, is_certain=len(keys) == 1, rule=SCIP)
        for (file, name), kind in keys.items()
    )
