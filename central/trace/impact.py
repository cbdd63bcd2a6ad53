"""Impact: the callers of changed definitions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import (
    AffectedProject,
    ChangedFile,
    ChangedSymbol,
    Impact,
    ImpactRequest,
    TraceReceipt,
)
from central.repositories.visibility import RepositorySnapshot
from central.tenancy.credentials import Credential
from central.trace.callers import CallerTraversal, transitive_callers
from central.trace.edges import Step
from central.trace.last_changes import last_changes
from central.trace.links import links, shown_definition
from central.trace.receipts import callers_receipt, hint_for
from central.trace.request_scope import TraceScope, has_file, traced
from central.trace.resolve.definitions import (
    MAX_DEFINITIONS,
    Definition,
    DefinitionFilter,
    definitions_in,
    definitions_named,
)
from central.trace.resolve.questions import Key
from central.trace.service import in_order, owners_of_steps

IMPACT_DEFINITIONS: Final = 2_000


def impact(*, credential: Credential, request: ImpactRequest) -> Impact:
    """Return the callers of every changed definition of a project, grouped by project.

    Symbols and files that are not indexed, such as new files, are listed as unknown. Raises
    NotFoundError for an unknown project.
    """
    allowed = None if credential.visibilities is None else sorted(credential.visibilities)
    own = {"project": request.project, "ref": request.ref}
    with traced(credential, "impact", request.project, **own) as scope:
        found = _impact(scope, request, allowed)
        scope.span.set_attributes(resultCount=found.count)
    return found


def _impact(scope: TraceScope, request: ImpactRequest, visibilities: list[str] | None) -> Impact:
    repository = scope.named(request.project)
    changed, unknown, cut = changed_definitions(scope, repository, request.symbols, request.files)
    traversal = transitive_callers(
        scope.resolver, changed, depth=request.depth, min_confidence=request.min_confidence
    )
    symbols, left_out = _symbols(scope, changed, traversal, request.limit)
    receipt = callers_receipt(scope, changed, traversal, cut=cut)
    return Impact(
        project=request.project,
        symbols=symbols,
        count=sum(symbol.count for symbol in symbols),
        unknown=unknown,
        visibilities=visibilities,
        receipt=receipt,
        hint=None if traversal.steps else _hint(scope, request, changed, receipt),
        last_changes_left_out=left_out,
    )


def _hint(
    scope: TraceScope,
    request: ImpactRequest,
    changed: Sequence[Definition],
    receipt: TraceReceipt,
) -> str:
    if not changed:
        return "Nothing in the index is defined by these names or at these lines."
    return hint_for(scope, "callers", receipt, min_confidence=request.min_confidence)


class ChangedDefinitions(NamedTuple):
    """Changed definitions, each once, what is not indexed, and the limits met."""

    definitions: list[Definition]
    unknown: list[str]
    cut: list[str]


def changed_definitions(
    scope: TraceScope,
    repository: RepositorySnapshot,
    symbols: Sequence[str],
    files: Sequence[ChangedFile],
) -> ChangedDefinitions:
    """Return the definitions of these names, or at these lines."""
    found: dict[Key, Definition] = {}
    unknown: dict[str, None] = {}
    cut = []
    for symbol in symbols:
        named = definitions_named(scope.resolver, DefinitionFilter(symbol, repository.id))
        found |= {definition.key: definition for definition in named[:MAX_DEFINITIONS]}
        if not named:
            unknown[symbol] = None
        if len(named) > MAX_DEFINITIONS:
            cut.append(f"Of {symbol} the first {MAX_DEFINITIONS} definitions were traced.")
    for file in files:
        inside = definitions_in(scope.resolver, repository=repository.id, path=file.path)
        for definition in _touched(inside, file):
            found.setdefault(definition.key, definition)
        if not inside and not has_file(scope, file.path, repository):
            unknown[file.path] = None
    definitions = list(found.values())
    if len(definitions) > IMPACT_DEFINITIONS:
        cut.append(
            f"Of {len(definitions)} changed definitions the first {IMPACT_DEFINITIONS} were traced."
        )
    return ChangedDefinitions(definitions[:IMPACT_DEFINITIONS], list(unknown), cut)


def _touched(definitions: Sequence[Definition], file: ChangedFile) -> Iterable[Definition]:
    """Return the innermost definitions around or inside the changed lines."""
    if not file.lines:
        return definitions
    found: dict[int, Definition] = {}
    for first, last in file.lines:
        inside = [
            definition
            for definition in definitions
            if definition.start_line <= last and definition.end_line >= first
        ]
        for definition in inside:
            if not any(_is_within(other, definition, first, last) for other in inside):
                found[definition.id] = definition
    return found.values()


def _is_within(inner: Definition, outer: Definition, first: int, last: int) -> bool:
    """Whether the nested `inner` contains all changed lines of `outer`."""
    if not inner.qualified_name.startswith(f"{outer.qualified_name}."):
        return False
    begin, end = max(first, outer.start_line), min(last, outer.end_line)
    return inner.start_line <= begin and end <= inner.end_line


def _symbols(
    scope: TraceScope, changed: Sequence[Definition], traversal: CallerTraversal, limit: int
) -> tuple[list[ChangedSymbol], int]:
    """Return the changed symbols, and of how many callers the last change was not looked up."""
    by_target: dict[int, list[Step]] = defaultdict(list)
    for step in in_order(scope, traversal.steps):
        by_target[step.target].append(step)
    shown = [
        step
        for target, steps in by_target.items()
        for step in _others_first(steps, changed[target].repository)[:limit]
    ]
    changes = last_changes(scope, shown)
    linked = {
        step: replace(
            link, last_change=changes.found.get((step.edge.site.file, step.edge.site.caller))
        )
        for step, link in zip(shown, links(scope, shown, traversal.definitions), strict=True)
    }
    answer = []
    for index, definition in enumerate(changed):
        by_project: dict[int, list[Step]] = defaultdict(list)
        for step in by_target[index]:
            by_project[step.edge.site.repository].append(step)
        answer.append(
            ChangedSymbol(
                shown_definition(definition, scope.repositories[definition.repository]),
                len(by_target[index]),
                [
                    AffectedProject(
                        scope.repositories[repository].name,
                        len(steps),
                        [linked[step] for step in steps if step in linked],
                    )
                    for repository, steps in by_project.items()
                ],
                owners_of_steps(scope, by_target[index]),
            )
        )
    return answer, changes.left_out


def _others_first(steps: Sequence[Step], own: int) -> list[Step]:
    """Sort callers in other projects first: the author of a change does not see them."""
    return sorted(steps, key=lambda step: step.edge.site.repository == own)
