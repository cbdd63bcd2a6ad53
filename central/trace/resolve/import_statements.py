"""What an import statement names: definitions, and whole modules."""

from collections.abc import Sequence

from central.trace.resolve.ecosystems import is_standard, name_rules
from central.trace.resolve.engine import RuleGenerator, RuleSteps
from central.trace.resolve.module_lookup import contents_of, groups_of, is_plausible
from central.trace.resolve.questions import (
    ImportedModules,
    ImportPath,
    ImportStatement,
    NameInFile,
    UnboundName,
)
from central.trace.resolve.sql import Declared, FileContext, Files, Modules


def import_statement(question: ImportStatement) -> RuleSteps:
    """Answer (definitions, modules): what the path means, or else a module beside the file."""
    found = yield from _named([ImportPath(*question[1:])])
    if not any(found) and name_rules(question.ecosystem).imports_beside:
        found = yield from _named((yield from paths_beside(question, [question.path])))
    return found


def _named(paths: Sequence[ImportPath]) -> RuleSteps:
    definitions = yield paths
    modules = yield [ImportedModules(*path[:4]) for path in paths]
    return tuple(
        tuple(one for answer in found for one in answer) for found in (definitions, modules)
    )


def imported_modules(question: ImportedModules) -> RuleSteps:
    """Answer with the modules that are the whole path."""
    context = FileContext(*question[:3])
    (tried,) = groups = yield from groups_of([(context, question.path)])
    contents = yield from contents_of(groups)
    group = next((one for one in tried if is_plausible(one, contents)), [])
    return tuple(match for match in group if not match.names)


def paths_beside(
    question: NameInFile | ImportStatement | UnboundName, paths: Sequence[str]
) -> RuleGenerator[list[ImportPath]]:
    """Return what imports of a script's own directory mean, as Python does outside of packages."""
    places, declared = yield [Files(question.file), Declared(question.package)]
    directory = "/" + places[0].path.rpartition("/")[0].replace("/", ".") if places else "/"
    (packages,) = yield [Modules(question.repository, directory)]
    if packages or directory == "/":
        return []
    taken = {row.name.replace("-", "_") for row in declared}
    return [
        ImportPath(*question[1:4], f"{directory}.{path}")
        for path in paths
        if not path.startswith("/")
        and not is_standard(question.ecosystem, path)
        and path.partition(".")[0] not in taken
    ]
