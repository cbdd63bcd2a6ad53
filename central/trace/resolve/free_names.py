"""Names that a file uses without binding: from its scope, wildcards and dependencies.

Also pytest's fixtures: in a test's module, then in conftest.py from its directory up.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from central.trace.resolve.ecosystems import name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.modules import prefixes
from central.trace.resolve.questions import (
    FUNCTIONS,
    Ancestors,
    Classes,
    ImportPath,
    Members,
    NameInFile,
    ResolvedDefinition,
    UnboundName,
    best_candidates,
    enclosing_names,
    reached_via_each,
)
from central.trace.resolve.search_paths import searched_paths
from central.trace.resolve.sql import (
    Declared,
    Extensions,
    FileContext,
    Files,
    ImportRow,
    Modules,
    NameRow,
    SameScopeDefinitions,
    Scopes,
    TopLevel,
    Typing,
    Wildcards,
)
from indexer.records.files import VALUE_KINDS
from indexer.records.fixtures import split_fixture
from indexer.records.references import RECEIVER, USED_NAMESPACE

# Kinds of definitions in which no name is looked up from outside; "" is a field's.
_WITHOUT_NAMES: Final = FUNCTIONS | VALUE_KINDS | {""}


def unbound_name(question: UnboundName) -> RuleSteps:
    """Try in order: an enclosing class, the scope, a wildcard import, of a script also of its own
    directory, another file's wildcard import of the same scope, the whole path as written, and the
    declared packages that are imported by wildcard, if just one definition has the name.
    """
    for rule in _RULES:
        found = yield from rule(question)
        if found:
            return best_candidates(found)
    return ()


def _inherited(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    if not name_rules(question.ecosystem).inherits_bare_names:
        return []
    for enclosing in _around(question):
        (ancestors,) = yield [Ancestors(question.file, enclosing)]
        if ancestors:
            (members,) = yield [Members(question.file, enclosing, _names(question))]
            found = _without_constructors(question, members)
            if found:
                receiver = (question.file, enclosing)
                return [
                    target._replace(rule="receiver_type", receiver=receiver) for target in found
                ]
    return []


def _of_receiver(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    """Resolve a member of the receiver of the extension around: Kotlin's `fun A.f() = g()`."""
    if not question.caller or not name_rules(question.ecosystem).has_implicit_receivers:
        return []
    around = [f"{name}.{RECEIVER}" for name in with_outer(question.caller)]
    typings = yield [Typing(question.file, name) for name in around]
    told = [name for name, rows in zip(around, typings, strict=True) if rows]
    answers = yield [Members(question.file, name, _names(question)) for name in told]
    found = next(filter(None, answers), ())
    if (told or question.caller.endswith(RECEIVER)) and not found:
        found = yield from _beside_receivers(question, told)
    return [definition._replace(rule="receiver_type") for definition in found]


def _beside_receivers(question: UnboundName, told: Sequence[str]) -> RuleSteps:
    """Find a member of a class around an extension or lambda whose object is not known to have it.

    It is a guess if the receiver's type is not visible, or if an extension has that name.
    """
    around = _around(question)
    rows = yield [SameScopeDefinitions(question.file, name) for name in around]
    owners = [
        name
        for name, several in zip(around, rows, strict=True)
        if {row.kind for row in several}.isdisjoint(_WITHOUT_NAMES)
    ]
    members = yield [Members(question.file, name, _names(question)) for name in owners]
    found = next(filter(None, members), ())
    if not found:
        return ()
    classes = yield [Classes(question.file, name) for name in told]
    (extensions,) = yield [Extensions(question.ecosystem, question.root)]
    is_certain = all(classes) and not extensions
    return tuple(target._replace(is_certain=target.is_certain and is_certain) for target in found)


