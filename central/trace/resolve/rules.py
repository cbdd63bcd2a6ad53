"""The rules of resolution: how a name is bound, and what making an instance calls."""

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Final

from central.tenancy.models import Organization
from central.trace.resolve import (
    engine,
    extensions,
    free_names,
    import_paths,
    members,
    modelled,
    modules,
    outside,
    scip,
    value_flow,
)
from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import RuleGenerator, Rules, RuleSteps
from central.trace.resolve.modelled import without_modelled
from central.trace.resolve.modules import contents_of, groups_of, is_plausible
from central.trace.resolve.questions import (
    FUNCTIONS,
    Ancestors,
    Bases,
    Classes,
    ComeAlong,
    Constructors,
    ExtensionAccess,
    Flow,
    Held,
    ImportedAccess,
    ImportedModules,
    ImportPath,
    ImportStatement,
    Key,
    Limit,
    MemberAccess,
    Members,
    NameInFile,
    Outside,
    OutsideBases,
    Passed,
    Reexports,
    ResolvedDefinition,
    ScipMeaning,
    UnboundName,
    best_candidates,
    last_name,
    reached_via,
)
from central.trace.resolve.search_paths import searched_meaning, searched_paths
from central.trace.resolve.sql import (
    Decorators,
    DefinitionRow,
    FileContext,
    Imports,
    SameScopeDefinitions,
    Scopes,
    Typing,
)
from indexer.records.files import VALUE_KINDS
from indexer.records.references import Access, Binding

_NO_CLASS_KINDS: Final = FUNCTIONS | VALUE_KINDS | {""}


def constructors(question: Constructors) -> RuleSteps:
    """Find the constructors of a class by each name: its own, or the nearest above it.

    If a class has a primary constructor besides, nothing tells which of the two is called.
    """
    key = (question.file, question.name)
    rules = name_rules(question.ecosystem)
    names = sorted(rules.constructors | rules.secondary_constructors)
    near, *own = yield [SameScopeDefinitions(*key), *(_member(key, name) for name in names)]
    kind = next((row.kind for row in near if row.file == question.file), "")
    if kind in _NO_CLASS_KINDS:
        return ()
    found: list[ResolvedDefinition] = []
    for name, rows in zip(names, own, strict=True):
        found += _functions(key, name, rows, is_certain=name in rules.constructors)
    missing = [
        name
        for name, rows in zip(names, own, strict=True)
        if not rows and name in rules.constructors
    ]
    if missing and (not found or rules.calls_each_constructor):
        found += yield from _inherited(key, missing, rules.constructor_decorator)
    return tuple(found)


def _member(key: Key, name: str) -> SameScopeDefinitions:
    """Return the question for a constructor; without a name it has that of its class."""
    file, container = key
    return SameScopeDefinitions(file, f"{container}.{name or last_name(container)}")


def _functions(
    key: Key, name: str, rows: Sequence[DefinitionRow], *, is_certain: bool
) -> list[ResolvedDefinition]:
    """Return the functions of this name of a class; none of several is certain."""
    is_certain = is_certain and len(rows) == 1
    member = _member(key, name).name
    return [
        ResolvedDefinition(row.file, member, row.kind, is_certain)
        for row in rows
        if row.kind in FUNCTIONS
    ]


