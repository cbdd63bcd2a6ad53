"""Receipts and hints: which commits answered, what is missing, and why nothing was found."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.trace import (
    Confidence,
    Elsewhere,
    PartlyParsed,
    TraceReceipt,
    UnreadManifest,
    Unresolved,
    UnresolvedSite,
)
from central.repositories.extractors import older_extractor
from central.repositories.visibility import answering_projects, listed_missing
from central.sentences import Sentence
from central.trace.request_scope import TraceScope
from central.trace.resolve.definitions import MAX_DEFINITIONS
from central.trace.tally import MAX_UNRESOLVED, SAMPLE, Tally

_INSIDE: Final = "{count} {noun} in it {verb} of something unknown."
_BY_NAME: Final = (
    "{count} {noun} by that name {verb} of something unknown; min_confidence=low lists them."
)
_TYPES: Final = "Uses as a type are left out: kind=type lists those that an index of SCIP knows."
_UNREAD: Final = (
    "A manifest that could not be read whole may hide some: see receipt.unread_manifests."
)
_OLDER: Final = (
    "{count} {noun} in scope {verb} read by an older extractor, which may find less: see "
    "receipt.older_extractor."
)
_NO_MODELS: Final = (
    "Models of libraries are off in this organisation: what calls of a library give is unknown."
)
LAST_PAGE: Final = "There are no more results; the page before was the last."


def missing_projects(
    scope: TraceScope, *, unknown: Iterable[str] = (), only: Collection[str] = ()
) -> list[MissingProject]:
    """Return the projects in scope whose part of the answer may be incomplete.

    `only`: the names of those that the answer is restricted to, if it is: without an index, no
    other one can be among it.
    """
    missing = [
        repository.missing(repository.incomplete_reason)
        for repository in scope.repositories.values()
        if repository.incomplete_reason
        and (repository.generation or (repository.name in only if only else repository.is_expected))
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return missing


def trace_receipt(
    scope: TraceScope,
    *,
    tally: Tally,
    cut: list[str],
    partly_parsed: PartlyParsed,
    unread_manifests: Sequence[UnreadManifest] = (),
    unknown: Iterable[str] = (),
    only: Collection[str] = (),
) -> TraceReceipt:
    """Build the receipt.

    It is complete if nothing is missing, no limit was met, and no partly parsed file and no unread
    manifest is relevant.
    """
    missing = missing_projects(scope, unknown=unknown, only=only)
    listed, more = listed_missing(missing)
    sample = [
        UnresolvedSite(scope.repositories[s.repository].name, s.path, s.line, s.name)
        for s in tally.unresolved_sample[:SAMPLE]
    ]
    return TraceReceipt(
        complete=not (missing or cut or partly_parsed.relevant or unread_manifests),
        took_ms=round((time.perf_counter() - scope.started) * 1000, 1),
        projects=answering_projects(scope.repositories.values()),
        missing=listed,
        missing_more=more,
        unresolved=Unresolved(
            min(tally.unresolved, MAX_UNRESOLVED), tally.unresolved > MAX_UNRESOLVED, sample
        ),
        elsewhere=Elsewhere(tally.elsewhere, tally.is_more_elsewhere),
        cut=cut,
        partly_parsed=partly_parsed,
        unread_manifests=list(unread_manifests),
        older_extractor=older_extractor(
            repository
            for repository in scope.repositories.values()
            if not only or repository.name in only
        ),
        edges_behind=scope.edges_behind,
        resolved_by=scope.resolved_by,
    )


def cut_definitions(has_more: bool) -> list[str]:
    """Return the receipt's text for a name with more definitions than are traced."""
    if not has_more:
        return []
    return [
        f"The name has more than {MAX_DEFINITIONS} definitions, of which the first were traced; "
        "give a qualified name, module:name, project or file."
    ]


def hint_for(
    scope: TraceScope,
    what: str,
    receipt: TraceReceipt,
    *,
    min_confidence: Confidence,
    has_projects: bool = False,
    has_kinds: bool = False,
) -> str:
    """Explain an empty answer; `what` is "callers", "callees" or "callers and callees".

    Unresolved references have the symbol's name; for callees they stand in its definitions.
    """
    reasons = []
    if receipt.unresolved.count and min_confidence > Confidence.LOW:
        reasons.append(_unresolved(what, receipt.unresolved.count))
    if min_confidence is Confidence.HIGH:
        template = "Only links of high confidence were requested; try min_confidence=medium."
        reasons.append(Sentence.of("only_surest", template))
    if has_kinds:
        reasons.append(Sentence.of("kinds_left_out", "kind leaves the other uses out."))
    elif receipt.resolved_by and what != "callees":
        reasons.append(Sentence.of("types_left_out", _TYPES))
    if has_projects:
        template = "caller_projects leaves the other projects out."
        reasons.append(Sentence.of("projects_left_out", template))
    reasons += _lacking(scope, receipt)
    template = "Nothing in what this credential sees is among its {what}."
    return Sentence.joined(reasons) or Sentence.of("none_visible", template, what=what)


def _unresolved(what: str, count: int) -> Sentence:
    noun, verb = ("reference", "is") if count == 1 else ("references", "are")
    kind = ("unresolved_inside", _INSIDE) if what == "callees" else ("unresolved", _BY_NAME)
    return Sentence.of(*kind, count=count, noun=noun, verb=verb)


def _lacking(scope: TraceScope, receipt: TraceReceipt) -> Iterator[Sentence]:
    """Yield what the organisation's index or settings do not have."""
    if missing := len(receipt.missing) + receipt.missing_more:
        noun = "project" if missing == 1 else "projects"
        template = "{count} {noun} in scope may lack something: see receipt.missing."
        yield Sentence.of("may_lack", template, count=missing, noun=noun)
    if receipt.unread_manifests:
        yield Sentence.of("unread_manifests", _UNREAD)
    if older := receipt.older_extractor.count:
        noun, verb = ("project", "was") if older == 1 else ("projects", "were")
        yield Sentence.of("older_extractor", _OLDER, count=older, noun=noun, verb=verb)
    if not scope.uses_models:
        yield Sentence.of("models_off", _NO_MODELS)
