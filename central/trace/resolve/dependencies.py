"""Packages that come with what a package declares, though it does not name them itself."""

from typing import Final

from central.trace.resolve.engine import RuleSteps
from central.trace.resolve.questions import Installed, Limit
from central.trace.resolve.sql import Declared, Required, RequirementOf

MAX_LEVELS: Final = 8  # of dependencies of dependencies
MAX_PACKAGES: Final = 1_000  # whose dependencies are read for a package

CUT_DEPENDENCIES: Final = (
    f"Dependencies of dependencies were followed over {MAX_LEVELS} levels and {MAX_PACKAGES:,}"
    " packages at most."
)


def installed(question: Installed) -> RuleSteps:
    """Answer (True,) if a lock file has the distribution, or declared dependencies require it."""
    locked, declared = yield [
        RequirementOf(question.package, question.distribution),
        Declared(question.package),
    ]
    if locked:
        return (True,)
    seen: set[str] = set()
    level = {row.name for row in declared}
    for _ in range(MAX_LEVELS):
        seen |= level
        if not level:
            return ()
        if len(seen) > MAX_PACKAGES:
            break
        answers = yield [Required(question.ecosystem, name) for name in sorted(level)]
        required = {row.name for rows in answers for row in rows}
        if question.distribution in required:
            return (True,)
        level = required - seen
    if level:
        yield [Limit(CUT_DEPENDENCIES)]
    return ()
