"""The rules of resolution: how a name is bound, and how certain that is."""

from collections.abc import Sequence
from typing import Final

from central.trace.resolve import engine, free_names, import_paths, members
from central.trace.resolve.engine import Asking, Rules, Steps
from central.trace.resolve.modules import is_standard
from central.trace.resolve.questions import (
    Bases,
    Classes,
    Free,
    GivenOn,
    Limit,
    Lineage,
    Members,
    Named,
    Path,
    Reached,
    Thing,
    Untold,
    after,
    surest,
)
from central.trace.resolve.sql import Declared, Imports, Modules, Near, Places, Typing, TypingRow
from indexer.records.files import VALUE_KINDS
from indexer.records.references import Access, Binding


def named(question: Named) -> Steps:
    """A definition of the file, what an import leads to, or a name that the file leaves free."""
    match question.binding:
        case Binding.LOCAL:
            return (yield from _local(question))
        case Binding.IMPORT:
            return (yield from _imported(question))
        case Binding.FREE:
            free = (*question[:4], question.root, question.chain, question.caller)
            (answer,) = yield [Free(*free)]
            return answer
    return ()


def reached(question: Reached) -> Steps:
    """The thing itself, or a member of what it is an instance, a maker or an heir of."""
    (origins,) = yield [question.origin]
    match question.access:
        case Access.PATH:
            return origins
        case Access.BASE:
            return (yield from _of_bases(origins, question.name))
    return (yield from _of_instances(origins, question.name))


def import_path(path: str, chain: str) -> str:
    """An import's path and the chain that follows its local name, as one path."""
    return f"{path}.{chain}" if chain else path


def _local(question: Named) -> Steps:
    if question.chain:
        names = tuple(question.chain.split("."))
        (found,) = yield [Members(question.file, question.root, names)]
        return tuple(thing._replace(rule="same_file") for thing in found)
    return (Thing(question.file, question.root, "", rule="same_file"),)


def _imported(question: Named) -> Steps:
    (imports,) = yield [Imports(question.file, question.root)]
    paths = dict.fromkeys(import_path(row.path, question.chain) for row in imports)
    found = yield [Path(*question[1:4], path) for path in paths]
    things = [thing._replace(rule="import") for answer in found for thing in answer]
    if not things and question.ecosystem == "pypi":
        things = yield from _beside(question, list(paths))
    return surest(things)


def _beside(question: Named, paths: Sequence[str]) -> Asking[list[Thing]]:
    """What a script imports from its own directory, as Python does where that is no package."""
    places, declared = yield [Places(question.file), Declared(question.package)]
    directory = "/" + places[0].path.rpartition("/")[0].replace("/", ".") if places else "/"
    (packages,) = yield [Modules(question.repository, directory)]
    if packages or directory == "/":
        return []
    taken = {row.name.replace("-", "_") for row in declared}
    own = [
        Path(*question[1:4], f"{directory}.{path}")
        for path in paths
        if not path.startswith("/")
        and not is_standard(question.ecosystem, path)
        and path.partition(".")[0] not in taken
    ]
    answers = yield own
    return [thing._replace(rule="import") for answer in answers for thing in answer]


def _of_instances(origins: Sequence[Thing], name: str) -> Steps:
    classes = yield [Classes(*origin.key) for origin in origins]
    classed = [
        (found, origin)
        for origin, answer in zip(origins, classes, strict=True)
        for found in after(answer, origin)
    ]
    answers = yield [Members(*found.key, (name,)) for found, _ in classed]
    return surest(
        thing._replace(receiver=found.key)
        for (found, _), answer in zip(classed, answers, strict=True)
        for thing in after(answer, found)
    )


def _of_bases(origins: Sequence[Thing], name: str) -> Steps:
    """The nearest definition above each class, not its own."""
    lineages = yield [Lineage(*origin.key) for origin in origins]
    wanted = [
        (base, Near(base.file, f"{base.name}.{name}")) for answer in lineages for base in answer
    ]
    answers = iter((yield [near for _, near in wanted]))
    found: list[Thing] = []
    for origin, ancestors in zip(origins, lineages, strict=True):
        members = [(base, next(answers)) for base in ancestors]
        for base, rows in members:
            if rows:
                nearest = [Thing(row.file, f"{base.name}.{name}", row.kind) for row in rows]
                found += after(after(nearest, base), origin)
                break
    return surest(found)


_VALUES = VALUE_KINDS | {""}


def untold(question: Untold) -> Steps:
    """(True,) if the names lead into sight, and there to a member, a field or a function of which
    no type is told; () if they lead to a class, or out of sight.
    """
    named = question.origin
    names = named.chain.split(".") if named.chain else []
    for count in range(len(names), -1, -1):
        (things,) = yield [named._replace(chain=".".join(names[:count]))]
        if things:
            return (yield from _any_untold(things, is_whole=count == len(names)))
    return ()


def _any_untold(things: tuple[Thing, ...], *, is_whole: bool) -> Steps:
    """Of what is a class, a member that was not found is untold."""
    answers = yield [Classes(*thing.key) for thing in things]
    classes = [found for answer in answers for found in answer]
    if any(not is_whole or found.kind in _VALUES for found in classes):
        return (True,)
    without = [thing for thing, answer in zip(things, answers, strict=True) if not answer]
    typings = yield [Typing(*thing.key) for thing in without]
    types = [
        Untold(_named(thing, row))
        for thing, rows in zip(without, typings, strict=True)
        for row in rows
        if row.kind == "type"
    ]
    if without and not types:
        return (True,)
    following = yield types
    return (True,) if any(following) else ()


def _named(thing: Thing, row: TypingRow) -> Named:
    place = (row.repository, row.package, row.ecosystem)
    return Named(thing.file, *place, row.binding, row.root, row.chain, thing.name)


RULES: Final[Rules] = {
    Path: import_paths.follow,
    GivenOn: import_paths.given_on,
    Limit: engine.met,
    Named: named,
    Reached: reached,
    Free: free_names.free,
    Members: members.members,
    Classes: members.classes,
    Bases: members.bases,
    Lineage: members.lineage,
    Untold: untold,
}
