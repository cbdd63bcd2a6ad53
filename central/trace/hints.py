"""Why an answer is empty, and what to try. Pure."""

from collections.abc import Sequence
from typing import Final

from central.repositories.sight import MissingProject
from central.trace.forward import Confidence

LAST_PAGE: Final = "There are no more results; the page before was the last."


def hint_for(
    what: str,
    *,
    least: Confidence,
    unresolved: int,
    missing: Sequence[MissingProject],
    is_narrowed: bool = False,
) -> str:
    """`what` was looked for: callers, callees, or callers and callees.

    `unresolved` counts references by the name, for callees those that stand in the definition.
    """
    reasons = []
    if unresolved and least > Confidence.LOW:
        noun, verb = ("reference", "is") if unresolved == 1 else ("references", "are")
        subject = "in it" if what == "callees" else "by that name"
        reasons.append(
            f"{unresolved} {noun} {subject} {verb} of something unknown."
            if what == "callees"
            else f"{unresolved} {noun} {subject} {verb} of something unknown; "
            "min_confidence=low lists them."
        )
    if least is Confidence.HIGH:
        reasons.append("Only the surest links were asked for; try min_confidence=medium.")
    if is_narrowed:
        reasons.append("caller_projects leaves the other projects out.")
    if missing:
        noun = "project" if len(missing) == 1 else "projects"
        reasons.append(f"{len(missing)} {noun} in scope may lack something: see receipt.missing.")
    return " ".join(reasons) or f"Nothing in what this credential sees is among its {what}."
