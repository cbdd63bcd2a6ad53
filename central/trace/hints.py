"""Why an answer is empty, and what to try. Pure."""

from collections.abc import Sequence

from central.repositories.sight import MissingProject
from central.trace.forward import Confidence
from central.trace.query import TraceRequest


def hint_for(
    request: TraceRequest, *, what: str, unresolved: int, missing: Sequence[MissingProject]
) -> str:
    """`what` are callers or callees."""
    if request.cursor:
        return "There are no more results; the page before was the last."
    reasons = []
    if unresolved and request.min_confidence > Confidence.LOW:
        noun, verb = ("reference", "is") if unresolved == 1 else ("references", "are")
        subject = "by that name" if what == "callers" else "in it"
        reasons.append(
            f"{unresolved} {noun} {subject} {verb} of something unknown; "
            "min_confidence=low lists them."
            if what == "callers"
            else f"{unresolved} {noun} {subject} {verb} of something unknown."
        )
    if request.min_confidence is Confidence.HIGH:
        reasons.append("Only the surest links were asked for; try min_confidence=medium.")
    if request.caller_projects:
        reasons.append("caller_projects leaves the other projects out.")
    if missing:
        noun = "project" if len(missing) == 1 else "projects"
        reasons.append(f"{len(missing)} {noun} in scope may lack something: see receipt.missing.")
    return " ".join(reasons) or f"Nothing in what this credential sees is among its {what}."
