"""Impact: who calls what has changed."""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from central.repositories.visibility import MissingProject, RepositoryInSight
from central.tenancy.credentials import Credential
from central.trace.answers import (
    AffectedProject,
    ChangedSymbol,
    Impact,
    hint_for,
    missing_projects,
    receipt_of,
    shown_definition,
)
from central.trace.callers import Step, Walk, walk_callers
from central.trace.links import links
from central.trace.request_scope import Sight, has_file
from central.trace.requests import ChangedFile, ImpactRequest
from central.trace.resolve.definitions import (
    MAX_DEFINITIONS,
    Definition,
    Wanted,
    definitions_in,
    definitions_named,
)
from central.trace.resolve.engine import limits_met
from central.trace.resolve.questions import Key
from central.trace.service import in_order, steadily, trace_span, unresolved_of
from indexer.limits import IMPACT_DEFINITIONS


def impact(*, credential: Credential, request: ImpactRequest) -> Impact:
    """The callers of every changed definition of a project, grouped by their projects.

    What is not indexed (a new file, say) is told as unknown. Raises NotFoundError for a project
    that is not there.
    """
    started = time.perf_counter()
    allowed = None if credential.visibilities is None else sorted(credential.visibilities)
    with trace_span(credential, "impact", request.project) as told:
        answer = steadily(credential, lambda sight: _impact(sight, request, allowed, started))
        told.set_attributes(resultCount=answer.count)
    return answer


def _impact(
    sight: Sight, request: ImpactRequest, visibilities: list[str] | None, started: float
) -> Impact:
    repository = sight.named(request.project)
    changed, unknown, cut = _changed(sight, repository, request)
    if len(changed) > IMPACT_DEFINITIONS:
        cut.append(
            f"Of {len(changed)} changed definitions the first {IMPACT_DEFINITIONS} were traced."
        )
        changed = changed[:IMPACT_DEFINITIONS]
    walk = walk_callers(sight.inquiry, changed, depth=request.depth, least=request.min_confidence)
    cut += [*sorted(walk.cut), *limits_met(sight.inquiry)]
    missing = missing_projects(list(sight.repositories.values()), [])
    symbols = _symbols(sight, changed, walk, request.limit)
    unresolved = unresolved_of(sight, walk.first.open_count, walk.first.open_sample)
    return Impact(
        project=request.project,
        symbols=symbols,
        count=sum(one.count for one in symbols),
        unknown=unknown,
        visibilities=visibilities,
        receipt=receipt_of(
            sight.repositories.values(),
            missing=missing,
            unresolved=unresolved,
            cut=cut,
            seconds=time.perf_counter() - started,
        ),
        hint=None if walk.steps else _hint(request, changed, unresolved.count, missing),
    )


def _hint(
    request: ImpactRequest,
    changed: Sequence[Definition],
    unresolved: int,
    missing: Sequence[MissingProject],
) -> str:
    if not changed:
        return "Nothing in the index is defined by these names or at these lines."
    least = request.min_confidence
    return hint_for("callers", least=least, unresolved=unresolved, missing=missing)


class _Changed(NamedTuple):
    """What has changed, each definition once, what is not indexed, and what was left out."""

    definitions: list[Definition]
    unknown: list[str]
    cut: list[str]


def _changed(sight: Sight, repository: RepositoryInSight, request: ImpactRequest) -> _Changed:
    found: dict[Key, Definition] = {}
    unknown: dict[str, None] = {}
    cut = []
    for symbol in request.symbols:
        named = definitions_named(sight.inquiry, Wanted(symbol, repository.id))
        found |= {one.key: one for one in named[:MAX_DEFINITIONS]}
        if not named:
            unknown[symbol] = None
        if len(named) > MAX_DEFINITIONS:
            cut.append(f"Of {symbol} the first {MAX_DEFINITIONS} definitions were traced.")
    for file in request.files:
        inside = definitions_in(sight.inquiry, repository=repository.id, path=file.path)
        for one in _touched(inside, file):
            found.setdefault(one.key, one)
        if not inside and not has_file(sight, file.path, repository):
            unknown[file.path] = None
    return _Changed(list(found.values()), list(unknown), cut)


def _touched(definitions: Sequence[Definition], file: ChangedFile) -> Iterable[Definition]:
    """The innermost definitions around changed lines, and those that lie in between."""
    if not file.lines:
        return definitions
    found: dict[int, Definition] = {}
    for first, last in file.lines:
        inside = [one for one in definitions if one.start_line <= last and one.end_line >= first]
        for one in inside:
            if not any(_is_within(other, one, first, last) for other in inside):
                found[one.id] = one
    return found.values()


def _is_within(inner: Definition, outer: Definition, first: int, last: int) -> bool:
    """Whether all that has changed of `outer` is inside of `inner`, which stands in it."""
    if not inner.qualified_name.startswith(f"{outer.qualified_name}."):
        return False
    begin, end = max(first, outer.start_line), min(last, outer.end_line)
    return inner.start_line <= begin and end <= inner.end_line


def _symbols(
    sight: Sight, changed: Sequence[Definition], walk: Walk, limit: int
) -> list[ChangedSymbol]:
    by_target: dict[int, list[Step]] = defaultdict(list)
    for step in in_order(sight, walk.steps):
        by_target[step.target].append(step)
    shown = [
        step
        for target, steps in by_target.items()
        for step in _others_first(steps, changed[target].repository)[:limit]
    ]
    linked = dict(zip(shown, links(sight, shown, walk.definitions), strict=True))
    answer = []
    for index, one in enumerate(changed):
        by_project: dict[int, list[Step]] = defaultdict(list)
        for step in by_target[index]:
            by_project[step.edge.site.repository].append(step)
        answer.append(
            ChangedSymbol(
                shown_definition(one, sight.repositories[one.repository]),
                len(by_target[index]),
                [
                    AffectedProject(
                        sight.repositories[repository].name,
                        len(steps),
                        [linked[step] for step in steps if step in linked],
                    )
                    for repository, steps in by_project.items()
                ],
            )
        )
    return answer


def _others_first(steps: Sequence[Step], own: int) -> list[Step]:
    """Whom the author of a change does not see comes before the limit, else in the same order."""
    return sorted(steps, key=lambda step: step.edge.site.repository == own)
