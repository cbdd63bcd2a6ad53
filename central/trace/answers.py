"""What a trace answers, as records; the serializers describe the same for the schema."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from central.repositories.visibility import (
    AnsweringProject,
    MissingProject,
    RepositorySnapshot,
    answering_projects,
)
from central.trace.resolve.definitions import Definition
from central.trace.resolve.resolve import Confidence


@dataclass(frozen=True, slots=True)
class ShownDefinition:
    """A definition that the symbol means."""

    project: str
    commit: str
    file: str
    line: int
    end_line: int
    name: str
    qualified_name: str
    kind: str
    signature: str
    language: str
    package: str | None
    version: str | None
    url: str | None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a reference stands, or what it means; `line` is the definition's own."""

    project: str
    file: str
    name: str
    qualified_name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    """A use of a name. `target` is the index of the definition that was asked for."""

    project: str
    commit: str
    file: str
    line: int
    column: int
    kind: str
    caller: Endpoint
    callee: Endpoint
    target: int
    depth: int
    rule: str
    confidence: str
    evidence: str
    candidates: int
    pinned_version: str | None
    required_version: str | None
    indexed_version: str | None
    lags: bool | None
    url: str | None


@dataclass(frozen=True, slots=True)
class UnresolvedSite:
    """A reference by the same name of which nothing is known."""

    project: str
    file: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """How many there are; `more`: at least as many."""

    count: int
    more: bool
    sample: list[UnresolvedSite]


@dataclass(frozen=True, slots=True)
class Receipt:
    """Which commits answered; `complete` exactly when nothing is missing and nothing was cut."""

    complete: bool
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]
    unresolved: Unresolved
    cut: list[str]


@dataclass(frozen=True, slots=True)
class Callers:
    """A page of callers."""

    symbol: str
    definitions: list[ShownDefinition]
    callers: list[Link]
    count: int
    next_cursor: str | None
    receipt: Receipt
    hint: str | None = field(default=None)


@dataclass(frozen=True, slots=True)
class Callees:
    """A page of callees."""

    symbol: str
    definitions: list[ShownDefinition]
    callees: list[Link]
    count: int
    next_cursor: str | None
    receipt: Receipt
    hint: str | None = field(default=None)


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A definition or a file's top level; `distance` in steps from the nearest root.

    What stands inside of a node is as near as the node.
    """

    id: str
    project: str
    file: str
    name: str
    qualified_name: str
    kind: str
    line: int
    distance: int


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """Node `caller` uses node `callee`, at `count` places; the surest of them is told."""

    caller: str
    callee: str
    project: str
    file: str
    line: int
    kind: str
    rule: str
    confidence: str
    count: int


@dataclass(frozen=True, slots=True)
class Graph:
    """What is around a symbol; `root` are the ids of its own nodes."""

    symbol: str
    root: list[str]
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool
    truncated_reason: str | None
    receipt: Receipt
    hint: str | None


@dataclass(frozen=True, slots=True)
class AffectedProject:
    """A project's callers of one changed definition; `count` is of all, `callers` some."""

    project: str
    count: int
    callers: list[Link]


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A changed definition and who calls it."""

    definition: ShownDefinition
    count: int
    projects: list[AffectedProject]


@dataclass(frozen=True, slots=True)
class Impact:
    """Callers per changed definition; `unknown` are symbols and files that are not indexed.

    `visibilities`: the only ones that the credential may see repositories of; None: any.
    """

    project: str
    symbols: list[ChangedSymbol]
    count: int
    unknown: list[str]
    visibilities: list[str] | None
    receipt: Receipt
    hint: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """A reference and a definition that it leads to, without what a page of links explains.

    `caller` and `callee` are qualified names; a file's top level is `<module>`.
    """

    caller: str
    caller_project: str
    path: str
    line: int
    callee: str
    callee_project: str
    callee_path: str
    kind: str
    rule: str
    confidence: str
    commit: str


@dataclass(frozen=True, slots=True)
class CallingProject:
    """Of which commit a page has a project's calls.

    `begins`: from its first on, so that what earlier pages had of it counts no more. `ends`: to
    its last.
    """

    project: str
    commit: str
    generation: int
    begins: bool
    ends: bool


@dataclass(frozen=True, slots=True)
class Calls:
    """A page of the call edges of an organisation. `missing` is told with the last page."""

    calls: list[Call]
    projects: list[CallingProject]
    references: int
    next_cursor: str | None
    missing: list[MissingProject]
    cut: list[str]


def shown_definition(one: Definition, repository: RepositorySnapshot) -> ShownDefinition:
    """A definition as it is answered."""
    return ShownDefinition(
        project=repository.name,
        commit=repository.commit,
        file=one.path,
        line=one.start_line,
        end_line=one.end_line,
        name=one.name,
        qualified_name=one.qualified_name,
        kind=one.kind,
        signature=one.signature,
        language=one.language,
        package=one.distribution or None,
        version=one.version or None,
        url=repository.url(one.path, one.start_line, one.end_line),
    )


def missing_projects(
    sight: Sequence[RepositorySnapshot], unknown: Sequence[str]
) -> list[MissingProject]:
    """Every project in scope of which the answer may lack something."""
    missing = [
        MissingProject(item.name, item.incomplete_reason)
        for item in sight
        if item.incomplete_reason
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return sorted(missing, key=lambda item: item.project)


def receipt_of(
    repositories: Iterable[RepositorySnapshot],
    *,
    missing: list[MissingProject],
    unresolved: Unresolved,
    cut: list[str],
    seconds: float,
) -> Receipt:
    """What was asked; complete where nothing is missing and no limit was met."""
    return Receipt(
        complete=not missing and not cut,
        took_ms=round(seconds * 1000, 1),
        projects=answering_projects(repositories),
        missing=missing,
        unresolved=unresolved,
        cut=cut,
    )


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
