"""What a name means in its file, by how the file binds it; and what is reached from there."""

from collections.abc import Sequence

from central.trace.inquiry import Asking, Steps
from central.trace.questions import Classes, Free, Lineage, Members, Named, Path, Reached
from central.trace.rows import Declared, Imports, Modules, Near, Places
from central.trace.standard import is_standard
from central.trace.things import Thing, after, surest
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


def import_paths(path: str, chain: str) -> str:
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
    paths = dict.fromkeys(import_paths(row.path, question.chain) for row in imports)
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
