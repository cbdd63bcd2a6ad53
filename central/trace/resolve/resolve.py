"""Resolution of references to definitions, for any number of them at once.

Only this module decides what a reference means; callers, callees and graphs use it.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.modelled import without_modelled
from central.trace.resolve.questions import (
    ExtensionAccess,
    Flow,
    ImportedAccess,
    ImportPath,
    MemberAccess,
    NameInFile,
    Outside,
    ResolvedDefinition,
    best_candidates,
)
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.rules import import_path
from central.trace.resolve.sql import Imports
from central.trace.resolve.value_flow import CALLABLE
from indexer.records.builtin_types import is_builtin_type
from indexer.records.references import HELD, Access, Binding

_BOUND = {Binding.LOCAL, Binding.IMPORT}
_OF_VALUES = {Access.INSTANCE, Access.RESULT}


class Confidence(IntEnum):
    """Confidence of a resolution; comparable."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3


class Resolution(NamedTuple):
    """The definitions that a reference means.

    Without targets it is bound to something outside of the visible repositories or, if
    `is_unresolved`, nothing tells to what: its name alone may link it.
    """

    targets: tuple[ResolvedDefinition, ...]
    is_unresolved: bool

    @property
    def candidates(self) -> int:
        """The number of targets, without aliases if there are others."""
        count = len(self.targets)
        return count if count < 2 else sum(not one.is_alias for one in self.targets) or count

    def confidence(self, target: ResolvedDefinition) -> Confidence:
        """Return HIGH for a single target that was reached without a guess, else MEDIUM."""
        certain = target.is_certain and self.candidates == 1
        return Confidence.HIGH if certain else Confidence.MEDIUM


def resolve(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> list[Resolution]:
    """Return the resolution of each reference, in the same order.

    Of those without targets, `with_unresolved` tells more.
    """
    numbers: dict[
        Flow | ImportedAccess | MemberAccess, int
    ] = {}  # of questions that are asked once
    asked = [
        [numbers.setdefault(question, len(numbers)) for question in _with_beside(site, questions)]
        for site, questions in zip(sites, _questions(resolver, sites), strict=True)
    ]
    answers = resolver.resolve_all(list(numbers))
    resolutions = [
        (_held if holds_function(site) else _resolution)(
            site, [one for number in several for one in answers[number]]
        )
        for site, several in zip(sites, asked, strict=True)
    ]
    return _with_extensions(resolver, sites, resolutions)


def _with_extensions(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], resolutions: list[Resolution]
) -> list[Resolution]:
    """Resolve again what extension members decide, then what may be one itself."""
    for may_be, question in ((_may_go_through, _by_its_file), (_may_be_extension, _extension)):
        pairs = zip(sites, resolutions, strict=True)
        asked = {
            index: question(site)
            for index, (site, resolution) in enumerate(pairs)
            if may_be(site, resolution)
        }
        wanted = list(dict.fromkeys(asked.values()))
        answers = dict(zip(wanted, resolver.resolve_all(wanted), strict=True)) if wanted else {}
        for index, one in asked.items():
            resolutions[index] = _resolution(sites[index], answers[one])
    return resolutions


def holds_function(site: ReferenceSite) -> bool:
    """Whether a reference is of a function that a value holds."""
    return HELD in site.chain.split(".")


def _held(site: ReferenceSite, candidates: Sequence[ResolvedDefinition]) -> Resolution:
    """Return the functions that a value may be: of a field, something is known to be there."""
    functions = (one for one in candidates if one.kind in CALLABLE)
    targets = best_candidates(one._replace(rule="value_flow") for one in functions)
    return Resolution(targets, is_unresolved=not targets and "@" in site.chain.split(".")[-1])


def _may_go_through(site: ReferenceSite, resolution: Resolution) -> bool:
    """Whether an import's chain may have an extension member, or its name may be several."""
    rules = name_rules(site.ecosystem)
    if site.binding != Binding.IMPORT or holds_function(site):
        return False
    if site.chain:
        return rules.has_extensions and not resolution.targets
    is_bare = site.access == Access.PATH and rules.has_implicit_receivers
    return is_bare and len(resolution.targets) > 1


def _by_its_file(site: ReferenceSite) -> MemberAccess:
    return _member_access(site, _name_in_file(site)._replace(caller=site.caller))


def _may_be_extension(site: ReferenceSite, resolution: Resolution) -> bool:
    is_member = site.access in _OF_VALUES and site.binding != Binding.UNKNOWN
    is_open = is_member and not resolution.targets
    return is_open and name_rules(site.ecosystem).has_extensions


