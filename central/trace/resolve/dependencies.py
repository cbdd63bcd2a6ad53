"""Packages that come with what a package declares, though it does not name them itself."""

from typing import Final

from central.trace.resolve.engine import RuleSteps
from central.trace.resolve.questions import ComeAlong, Limit
from central.trace.resolve.sql import Declared, Required

MAX_LEVELS: Final = 8  # of dependencies of dependencies
MAX_PACKAGES: Final = 1_000  # whose dependencies are read for a package

CUT_DEPENDENCIES: Final = (
    f"Dependencies of dependencies were followed over {MAX_LEVELS} levels and {MAX_PACKAGES:,}"
    " packages at most."
)


def come_along(question: ComeAlong) -> RuleSteps:
    """Answer (names,), a set: what visible packages require, level by level."""
    (declared,) = yield [Declared(question.package)]
    level = {row.name for row in declared}
    seen = set(level)
    asked = 0
    for _ in range(MAX_LEVELS):
        asked += len(level)
        if not level or asked > MAX_PACKAGES:
            break
        answers = yield [Required(question.ecosystem, name) for name in sorted(level)]
        level = {row.name for rows in answers for row in rows} - seen
        seen |= level
    if level:
        yield [Limit(CUT_DEPENDENCIES)]
    return (frozenset(seen),)
