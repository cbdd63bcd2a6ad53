"""Answers of traces, and how the schema describes them."""

from dataclasses import dataclass, field
from typing import Annotated

from central.owners.answers import OWNER_COUNTS, OwnerCount
from central.owners.ownership import OWNERS
from central.repositories.extractors import OlderExtractor
from central.repositories.visibility import (
    MISSING_MORE,
    AnsweringProject,
    MissingProject,
    RepositorySnapshot,
)
from central.trace.resolve.definitions import Definition
from indexer.records.manifests import ManifestProblem


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
    package: Annotated[str | None, "The distribution it is part of"]
    version: str | None
    url: str | None
    generated: Annotated[bool, "Whether its file is generated"] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantDefinition(ShownDefinition):
    """A definition that a name of a file may mean, and why."""

    rule: Annotated[str, "That of a link, or definition: it is the definition's own name"]
    confidence: Annotated[str, "high, medium or low"]
    evidence: str = ""
    candidates: Annotated[int, "How many definitions it may mean"] = 1
    pinned_version: Annotated[str | None, "Of its package, in the repository of the name"] = None


@dataclass(frozen=True, slots=True)
class NameInFile:
    """A name of an indexed file. Columns count in the encoding that was asked for."""

    name: str
    use: Annotated[str, "definition, import, or the kind of a reference"]
    project: str
    commit: Annotated[str, "The indexed one: lines and columns are of it"]
    file: str
    line: int
    column: Annotated[int, "Where it begins, 0-based"]
    end_column: Annotated[int, "Behind its end; where it begins if it is not written there"]
    url: str | None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A definition at an end of a link; `<module>` of kind `module` is a file's top level."""

    project: str
    file: str
    name: str
    qualified_name: str
    kind: str
    line: int
    generated: Annotated[bool, "Whether its file is generated"] = False


@dataclass(frozen=True, slots=True)
class Link:
    """A use of a name, where it stands and what it means."""

    project: str
    commit: str
    file: str
    line: int
    column: Annotated[int, "0-based, in characters; 0 for an import"]
    kind: Annotated[str, "call, new, decorate, inherit, element, value or import"]
    caller: Endpoint
    callee: Endpoint
    target: Annotated[int, "Index in definitions"]
    depth: int
    rule: Annotated[
        str,
        "scip, same_file, import, receiver_type, same_package, dependency, value_flow, model or "
        "name_only",
    ]
    confidence: Annotated[str, "high, medium or low"]
    evidence: str
    candidates: Annotated[int, "To how many definitions it may lead"]
    pinned_version: Annotated[str | None, "Of the callee's package, in the caller's repository"]
    required_version: Annotated[str | None, "The range as written"]
    indexed_version: Annotated[str | None, "Of the callee's package, as indexed"]
    lags: Annotated[bool | None, "Whether pinned_version is older than indexed_version"]
    url: str | None
    owners: Annotated[list[str] | None, OWNERS] = None


@dataclass(frozen=True, slots=True)
class UnresolvedSite:
    """A reference of which nothing is known but the name."""

    project: str
    file: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """How many references there are of which nothing is known but the name."""

    count: Annotated[int, "Exact to 10,000"]
    more: bool
    sample: list[UnresolvedSite]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """How many further references are bound to something else.

    To another definition of the name, or to something outside of the visible repositories. With
    those that lead to the symbol and the unresolved ones that is every reference of the name.
    """

    count: Annotated[int, "Exact while all references of the name are no more than 10,000"]
    more: bool


@dataclass(frozen=True, slots=True)
class PartlyParsedFile:
    """A file that its grammar understands only in part."""

    project: str
    file: str


