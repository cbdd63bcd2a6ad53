"""Whether what has no visible definition is outside of the visible repositories, or unknown.

Outside: the file imports the name itself, or the class whose member it is, from a module that no
visible repository has. Results of functions outside and parts of values there may be anything,
unless the model of a library tells.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from central.trace.resolve.ecosystems import is_standard, name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.free_names import unbound_name
from central.trace.resolve.import_paths import follow_import
from central.trace.resolve.library_models import library_models
from central.trace.resolve.modelled import declared_type, has_member, is_modelled, modelled_at
from central.trace.resolve.modules import prefixes
from central.trace.resolve.questions import (
    Classes,
    ImportPath,
    Members,
    NameInFile,
    Outside,
    OutsideBases,
    ResolvedDefinition,
    UnboundName,
    last_name,
)
from central.trace.resolve.renamed import real_paths
from central.trace.resolve.sql import (
    Declared,
    FileContext,
    Files,
    Imports,
    Modules,
    NamedBases,
    SharedMembers,
    Typing,
    TypingRow,
    Wildcards,
)
from indexer.records.files import VALUE_KINDS
from indexer.records.fixtures import split_fixture
from indexer.records.references import CALLED, ENTER_METHODS, Access, Binding

_VALUES: Final = VALUE_KINDS | {""}


def outside(question: Outside) -> RuleSteps:
    """Answer (True,) if the member, or else the origin itself, is outside; () if it is unknown."""
    origin = question.origin
    if isinstance(origin, NameInFile) and origin.binding == Binding.IMPORT:
        (imports,) = yield [Imports(origin.file, origin.root)]
        names = f".{origin.chain}" if origin.chain else ""
        paths = dict.fromkeys(f"{row.path}{names}" for row in imports)
        return _all((yield [question.of_path(*origin[1:4], path) for path in paths]))
    if isinstance(origin, ImportPath):
        is_visible = yield from is_visible_path(origin)
        if not is_visible:
            return (True,) if _is_told(question, origin) else ()
    for beginning, missing in _beginnings(origin, question.name):
        (candidates,) = yield [beginning]
        if any(map(is_modelled, candidates)):
            return _all(has_member(candidate, ".".join(missing)) for candidate in candidates)
        if candidates:
            if len(missing) > 1:
                return ()
            return (yield from _are_outside(question, candidates, "".join(missing)))
    return ()


def outside_bases(question: OutsideBases) -> RuleSteps:
    """Answer (True,) if a class has a base outside."""
    (named,) = yield [NamedBases(question.file, question.name)]
    answers = yield [
        Outside(declared_type(row.file, question.name, row), Access.BASE, question.member)
        for row in named
    ]
    return (True,) if any(answers) else ()


def is_visible_path(path: ImportPath) -> RuleGenerator[bool]:
    """Whether a visible repository may have a module with which the path begins."""
    if path.path.startswith("/"):
        return True
    context = FileContext(*path[:3])
    declared = yield [Declared(path.package)]
    (real,) = yield from real_paths([(context, path.path)], declared)
    if real:
        asked = [name for real_path in real for name in _beginning_modules(real_path.path)]
        answers = yield [Modules(path.repository, name) for name in asked]
        return any(row.distribution == real[0].distribution for rows in answers for row in rows)
    answers = yield [Modules(path.repository, name) for name in _beginning_modules(path.path)]
    is_own = is_standard(path.ecosystem, path.path)  # unless a module of the repository hides it
    return any(
        row.ecosystem == path.ecosystem and (row.repository == path.repository or not is_own)
        for rows in answers
        for row in rows
    )


def _beginning_modules(path: str) -> list[str]:
    """Return the modules with which a path may begin."""
    head = path.rpartition("/")[0]
    names = [module for module, _ in prefixes(path)]
    while head:  # a directory of Go, a subpath of npm
        names.append(head)
        head = head.rpartition("/")[0]
    return names


def _is_told(question: Outside, origin: ImportPath) -> bool:
    """Whether a path that leads outside names a class, or what is used itself.

    A class has a capital. A type of the standard library that another definition has may be that
    of a box, such as a task, whose content is meant.
    """
    owner, _, last = origin.path.rpartition(".")
    if last in ENTER_METHODS:  # what `with` binds
        origin = origin._replace(path=owner)
    own = is_standard(origin.ecosystem, origin.path)
    if question.access == Access.PATH:
        owner = last_name(origin.path.rpartition(".")[0])
        return not question.is_indirect or own or owner[:1].isupper()
    if question.access == Access.BASE:
        return True
    module, _, names = origin.path.rpartition("/")[2].partition(".")
    rules = name_rules(origin.ecosystem)
    if module in rules.modules_of_special_forms:
        return False
    if question.is_indirect and own:
        return False
    if rules.capitalizes_functions:
        return question.access == Access.INSTANCE and "." not in names
    return last_name(origin.path)[:1].isupper()


def _beginnings(
    origin: ImportPath | NameInFile, name: str
) -> Iterator[tuple[ImportPath | NameInFile, list[str]]]:
    """Yield the origin and its beginnings, longest first, each with the names that follow."""
    if isinstance(origin, ImportPath):
        for module, rest in prefixes(origin.path):
            yield origin._replace(path=module), list(filter(None, (*rest, name)))
        return
    names = origin.chain.split(".") if origin.chain else []
    for count in range(len(names), -1, -1):
        following = list(filter(None, (*names[count:], name)))
        yield origin._replace(chain=".".join(names[:count])), following


def _are_outside(
    question: Outside, candidates: Sequence[ResolvedDefinition], missing: str
) -> RuleSteps:
    """Decide for what was found and lacks the member: all of it must lead outside.

    A class that is visible may have the member from elsewhere, or be the wrong one.
    """
    answers = yield [Classes(*candidate.key, candidate.inherited_by) for candidate in candidates]
    classes = [found for answer in answers for found in answer]
    if any(found.kind in _VALUES for found in classes):
        return ()
    is_of_every = missing in name_rules(question.origin.ecosystem).members_of_every_class
    if classes and not is_of_every and question.access != Access.BASE:
        return ()
    without = [target for target, answer in zip(candidates, answers, strict=True) if not answer]
    typings = yield [Typing(*definition.key) for definition in without]
    types = [
        [
            Outside(declared_type(*definition.key, row), row.access, missing, is_indirect=True)
            for row in rows
            if not _is_decorated(row)
        ]
        for definition, rows in zip(without, typings, strict=True)
    ]
    if not all(types):
        return ()
    bases = (
        [] if is_of_every else [OutsideBases(found.file, found.name, missing) for found in classes]
    )
    return (True,) if all((yield [*bases, *chain.from_iterable(types)])) else ()


def _is_decorated(row: TypingRow) -> bool:
    """Whether the type is what a decorator gives, which may tell nothing."""
    return last_name(row.chain) == CALLED


def _all(answers: Iterable[object]) -> tuple[bool, ...]:
    told = list(answers)
    return (True,) if told and all(told) else ()


def imported_from_library(question: ImportPath) -> RuleSteps:
    """Follow an import; of one that leads outside, ask the models."""
    found = yield from follow_import(question)
    if found or split_fixture(question.path):
        return found
    return (yield from _of_library(question))


def unbound_of_library(question: UnboundName) -> RuleSteps:
    """Resolve a name that its file does not bind: as written, or from what is imported whole."""
    found = yield from unbound_name(question)
    if found:
        return found
    written = ".".join(filter(None, (question.root, question.chain)))
    (wildcards,) = yield [Wildcards(question.file)]
    for path in (written, *(f"{row.path}.{written}" for row in wildcards)):
        found = yield from _of_library(ImportPath(*question[1:4], path))
        if found:
            return found
    return () if question.chain else (yield from _shared(question))


def _shared(question: UnboundName) -> RuleSteps:
    """Resolve a bare name that a library has the files of a package share."""
    shared = library_models().shared(question.ecosystem)
    if not shared:
        return ()
    (places,) = yield [Files(question.file)]
    seen = [
        shared for shared in shared for place in places if re.fullmatch(shared.seen_by, place.path)
    ]
    answers = yield [
        SharedMembers(question.repository, question.package, question.root, shared.members)
        for shared in seen
    ]
    return tuple(
        ResolvedDefinition(row.file, row.name, row.kind, is_certain=False, model=shared.library)
        for shared, rows in zip(seen, answers, strict=True)
        for row in rows
    )


def _of_library(question: ImportPath) -> RuleSteps:
    known = modelled_at(question.ecosystem, question.path)
    if known is None or (yield from is_visible_path(question)):
        return ()
    value, names = known
    return (yield [Members(value.file, value.name, names)])[0] if names else (value,)