def _inherited(
    key: Key, names: Sequence[str], decorator: str
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return the nearest constructor above a class, by each of the names.

    A class between that has `decorator` has a constructor of its own, which is not written; one
    with other decorators may have one.
    """
    (ancestors,) = yield [Ancestors(*key)]
    lineage = without_modelled(ancestors)
    places = [key, *(base.key for base in lineage)] if decorator else []
    decorated = yield [Decorators(*place) for place in places]
    members = yield [_member(base.key, name) for name in names for base in lineage]
    answers = iter(members)
    found: list[ResolvedDefinition] = []
    for name in names:
        rows_of_bases = list(islice(answers, len(lineage)))
        is_certain = True
        for index, (base, rows) in enumerate(zip(lineage, rows_of_bases, strict=True)):
            below = {row.name for row in decorated[index]} if decorated else set()
            if decorator in below:
                break
            is_certain = is_certain and base.is_certain and not below
            if rows:
                found += _functions(base.key, name, rows, is_certain=is_certain)
                break
    return found


def name_in_file(question: NameInFile) -> RuleSteps:
    """Resolve a name that a file defines, imports or leaves unbound."""
    found = yield from _meaning(question)
    if not name_rules(question.ecosystem).has_extensions:
        return found
    if not question.chain:
        return (yield from extensions.of_implicit_receiver(question, found))
    return found or (yield from extensions.through_extensions(question))


def _meaning(question: NameInFile) -> RuleSteps:
    match question.binding:
        case Binding.LOCAL:
            return (yield from _local(question))
        case Binding.IMPORT:
            return (yield from _imported(question))
        case Binding.FREE:
            (answer,) = yield [UnboundName(*question)]
            return answer
    return ()


def imported_access(question: ImportedAccess) -> RuleSteps:
    """Try the paths as written first: other files ask for the same ones."""
    answers = yield question.as_written
    found = tuple(definition for answer in answers for definition in answer)
    if any(definition.is_certain for definition in found):
        return found
    return (yield [question.beside])[0] or found


def member_access(question: MemberAccess) -> RuleSteps:
    """Resolve the origin itself, a member of its class, or a member of its bases."""
    (origins,) = yield [question.origin]
    match question.access:
        case Access.PATH:
            found = origins
        case Access.BASE:
            found = yield from _of_bases(origins, question.name)
        case _:
            found = yield from _of_instances(origins, question)
    return (yield from _aliased(found))


def _aliased(found: Sequence[ResolvedDefinition]) -> RuleSteps:
    """Replace members that are another definition: `f` of `const ns = { f }`."""
    values = [definition for definition in found if not definition.kind and "." in definition.name]
    if not values:
        return tuple(found)
    typings = yield [Typing(*definition.key) for definition in values]
    named = {
        definition.key: modelled.declared_type(*definition.key, row)
        for definition, rows in zip(values, typings, strict=True)
        for row in rows
        if row.access == Access.PATH
    }
    answers = dict(zip(named, (yield list(named.values())), strict=True))
    return best_candidates(
        candidate
        for target in found
        for candidate in (
            [
                answer._replace(rule=target.rule)
                for answer in reached_via(answers[target.key], target)
            ]
            if target.key in answers
            else [target]
        )
    )


def _local(question: NameInFile) -> RuleSteps:
    if question.chain:
        names = tuple(question.chain.split("."))
        (found,) = yield [Members(question.file, question.root, names)]
        return tuple(candidate._replace(rule="same_file") for candidate in found)
    return (ResolvedDefinition(question.file, question.root, "", rule="same_file"),)


def _imported(question: NameInFile) -> RuleSteps:
    if name_rules(question.ecosystem).tries_enclosing_scopes:  # a type of the own namespace first
        (scopes,) = yield [Scopes(question.file)]
        names = (question.root, *filter(None, question.chain.split(".")))
        own = yield from free_names.own_names(question, scopes, names)
        if own:
            return best_candidates(own)
    (rows,) = yield [Imports(question.file, question.root)]
    chain = f".{question.chain}" if question.chain else ""
    paths = dict.fromkeys(f"{row.path}{chain}" for row in rows)
    found = yield [ImportPath(*question[1:4], path) for path in paths]
    candidates = [candidate._replace(rule="import") for answer in found for candidate in answer]
    if not any(definition.is_certain for definition in candidates):
        context = FileContext(*question[1:4])
        searched = yield from searched_meaning(question.file, context, list(paths))
        candidates = searched or candidates
    return best_candidates(candidates)


def _of_instances(origins: Sequence[ResolvedDefinition], question: MemberAccess) -> RuleSteps:
    is_called = question.access == Access.RESULT
    receivers = yield from members.classes_of(
        origins, is_called=is_called and name_rules(question.origin.ecosystem).has_class_calls
    )
    answers = yield [Members(*receiver.key, (question.name,)) for receiver in receivers]
    return best_candidates(
        candidate._replace(receiver=receiver.key)
        for receiver, answer in zip(receivers, answers, strict=True)
        for candidate in reached_via(answer, receiver)
    )


def _of_bases(origins: Sequence[ResolvedDefinition], name: str) -> RuleSteps:
    """Return the nearest definition above each class, without its own."""
    lineages = yield [Ancestors(*origin.key) for origin in origins]
    wanted = [
        (base, SameScopeDefinitions(base.file, f"{base.name}.{name}"))
        for answer in lineages
        for base in answer
    ]
    answers = iter((yield [near for _, near in wanted]))
    found: list[ResolvedDefinition] = []
    for origin, ancestors in zip(origins, lineages, strict=True):
        members = [(base, next(answers)) for base in ancestors]
        for base, rows in members:
            if rows:
                nearest = [
                    ResolvedDefinition(row.file, f"{base.name}.{name}", row.kind, row.is_certain)
                    for row in rows
                ]
                found += reached_via(reached_via(nearest, base), origin)
                break
    return best_candidates(found)


def access_by_models(question: MemberAccess) -> RuleSteps:
    """As `member_access`, with what a library's function was given."""
    found = yield from member_access(question)
    return (yield from modelled.used_as(question, found))


def import_statement(question: ImportStatement) -> RuleSteps:
    """Answer (definitions, modules): what the path means, or else in a further directory."""
    found = yield from _named([ImportPath(*question[1:])])
    if any(definition.is_certain for answer in found for definition in answer):
        return found
    context = FileContext(*question[1:4])
    for further in (yield from searched_paths(question.file, context, [question.path])):
        meant = yield from _named([ImportPath(*context, path) for path in further.paths])
        if any(meant):
            return meant
    return found


def _named(paths: Sequence[ImportPath]) -> RuleSteps:
    definitions = yield paths
    modules = yield [ImportedModules(*path[:4]) for path in paths]
    return tuple(
        tuple(target for answer in found for target in answer) for found in (definitions, modules)
    )


def imported_modules(question: ImportedModules) -> RuleSteps:
    """Answer with the modules that are the whole path."""
    context = FileContext(*question[:3])
    (tried,) = groups = yield from groups_of([(context, question.path)])
    contents = yield from contents_of(groups)
    group = next((group for group in tried if is_plausible(group, contents)), [])
    return tuple(match for match in group if not match.names)


# A cycle of questions is broken at the one that comes last here. Members come late: what a class
# defines itself is right without its bases, and so is a function without what it is given.
RULES: Final[Rules] = {
    Bases: members.bases,
    Classes: members.classes,
    UnboundName: free_names.unbound_name,
    Reexports: import_paths.reexports,
    Limit: engine.record_limit,
    ComeAlong: modules.come_along,
    Ancestors: members.ancestors,
    NameInFile: name_in_file,
    ImportPath: import_paths.follow_import,
    ScipMeaning: scip.scip_meaning,
    ImportedModules: imported_modules,
    ImportStatement: import_statement,
    Constructors: constructors,
    MemberAccess: member_access,
    ImportedAccess: imported_access,
    ExtensionAccess: extensions.extension_access,
    Outside: outside.outside,
    OutsideBases: outside.outside_bases,
    Members: members.members,
    Flow: value_flow.flow,
    Held: value_flow.held,
    Passed: value_flow.passed,
}
# With the models of libraries: what leads to nothing visible may be of a library.
RULES_WITH_MODELS: Final[Rules] = {
    **RULES,
    ImportPath: outside.imported_from_library,
    UnboundName: outside.unbound_of_library,
    MemberAccess: access_by_models,
}


def rules_of(organization: Organization, *, without_index: int = 0) -> Rules:
    """Return the rules by which an organisation's references are resolved.

    `without_index` is a repository whose SCIP index says nothing of what is read of it.
    """
    rules = RULES_WITH_MODELS if organization.uses_models else RULES
    if not without_index:
        return rules
    return {**rules, ScipMeaning: partial(scip.meaning_without, without_index)}
