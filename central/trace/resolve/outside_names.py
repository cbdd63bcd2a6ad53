"""Names that lead to nothing visible, but to what a library has by its model."""

import re

from central.trace.resolve.engine import RuleSteps
from central.trace.resolve.free_names import is_fixture, unbound_name
from central.trace.resolve.import_paths import follow_import
from central.trace.resolve.library_models import library_models
from central.trace.resolve.modelled import modelled_at
from central.trace.resolve.outside import is_visible_path
from central.trace.resolve.questions import ImportPath, Members, ResolvedDefinition, UnboundName
from central.trace.resolve.sql import Files, SharedMembers, Wildcards


def imported_from_library(question: ImportPath) -> RuleSteps:
    """Follow an import; of one that leads outside, ask the models."""
    found = yield from follow_import(question)
    if found or is_fixture(question.path):
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
