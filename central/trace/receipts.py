"""Receipts and hints: which commits answered, what is missing, and why nothing was found."""

from collections.abc import Iterable, Sequence
from typing import Final

from central.repositories.visibility import MissingProject, RepositoryInSight, answering_projects
from central.trace.answers import TraceReceipt, Unresolved, UnresolvedSite
from central.trace.callers import MAX_UNRESOLVED, SAMPLE
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import MAX_DEFINITIONS
from central.trace.resolve.references import ReferenceSite
from central.trace.resolve.resolve import Confidence

LAST_PAGE: Final = "There are no more results; the page before was the last."


def missing_projects(
    scope: Sequence[RepositoryInSight], unknown: Sequence[str]
) -> list[MissingProject]:
    """Every project in scope of which the answer may lack something."""
    missing = [MissingProject(item.name, item.lack) for item in scope if item.lack]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return sorted(missing, key=lambda item: item.project)


def receipt_of(
    repositories: Iterable[RepositoryInSight],
    *,
    missing: list[MissingProject],
    unresolved: Unresolved,
    cut: list[str],
    seconds: float,
) -> TraceReceipt:
    """What was asked; complete where nothing is missing and no limit was met."""
    return TraceReceipt(
        complete=not missing and not cut,
        took_ms=round(seconds * 1000, 1),
        projects=answering_projects(repositories),
        missing=missing,
        unresolved=unresolved,
        cut=cut,
    )


def unresolved_of(scope: TraceScope, count: int, sample: Sequence[ReferenceSite]) -> Unresolved:
    """The receipt's part on references of which nothing is known."""
    return Unresolved(
        min(count, MAX_UNRESOLVED),
        count > MAX_UNRESOLVED,
        [
            UnresolvedSite(scope.repositories[s.repository].name, s.path, s.line, s.name)
            for s in sample[:SAMPLE]
        ],
    )


def cut_definitions(has_more: bool) -> list[str]:
    """What the receipt says where a name has more definitions than are traced."""
    if not has_more:
        return []
    return [
        f"The name has more than {MAX_DEFINITIONS} definitions, of which the first were traced; "
        "give a qualified name, project or file."
    ]


def hint_for(
    what: str,
    *,
    min_confidence: Confidence,
    unresolved: int,
    missing: Sequence[MissingProject],
    is_narrowed: bool = False,
) -> str:
    """`what` was looked for: callers, callees, or callers and callees.

    `unresolved` counts references by the name, for callees those that stand in the definition.
    """
    reasons = []
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
