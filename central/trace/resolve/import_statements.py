"""What an import statement names: definitions, and whole modules."""

from collections.abc import Sequence

from central.trace.resolve.engine import RuleSteps
from central.trace.resolve.module_lookup import contents_of, groups_of, is_plausible
from central.trace.resolve.questions import (
    ImportedModules,
    ImportPath,
    ImportStatement,
)
from central.trace.resolve.search_paths import searched_paths
from central.trace.resolve.sql import FileContext


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
    group = next(
        (module_match for module_match in tried if is_plausible(module_match, contents)), []
    )
    return tuple(match for match in group if not match.names)