@dataclass(frozen=True, slots=True)
class PartlyParsed:
    """The visible files that their grammars understand only in part.

    What looks like a call in them is counted, as unresolved.
    """

    count: int = 0
    sample: Annotated[list[PartlyParsedFile], "The first 20"] = field(default_factory=list)
    relevant: Annotated[
        list[PartlyParsedFile],
        "The first 20 of those that the answer may lack something of: what is not understood has "
        "the name that callers are asked of, is inside of the definition that callees are asked "
        "of, or was too much to be looked through",
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class UnreadManifest:
    """A manifest that could not be read, or not whole."""

    project: str
    file: str
    problem: Annotated[str, ManifestProblem]


@dataclass(frozen=True, slots=True)
class ResolvedBy:
    """By what a project's references are bound."""

    project: str
    files: Annotated[dict[str, int], "SCIP indexer with its version, or rules → files"]
    disagreements: Annotated[
        int | None,
        "References that the rules would bind to something else than the index does. null: not "
        "counted yet, or the credential sees a part",
    ]


@dataclass(frozen=True, slots=True)
class TraceReceipt:
    """Which commits answered, and what the answer may lack."""

    complete: Annotated[
        bool, "Whether nothing is missing, cut, or relevant but not understood or not read"
    ]
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]
    missing_more: Annotated[int, MISSING_MORE]
    unresolved: Unresolved
    elsewhere: Elsewhere
    cut: Annotated[list[str], "Limits that were met"]
    partly_parsed: PartlyParsed
    unread_manifests: Annotated[
        list[UnreadManifest],
        "The first 20 of those that decide whether a reference, which leads to nothing visible, "
        "is a part of the answer",
    ]
    older_extractor: OlderExtractor
    edges_behind: Annotated[
        int | None,
        "Files whose stored edges are not current: they are resolved when asked. null: all, or the "
        "credential sees a part",
    ]
    resolved_by: Annotated[
        list[ResolvedBy], "The first 20 projects with a SCIP index; others are resolved by rules"
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The definitions that a name may mean, the surest first."""

    name: NameInFile
    definitions: list[MeantDefinition]
    receipt: TraceReceipt
    hint: Annotated[str | None, "Why there is none, or nothing but the name is the same"] = None

    @property
    def target(self) -> MeantDefinition | None:
        """The definition, if there is only one and more than the name says so."""
        if len(self.definitions) != 1 or self.definitions[0].confidence == "low":
            return None
        return self.definitions[0]


@dataclass(frozen=True, slots=True)
class References:
    """A page of the references to what a name of a file means."""

    name: NameInFile
    definitions: list[MeantDefinition]
    references: list[Link]
    count: Annotated[int, "Of links on this page"]
    next_cursor: str | None
    receipt: TraceReceipt
    hint: Annotated[str | None, "Why the answer is empty"] = None


@dataclass(frozen=True, slots=True)
class Callers:
    """A page of callers."""

    symbol: str
    definitions: list[ShownDefinition]
    callers: list[Link]
    count: Annotated[int, "Of links on this page"]
    next_cursor: str | None
    receipt: TraceReceipt
    hint: Annotated[str | None, "Why the answer is empty"] = None
    owners: Annotated[list[OwnerCount], f"Callers on all pages. {OWNER_COUNTS}"] = field(
        default_factory=list
    )


@dataclass(frozen=True, slots=True)
class Callees:
    """A page of callees."""

    symbol: str
    definitions: list[ShownDefinition]
    callees: list[Link]
    count: Annotated[int, "Of links on this page"]
    next_cursor: str | None
    receipt: TraceReceipt
    hint: Annotated[str | None, "Why the answer is empty"] = None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A definition, or a file's top level (`<module>`)."""

    id: Annotated[str, "code:<project>/<path>#<qualified name>"]
    project: str
    file: str
    name: str
    qualified_name: str
    kind: str
    line: int
    distance: Annotated[int, "Steps from the nearest root"]
    generated: Annotated[bool, "Whether its file is generated"] = False


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """One node uses another; the surest place where it does."""

    caller: Annotated[str, "A node's id"]
    callee: Annotated[str, "A node's id"]
    project: str
    file: str
    line: int
    kind: str
    rule: str
    confidence: Annotated[str, "high, medium or low"]
    count: Annotated[int, "At how many places"]


@dataclass(frozen=True, slots=True)
class Graph:
    """What is around a symbol."""

    symbol: str
    root: Annotated[list[str], "Ids of its own nodes"]
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool
    truncated_reason: str | None
    receipt: TraceReceipt
    hint: Annotated[str | None, "Why the answer is empty"]


@dataclass(frozen=True, slots=True)
class AffectedProject:
    """A project's callers of one changed definition."""

    project: str
    count: Annotated[int, "Of all its callers, shown or not"]
    callers: list[Link]


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A changed definition and who calls it."""

    definition: ShownDefinition
    count: int
    projects: list[AffectedProject]
    owners: Annotated[list[OwnerCount], f"All its callers. {OWNER_COUNTS}"] = field(
        default_factory=list
    )


@dataclass(frozen=True, slots=True)
class Impact:
    """Callers per changed definition, grouped by project."""

    project: str
    symbols: list[ChangedSymbol]
    count: Annotated[int, "Of all callers"]
    unknown: Annotated[list[str], "Symbols and files that are not indexed"]
    visibilities: Annotated[
        list[str] | None, "The only ones that the credential may see repositories of; null: any"
    ]
    receipt: TraceReceipt
    hint: Annotated[str | None, "Why the answer is empty"]


@dataclass(frozen=True, slots=True)
class Call:
    """A reference and a definition that it leads to."""

    caller: Annotated[str, "Qualified name; `<module>` is a file's top level"]
    caller_project: str
    path: Annotated[str, "Of the caller's file"]
    line: Annotated[int, "Of the reference"]
    callee: Annotated[str, "Qualified name"]
    callee_project: str
    callee_path: str
    kind: Annotated[str, "call, new, decorate, inherit, element or value"]
    rule: Annotated[
        str, "scip, same_file, import, receiver_type, same_package, dependency, value_flow or model"
    ]
    confidence: Annotated[str, "high or medium"]
    commit: Annotated[str, "Of the caller's project"]


@dataclass(frozen=True, slots=True)
class CallingProject:
    """Of which commit a page has a project's calls."""

    project: str
    commit: str
    generation: Annotated[int, "Rises with each index of the project"]
    begins: Annotated[bool, "With its first call: what earlier pages had of it counts no more"]
    ends: Annotated[bool, "With its last call"]


@dataclass(frozen=True, slots=True)
class Calls:
    """A page of the call edges of an organisation."""

    calls: list[Call]
    projects: list[CallingProject]
    references: Annotated[int, "That this page is made of"]
    next_cursor: str | None
    missing: Annotated[list[MissingProject], "With the last page: of all projects"]
    missing_more: Annotated[int, MISSING_MORE]
    cut: Annotated[list[str], "Limits that were met"]


def shown_definition(definition: Definition, repository: RepositorySnapshot) -> ShownDefinition:
    return ShownDefinition(
        project=repository.name,
        commit=repository.commit,
        file=definition.path,
        line=definition.start_line,
        end_line=definition.end_line,
        name=definition.name,
        qualified_name=definition.qualified_name,
        kind=definition.kind,
        signature=definition.signature,
        language=definition.language,
        package=definition.distribution or None,
        version=definition.version or None,
        url=repository.url(definition.path, definition.start_line, definition.end_line),
        generated=definition.generated,
    )