def _extension(site: ReferenceSite) -> ExtensionAccess:
    return ExtensionAccess(*_name_in_file(site), site.access, site.name)


def with_unresolved(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], resolutions: Sequence[Resolution]
) -> list[Resolution]:
    """Mark what its file binds to something visible, but nothing tells which, as unresolved."""
    bound = [
        index
        for index, (site, resolution) in enumerate(zip(sites, resolutions, strict=True))
        if not resolution.targets and site.binding in _BOUND and not holds_function(site)
    ]
    asked = _questions(resolver, [sites[index] for index in bound])
    questions = {
        index: [Outside(*question, is_indirect=_is_deep(sites[index])) for question in several]
        for index, several in zip(bound, asked, strict=True)
    }
    wanted = list(dict.fromkeys(one for several in questions.values() for one in several))
    answers = dict(zip(wanted, resolver.resolve_all(wanted), strict=True))
    return [
        Resolution((), is_unresolved=True)
        if index in questions and not all(answers[one] for one in questions[index])
        else resolution
        for index, resolution in enumerate(resolutions)
    ]


def origins(
    resolver: BatchResolver, sites: Sequence[ReferenceSite]
) -> list[tuple[ResolvedDefinition, ...]]:
    """Return the meaning of root.chain of each reference, without its access."""
    asked = [_name_in_file(site) for site in sites]
    return [tuple(answer) for answer in resolver.resolve_all(asked)]


def _questions(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> list[list[MemberAccess]]:
    """Return what to ask for each reference: the same for those of one context and path."""
    imported = [site for site in sites if site.binding == Binding.IMPORT]
    keys = list(dict.fromkeys(Imports(site.file, site.root) for site in imported))
    imports = dict(zip(keys, resolver.read_all(keys), strict=True))
    return [_questions_of(site, imports) for site in sites]


def _questions_of(
    site: ReferenceSite, imports: dict[Imports, tuple[object, ...]]
) -> list[MemberAccess]:
    if site.binding == Binding.IMPORT:
        place = (site.repository, site.package, site.ecosystem)
        rows = imports[Imports(site.file, site.root)]
        return [
            _member_access(site, ImportPath(*place, import_path(row.path, site.chain)))  # type: ignore[attr-defined]
            for row in rows
        ]
    return [] if site.binding == Binding.UNKNOWN else [_member_access(site, _name_in_file(site))]


def _with_beside(
    site: ReferenceSite, questions: Sequence[MemberAccess]
) -> Sequence[Flow | ImportedAccess | MemberAccess]:
    """Ask for a module beside the file too, which an import may mean whose path leads nowhere."""
    if holds_function(site):
        return [Flow(_name_in_file(site)._replace(caller=""))]
    if site.binding != Binding.IMPORT or not name_rules(site.ecosystem).imports_beside:
        return questions
    return [ImportedAccess(tuple(questions), _member_access(site, _name_in_file(site)))]


def _member_access(site: ReferenceSite, origin: ImportPath | NameInFile) -> MemberAccess:
    return MemberAccess(origin, site.access, "" if site.access == Access.PATH else site.name)


def _name_in_file(site: ReferenceSite) -> NameInFile:
    """Return the question; only a free name depends on the definition around it."""
    caller = site.caller if site.binding == Binding.FREE else ""
    place = (site.repository, site.package, site.ecosystem)
    return NameInFile(site.file, *place, site.binding, site.root, site.chain, caller)


def _is_deep(site: ReferenceSite) -> bool:
    """Whether the reference is to a member of a member: `app.store.add()`."""
    return site.access == Access.PATH and "." in site.chain


def _rule(candidate: ResolvedDefinition, rule: str) -> str:
    if candidate.model:
        return "model"
    return "receiver_type" if candidate.receiver else rule or candidate.rule


def _resolution(site: ReferenceSite, candidates: Sequence[ResolvedDefinition]) -> Resolution:
    rule = "import" if site.binding == Binding.IMPORT else ""
    if site.access != Access.PATH:
        rule = "receiver_type"
    targets = best_candidates(
        candidate._replace(
            rule=_rule(candidate, rule),
            inherited_by=None,
        )
        for candidate in without_modelled(candidates)
    )
    is_builtin = site.access == Access.INSTANCE and is_builtin_type(site.ecosystem, site.root)
    is_builtin = is_builtin or name_rules(site.ecosystem).has_programs
    is_bound = site.binding == Binding.FREE and is_builtin and not site.chain
    is_open = site.binding in {Binding.UNKNOWN, Binding.FREE} and not is_bound
    is_unresolved = not targets and is_open
    return Resolution(targets, is_unresolved)
