"""pytest's fixtures: looked up in a test's module, then in conftest.py from its directory up."""

from central.trace.resolve.engine import RuleSteps
from central.trace.resolve.questions import (
    FUNCTIONS,
    ImportPath,
    Members,
    best_candidates,
    reached_via,
)
from central.trace.resolve.sql import SameScopeDefinitions
from indexer.records.fixtures import split_fixture


def is_fixture(path: str) -> bool:
    """Whether an import path is that of a fixture."""
    return split_fixture(path) is not None


def follow_fixture(question: ImportPath) -> RuleSteps:
    """Answer with the nearest fixture of the name, or its members; only functions are fixtures."""
    modules, name, rest = split_fixture(question.path) or ([], "", ())
    answers = yield [question._replace(path=f"{module}.{name}") for module in modules]
    nearest = next(filter(None, answers), ())
    definitions = yield [SameScopeDefinitions(*one.key) for one in nearest]
    found = [
        one
        for one, rows in zip(nearest, definitions, strict=True)
        if any(row.file == one.file and row.kind in FUNCTIONS for row in rows)
    ]
    if not rest:
        return tuple(found)
    members = yield [Members(one.file, one.name, rest) for one in found]
    return best_candidates(
        candidate
        for one, answer in zip(found, members, strict=True)
        for candidate in reached_via(answer, one)
    )
