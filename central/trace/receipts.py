"""Receipts and hints: which commits answered, what is missing, and why nothing was found."""

import time
from collections.abc import Iterable, Sequence
from typing import Final

from central.repositories.visibility import MissingProject, answering_projects
from central.trace.answers import TraceReceipt, Unresolved, UnresolvedSite
from central.trace.callers import MAX_UNRESOLVED, SAMPLE
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import MAX_DEFINITIONS
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import Confidence

LAST_PAGE: Final = "There are no more results; the page before was the last."


def missing_projects(scope: TraceScope, unknown: Iterable[str] = ()) -> list[MissingProject]:
    """Return the projects in scope whose part of the answer may be incomplete."""
    missing = [
        MissingProject(one.name, one.incomplete_reason)
        for one in scope.repositories.values()
        if one.incomplete_reason
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return sorted(missing, key=lambda item: item.project)


def receipt_of(
    scope: TraceScope,
    *,
    unresolved_count: int,
    unresolved_sample: Sequence[ReferenceSite],
    cut: list[str],
    started: float,
    unknown: Iterable[str] = (),
) -> TraceReceipt:
    """Build the receipt; it is complete if nothing is missing and no limit was met."""
    missing = missing_projects(scope, unknown)
    sample = [
        UnresolvedSite(scope.repositories[s.repository].name, s.path, s.line, s.name)
        for s in unresolved_sample[:SAMPLE]
    ]
    return TraceReceipt(
        complete=not missing and not cut,
        took_ms=round((time.perf_counter() - started) * 1000, 1),
        projects=answering_projects(scope.repositories.values()),
        missing=missing,
        unresolved=Unresolved(
            min(unresolved_count, MAX_UNRESOLVED), unresolved_count > MAX_UNRESOLVED, sample
        ),
        cut=cut,
    )


def cut_definitions(has_more: bool) -> list[str]:
    """Return the receipt's text for a name with more definitions than are traced."""
    if not has_more:
        return []
    return [
        f"The name has more than {MAX_DEFINITIONS} definitions, of which the first were traced; "
        "give a qualified name, project or file."
    ]


def hint_for(
    what: str, receipt: TraceReceipt, *, min_confidence: Confidence, is_narrowed: bool = False
) -> str:
    """Explain an empty answer; `what` is "callers", "callees" or "callers and callees".

    Unresolved references have the symbol's name; for callees they stand in its definitions.
    """
    reasons = []
    unresolved, missing = receipt.unresolved.count, receipt.missing
    if unresolved and min_confidence > Confidence.LOW:
        noun, verb = ("reference", "is") if unresolved == 1 else ("references", "are")
        subject = "in it" if what == "callees" else "by that name"
        reasons.append(
            f"{unresolved} {noun} {subject} {verb} of something unknown."
            if what == "callees"
            else f"{unresolved} {noun} {subject} {verb} of something unknown; "
            "min_confidence=low lists them."
        )
    if min_confidence is Confidence.HIGH:
        reasons.append("Only the surest links were asked for; try min_confidence=medium.")
    if is_narrowed:
        reasons.append("caller_projects leaves the other projects out.")
    if missing:
        noun = "project" if len(missing) == 1 else "projects"
        reasons.append(f"{len(missing)} {noun} in scope may lack something: see receipt.missing.")
    return " ".join(reasons) or f"Nothing in what this credential sees is among its {what}."
