"""Resolution of references to definitions, for any number of them at once.

Only this module decides what a reference means; callers, callees and graphs use it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Confidence
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.modelled import without_values
from central.trace.resolve.questions import (
    ExtensionAccess,
    Flow,
    Held,
    ImportedAccess,
    ImportPath,
    MemberAccess,
    NameInFile,
    Outside,
    ResolvedDefinition,
    best_candidates,
    last_name,
)
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.scip import scip_definitions
from central.trace.resolve.sql import ImportRow, Imports, SameScopeDefinitions
from central.trace.resolve.value_flow import CALLABLE
from indexer.records.builtin_types import is_builtin_type
from indexer.records.files import VALUE_KINDS
from indexer.records.references import CLOSURE, HELD, RECEIVER, Access, Binding
from indexer.records.scip import SCIP_BINDING

FLOW: Final = "value_flow"
_CALLS: Final = frozenset({"call", "new", "element", "decorate"})
_BOUND = {Binding.LOCAL, Binding.IMPORT}
_OF_VALUES = {Access.INSTANCE, Access.RESULT}


class Resolution(NamedTuple):
    """The definitions that a reference means.

    Without targets it is bound to something outside of the visible repositories or, if
    `is_unresolved`, nothing tells to what: its name alone may link it.
    """

    targets: tuple[ResolvedDefinition, ...]
    is_unresolved: bool
    is_bound: bool = False  # by an index: without targets, something is known of it

    @property
    def candidates(self) -> int:
        """The number of targets, without aliases if there are others."""
        count = len(self.targets)
        surely = sum(not target.is_alias and target.rule != FLOW for target in self.targets)
        return count if count < 2 else surely or count

    def confidence(self, target: ResolvedDefinition) -> Confidence:
        """Return HIGH for a single target that was reached without a guess, else MEDIUM."""
        certain = target.is_certain and self.candidates == 1
        return Confidence.HIGH if certain else Confidence.MEDIUM


def resolve(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> list[Resolution]:
    """Return the resolution of each reference, in the same order.

    Of those without targets, `with_unresolved` tells more.
    """
    unknown = resolver.without_index
    sites = [site._replace(symbol="") if site.repository == unknown else site for site in sites]
    resolutions = _resolved(resolver, [_without_receiver(site) for site in sites])
    bare = {
        index: _bare(site)
        for index, (site, resolution) in enumerate(zip(sites, resolutions, strict=True))
        if _may_be_implicit(site) and not resolution.targets and not resolution.is_bound
    }
    if bare:
        for index, guess in zip(bare, _resolved(resolver, list(bare.values())), strict=True):
            guessed = tuple(target._replace(is_certain=False) for target in guess.targets)
            resolutions[index] = Resolution(
                guessed, resolutions[index].is_unresolved and not guessed
            )
    return list(map(_known_by_index, sites, resolutions))


def _known_by_index(site: ReferenceSite, resolution: Resolution) -> Resolution:
    """Return what has a symbol but no target as bound: an index tells what it is, if not where."""
    if not site.symbol or resolution.targets or holds_function(site):
        return resolution
    return resolution._replace(is_unresolved=False, is_bound=True)


def _may_be_implicit(site: ReferenceSite) -> bool:
    """Whether a bare name may be a member of an object that is not written."""
    return site.chain.endswith(RECEIVER)


def _bare(site: ReferenceSite) -> ReferenceSite:
    """Return the name alone, in a lambda inside of its caller."""
    caller = f"{site.caller}.{RECEIVER}"
    return site._replace(
        binding=Binding.FREE, root=site.name, chain="", access=Access.PATH, caller=caller
    )


def _without_receiver(site: ReferenceSite) -> ReferenceSite:
    if not _may_be_implicit(site):
        return site
    return site._replace(chain=site.chain.removesuffix(RECEIVER).removesuffix("."))


def _resolved(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> list[Resolution]:
    """Resolve by what an index knows, and else by the rules."""
    unknown = resolver.without_index
    bound = {
        index: Resolution(best_candidates(found), is_unresolved=False, is_bound=True)
        for index, found in scip_definitions(resolver, sites).items()
    }
    bound |= {
        index: Resolution((), is_unresolved=site.repository == unknown, is_bound=True)
        for index, site in enumerate(sites)
        if site.binding == SCIP_BINDING and index not in bound
    }
    asked = [index for index in range(len(sites)) if not _is_settled(bound.get(index))]
    by_rules = dict(zip(asked, _by_rules(resolver, [sites[index] for index in asked]), strict=True))
    resolutions = [
        _narrowed(bound[index], by_rules.get(index)) if index in bound else by_rules[index]
        for index in range(len(sites))
    ]
    return _with_held(resolver, sites, resolutions)


def _is_settled(bound: Resolution | None) -> bool:
    """Whether an index says which one a reference means, or that it leads outside."""
    return bound is not None and bound.candidates < 2


def _narrowed(bound: Resolution, by_rules: Resolution | None) -> Resolution:
    """Return what an index says; of several the ones that the rules find among them, if any.

    scip-python has one symbol for the functions of a name inside of the methods of a class.
    """
    keys = {target.key for target in bound.targets}
    found = [target for target in by_rules.targets if target.key in keys] if by_rules else ()
    return bound._replace(targets=tuple(found)) if found else bound


def disagreements(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> list[ReferenceSite]:
    """Return the references that the rules alone would bind to something else than an index."""
    bound = scip_definitions(resolver, sites)
    indexed = [sites[index] for index in bound if sites[index].binding != SCIP_BINDING]
    plain = [site._replace(symbol="") for site in indexed]
    by_index = {
        sites[index].id: {definition.key for definition in found} for index, found in bound.items()
    }
    return [
        site
        for site, by_rules in zip(indexed, _by_rules(resolver, plain), strict=True)
        if by_rules.targets and not by_index[site.id] & {target.key for target in by_rules.targets}
    ]


def _by_rules(resolver: BatchResolver, sites: Sequence[ReferenceSite]) -> list[Resolution]:
    questions = zip(sites, _questions(resolver, sites), strict=True)
    asked = {index: _with_beside(*question) for index, question in enumerate(questions)}
    answers = resolver.resolve_each(asked)
    resolutions = [
        (_held if holds_function(site) else _resolution)(
            site, [target for answer in answers[index] for target in answer]
        )
        for index, site in enumerate(sites)
    ]
    return _with_extensions(resolver, sites, resolutions)


def _with_held(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], resolutions: list[Resolution]
) -> list[Resolution]:
    """Add the functions that constants hold which are called: `const g = make(); g()`."""
    called = {
        index: [target for target in resolution.targets if _may_be_value(target)]
        for index, (site, resolution) in enumerate(zip(sites, resolutions, strict=True))
        if site.kind in _CALLS and name_rules(site.ecosystem).functions_as_values
    }
    unknown = {target.key for several in called.values() for target in several if not target.kind}
    near = resolver.resolve_each({key: [SameScopeDefinitions(*key)] for key in sorted(unknown)})
    functions = {key for key, (rows,) in near.items() if any(row.kind in CALLABLE for row in rows)}
    asked = {
        index: [Held(*definition.key) for definition in several if definition.key not in functions]
        for index, several in called.items()
    }
    for index, answers in resolver.resolve_each(asked).items():
        held = [target for answer in answers for target in answer]
        if held:
            targets = [*resolutions[index].targets, *_of_flow(held)]
            resolutions[index] = resolutions[index]._replace(targets=best_candidates(targets))
    return resolutions


def _may_be_value(target: ResolvedDefinition) -> bool:
    return target.rule != FLOW and (not target.kind or target.kind in VALUE_KINDS)


def _of_flow(found: Iterable[ResolvedDefinition]) -> Iterator[ResolvedDefinition]:
    """Yield the functions and classes that have a name, as what a value may be."""
    for definition in found:
        if definition.kind in CALLABLE and last_name(definition.name) != CLOSURE:
            yield definition._replace(rule=FLOW, is_certain=False)


def _with_extensions(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], resolutions: list[Resolution]
) -> list[Resolution]:
    """Resolve again what extension members decide, then what may be one itself."""
    for may_be, question in ((_may_go_through, _by_its_file), (_may_be_extension, _extension)):
        pairs = zip(sites, resolutions, strict=True)
        asked = {
            index: [question(site)]
            for index, (site, resolution) in enumerate(pairs)
            if may_be(site, resolution)
        }
        for index, (answer,) in resolver.resolve_each(asked).items():
            resolutions[index] = _resolution(sites[index], answer)
    return resolutions


def holds_function(site: ReferenceSite) -> bool:
    """Whether a reference is of a function that a value holds."""
    return HELD in site.chain.split(".")


def _held(site: ReferenceSite, candidates: Sequence[ResolvedDefinition]) -> Resolution:
    """Return the functions that a value may be: of a field, something is known to be there."""
    targets = best_candidates(_of_flow(candidates))
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
    is_unbound = is_member and not resolution.targets
    return is_unbound and name_rules(site.ecosystem).has_extensions


def _extension(site: ReferenceSite) -> ExtensionAccess:
    return ExtensionAccess(_name_in_file(site), site.access, site.name)


def with_unresolved(
    resolver: BatchResolver, sites: Sequence[ReferenceSite], resolutions: Sequence[Resolution]
) -> list[Resolution]:
    """Mark what its file binds to something visible, but nothing tells which, as unresolved."""
    sites = [_without_receiver(site) for site in sites]
    bound = [
        index
        for index, (site, resolution) in enumerate(zip(sites, resolutions, strict=True))
        if not (resolution.targets or resolution.is_bound)
        and site.binding in _BOUND
        and not holds_function(site)
    ]
    asked = _questions(resolver, [sites[index] for index in bound])
    questions = {
        index: [Outside(*question, is_indirect=_is_deep(sites[index])) for question in several]
        for index, several in zip(bound, asked, strict=True)
    }
    answers = resolver.resolve_each(questions)
    return [
        Resolution((), is_unresolved=True)
        if index in answers and not all(answers[index])
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
    imports = dict(zip(keys, resolver.resolve_all(keys), strict=True))
    return [_questions_of(site, imports) for site in sites]


def _questions_of(
    site: ReferenceSite, imports: Mapping[Imports, Sequence[ImportRow]]
) -> list[MemberAccess]:
    if site.binding == Binding.IMPORT and not name_rules(site.ecosystem).tries_enclosing_scopes:
        place = (site.repository, site.package, site.ecosystem)
        names = f".{site.chain}" if site.chain else ""
        return [
            _member_access(site, ImportPath(*place, f"{row.path}{names}"))
            for row in imports[Imports(site.file, site.root)]
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
        for candidate in without_values(candidates)
    )
    is_builtin = site.access == Access.INSTANCE and is_builtin_type(site.ecosystem, site.root)
    is_outside = is_builtin or name_rules(site.ecosystem).has_programs
    is_bound = site.binding == Binding.FREE and is_outside and not site.chain
    is_unbound = site.binding in {Binding.UNKNOWN, Binding.FREE} and not is_bound
    return Resolution(targets, is_unresolved=not targets and is_unbound)
