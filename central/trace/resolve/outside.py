"""Whether what has no visible definition is outside of the visible repositories, or unknown.

Outside: the path leads into a module that no visible repository has, or a class has a base there.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.members import declared_type
from central.trace.resolve.modules import is_standard, prefixes
from central.trace.resolve.questions import (
    Classes,
    ImportPath,
    NameInFile,
    Outside,
    OutsideBases,
    ResolvedDefinition,
    last_name,
)
from central.trace.resolve.sql import (
    Imports,
    Modules,
    SameScopeDefinitions,
    Typing,
    TypingRow,
    Wildcards,
)
from indexer.records.files import VALUE_KINDS
from indexer.records.references import CALLED, Binding

_VALUES: Final = VALUE_KINDS | {""}
_WITHOUT_WILDCARDS: Final = frozenset({"pypi", "npm"})  # else an unbound name is the language's
_OF_EVERY_CLASS: Final = {"pypi": frozenset(dir(object))}


def outside(question: Outside) -> RuleSteps:
    """Answer (True,) if the member, or else the origin itself, is outside; () if it is unknown."""
    origin = question.origin
    if isinstance(origin, NameInFile) and origin.binding == Binding.IMPORT:
        (imports,) = yield [Imports(origin.file, origin.root)]
        chain = f".{origin.chain}" if origin.chain else ""
        paths = dict.fromkeys(f"{row.path}{chain}" for row in imports)
        return _all((yield [question.of_path(*origin[1:4], path) for path in paths]))
    if isinstance(origin, ImportPath):
        is_visible = yield from _is_visible(origin)
        if not is_visible:
            return (True,)
    for beginning, missing in _beginnings(origin, question.name):
        (candidates,) = yield [beginning]
        if candidates:
            return (yield from _are_outside(candidates, missing, origin.ecosystem))
    if isinstance(origin, NameInFile) and origin.ecosystem in _WITHOUT_WILDCARDS:
        (wildcards,) = yield [Wildcards(origin.file)]
        return () if wildcards else (True,)
    return ()


def outside_bases(question: OutsideBases) -> RuleSteps:
    """Answer (True,) if a class may inherit the member from a class outside."""
    if question.member in _OF_EVERY_CLASS.get(question.ecosystem, ()):
        return (True,)
    (near,) = yield [SameScopeDefinitions(question.file, question.name)]
    files = list(dict.fromkeys([question.file, *(row.file for row in near)]))
    typing = yield [Typing(file, question.name) for file in files]
    answers = yield [
        Outside(declared_type(file, question.name, row), question.member)
        for file, rows in zip(files, typing, strict=True)
        for row in rows
        if row.kind == "inherit"
    ]
    return (True,) if any(answers) else ()


def _is_visible(path: ImportPath) -> RuleGenerator[bool]:
    """Whether a visible repository may have a module with which the path begins."""
    if path.path.startswith("/"):
        return True
    head = path.path.rpartition("/")[0]
    names = [module for module, _ in prefixes(path.path)]
    while head:  # a directory of Go, a subpath of npm
        names.append(head)
        head = head.rpartition("/")[0]
    answers = yield [Modules(path.repository, name) for name in names]
    is_own = is_standard(path.ecosystem, path.path)  # unless a module of the repository hides it
    return any(
        row.ecosystem == path.ecosystem and (row.repository == path.repository or not is_own)
        for rows in answers
        for row in rows
    )


def _beginnings(
    origin: ImportPath | NameInFile, name: str
) -> Iterator[tuple[ImportPath | NameInFile, str]]:
    """Yield the origin and its beginnings, longest first, each with the member that follows."""
    if isinstance(origin, ImportPath):
        for module, rest in prefixes(origin.path):
            yield origin._replace(path=module), rest[0] if rest else name
        return
    names = origin.chain.split(".") if origin.chain else []
    for count in range(len(names), -1, -1):
        yield origin._replace(chain=".".join(names[:count])), [*names, name][count]


def _are_outside(
    candidates: Sequence[ResolvedDefinition], missing: str, ecosystem: str
) -> RuleSteps:
    """Decide for what was found: all of it must lead outside."""
    answers = yield [Classes(*candidate.key, candidate.inherited_by) for candidate in candidates]
    classes = [found for answer in answers for found in answer]
    if any(found.kind in _VALUES for found in classes):
        return ()
    without = [one for one, answer in zip(candidates, answers, strict=True) if not answer]
    typings = yield [Typing(*one.key) for one in without]
    types = [
        [
            declared_type(*one.key, row)
            for row in rows
            if row.kind == "type" and not _is_decorated(row)
        ]
        for one, rows in zip(without, typings, strict=True)
    ]
    if not all(types):
        return ()
    of_classes = [OutsideBases(found.file, found.name, missing, ecosystem) for found in classes]
    of_types = [Outside(one, missing) for several in types for one in several]
    return _all((yield [*of_classes, *of_types]))


def _is_decorated(row: TypingRow) -> bool:
    """Whether the type is what a decorator gives, which may tell nothing."""
    return last_name(row.chain) == CALLED


def _all(answers: Sequence[tuple[object, ...]]) -> tuple[bool, ...]:
    return (True,) if answers and all(answers) else ()