def _in_scope(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    (scopes,) = yield [Scopes(question.file)]
    paths = yield from _scoped(question, scopes)
    found = yield from _nearest(question, paths, "same_package", is_own=True)
    rules = name_rules(question.ecosystem)
    if found and rules.tries_enclosing_scopes:
        return (yield from _beside_usings(question, scopes, found))
    return (yield from _loaded(question, found)) if rules.loads_functions else found


def _loaded(
    question: UnboundName, found: list[ResolvedDefinition]
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Make a guess of what is no class's, in a file that this one does not load."""
    functions = {
        target.key
        for target in found
        if target.name == question.root
        and target.kind in FUNCTIONS
        and target.file != question.file
    }
    if not functions:
        return found
    loaded = yield from _by_wildcard(question)
    functions -= {definition.key for definition in loaded}
    return [
        target._replace(is_certain=target.is_certain and target.key not in functions)
        for target in found
    ]


def _beside_usings(
    question: UnboundName, scopes: Sequence[NameRow], found: list[ResolvedDefinition]
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return what a name is in the namespaces around, or also by a `using` that stands in one.

    Where it stands is not known. What the file's own namespace has goes before both.
    """
    own = yield from own_names(question, scopes, _names(question))
    used = [] if own else (yield from _by_wildcard(question))
    if not used or {namespace.key for namespace in used} == {target.key for target in found}:
        return found
    return [definition._replace(is_certain=False) for definition in (*found, *used)]


def own_names(
    question: NameInFile, scopes: Sequence[NameRow], names: Sequence[str]
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return what a path of names means in a file's own namespaces."""
    paths = [".".join((scope.name, *names)) for scope in scopes]
    answers = yield [ImportPath(*question[1:4], path, is_own=True) for path in paths]
    return [definition._replace(rule="same_package") for answer in answers for definition in answer]


def _by_wildcard(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    (wildcards,) = yield [Wildcards(question.file)]
    modules = [*(yield from _own_module(question)), *_paths(wildcards)]
    several = yield from _inside(question, dict.fromkeys(modules))
    return (yield from _nearest(question, several, "import"))


def _own_module(question: UnboundName) -> RuleGenerator[list[str]]:
    """Return the file's own module, where it may declare what another one defines."""
    if not name_rules(question.ecosystem).has_headers:
        return []
    (places,) = yield [Files(question.file)]
    return [f"/{place.path}" for place in places]


def _by_wildcard_beside(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    """Resolve what a file imports whole from a place that it does not name in full."""
    (wildcards,) = yield [Wildcards(question.file)]
    modules = _paths(wildcards)
    if not modules:
        return []
    searched = yield from searched_paths(question.file, FileContext(*question[1:4]), modules)
    for further in searched:
        paths = yield from _inside(question, further.paths)
        found = yield from _nearest(question, paths, "import")
        if found:
            certain = further.is_certain
            return [target._replace(is_certain=target.is_certain and certain) for target in found]
    return []


def _by_wildcard_of_scope(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    """Resolve what another file imports for all: Ruby's `require`, C#'s `global using`."""
    if not name_rules(question.ecosystem).shares_wildcards:
        return []
    (scopes,) = yield [Scopes(question.file)]
    paths = yield from _scoped(question, scopes)
    return (yield from _nearest(question, paths, "import"))


def _in_full(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    """Resolve a path with its namespace, which needs no import: `com.acme.Trail.record()`."""
    if not question.chain or not name_rules(question.ecosystem).has_full_names:
        return []
    path = ".".join(_names(question)).removeprefix("\\")  # PHP's `\Acme\Trail`
    (found,) = yield [ImportPath(*question[1:4], path)]
    return [definition._replace(rule="import") for definition in found]


def _in_dependencies(question: UnboundName) -> RuleGenerator[list[ResolvedDefinition]]:
    """Resolve a bare name; the wildcard's module need not be the one that defines it."""
    if question.chain:
        return []
    (wildcards, declared) = yield [Wildcards(question.file), Declared(question.package)]
    cuts = [Modules(question.repository, cut) for row in wildcards for cut, _ in prefixes(row.path)]
    modules = yield cuts
    names = {row.name for row in declared}
    packages = {
        row.package
        for rows in modules
        for row in rows
        if row.distribution in names and row.ecosystem == question.ecosystem and row.public
    }
    answers = yield [TopLevel(package, question.root) for package in sorted(packages)]
    rows = [row for answer in answers for row in answer]
    if len({row.file for row in rows}) != 1:
        return []
    return [
        ResolvedDefinition(
            rows[0].file, question.root, rows[0].kind, is_certain=False, rule="dependency"
        )
    ]


_RULES: Final = (
    _of_receiver, _inherited, _in_scope, _by_wildcard, _by_wildcard_beside,
    _by_wildcard_of_scope, _in_full, _in_dependencies,
)  # fmt: skip


def _nearest(
    question: UnboundName, several: Iterable[list[str]], rule: str, *, is_own: bool = False
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return the meaning of the first paths that have one."""
    for paths in several:
        answers = yield [ImportPath(*question[1:4], path, is_own) for path in paths]
        found = [
            definition._replace(rule=rule)
            for answer in answers
            for definition in _without_constructors(question, answer)
        ]
        if found:
            return found
    return []


def _without_constructors(
    question: UnboundName, found: Iterable[ResolvedDefinition]
) -> list[ResolvedDefinition]:
    """Leave out members of a class of that name: in C++ it is the class, not its constructor."""
    if question.chain or not name_rules(question.ecosystem).has_headers:
        return list(found)
    return [target for target in found if target.name.split(".")[-2:-1] != [question.root]]


def follow_fixture(question: ImportPath) -> RuleSteps:
    """Answer with the nearest fixture of the name, or its members; only functions are fixtures."""
    modules, name, rest = split_fixture(question.path) or ([], "", ())
    answers = yield [question._replace(path=f"{module}.{name}") for module in modules]
    nearest = next(filter(None, answers), ())
    definitions = yield [SameScopeDefinitions(*definition.key) for definition in nearest]
    found = [
        definition
        for definition, rows in zip(nearest, definitions, strict=True)
        if any(row.file == definition.file and row.kind in FUNCTIONS for row in rows)
    ]
    if not rest:
        return tuple(found)
    members = yield [Members(definition.file, definition.name, rest) for definition in found]
    return best_candidates(reached_via_each(found, members))


def _scoped(question: UnboundName, scopes: Sequence[NameRow]) -> RuleGenerator[list[list[str]]]:
    """Return the paths that a name may stand for, nearest first; equally near ones together."""
    names = [scope.name for scope in scopes]
    if not name_rules(question.ecosystem).tries_enclosing_scopes:
        return (yield from _inside(question, names))
    path = ".".join(_names(question))
    return [[f"{around}.{path}"] for name in names for around in with_outer(name)]


def with_outer(name: str) -> Iterator[str]:
    """Yield a name and those around it: `a.b` → `a.b`, `a`; a directory has none."""
    return iter((name,)) if name.startswith("/") else enclosing_names(name)


def _inside(question: UnboundName, modules: Collection[str]) -> RuleGenerator[list[list[str]]]:
    """Return paths in these modules, in some ecosystems inside the enclosing names first.

    In C++ the name of an enclosing class is that class, and namespaces that are used come last.
    """
    names = _names(question)
    has_headers = name_rules(question.ecosystem).has_headers
    enclosing = (yield from _enclosing(question)) if modules else []
    several = []
    for around in (namespace.split(".") for namespace in enclosing):
        inner = around[:-1] if has_headers and around[-1] == names[0] else around
        several.append([".".join((*inner, *names))])
    several.append([".".join(names)])
    if has_headers:
        several.append((yield from _in_used_namespaces(question, enclosing)))
    tried = dict.fromkeys(map(tuple, several))
    return [[f"{module}.{path}" for path in paths for module in modules] for paths in tried]


def _in_used_namespaces(
    question: UnboundName, enclosing: Sequence[str]
) -> RuleGenerator[list[str]]:
    """Return the paths of a name in the namespaces that its file uses: `using namespace geo;`."""
    (wildcards,) = yield [Wildcards(question.file)]
    used = [
        row.path.removeprefix(USED_NAMESPACE)
        for row in wildcards
        if row.path.startswith(USED_NAMESPACE)
    ]
    inner = [f"{around}.{namespace}" for namespace in used for around in enclosing]
    return [".".join((namespace, *_names(question))) for namespace in (*used, *inner)]


def _paths(wildcards: Iterable[ImportRow]) -> list[str]:
    """Return the modules that a file imports whole."""
    paths = dict.fromkeys(row.path for row in wildcards)
    return [path for path in paths if not path.startswith(USED_NAMESPACE)]


def _enclosing(question: UnboundName) -> RuleGenerator[list[str]]:
    """Return the definitions around a reference in which its name may be looked up, inner first.

    What a function defines is seen by its own file alone. A field or variable holds no names.
    """
    if not question.caller or not name_rules(question.ecosystem).tries_enclosing_names:
        return []
    (rows,) = yield [SameScopeDefinitions(question.file, question.caller)]
    kinds = {row.kind for row in rows if row.file == question.file}
    around = _around(question)
    return around if kinds & _WITHOUT_NAMES else [question.caller, *around]


def _around(question: UnboundName) -> list[str]:
    """Return the names of the definitions around that of the reference, inner first."""
    return list(enclosing_names(question.caller))[1:]


def _names(question: UnboundName) -> tuple[str, ...]:
    return (question.root, *question.chain.split(".")) if question.chain else (question.root,)
