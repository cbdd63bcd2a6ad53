"""Traces: what calls what, and what a name means."""

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Final

from aeterna_code_search.contract.notes import REQUIRED, YOUNGER, argument
from aeterna_code_search.contract.projects import (
    MISSING_MORE,
    OWNER_COUNTS,
    OWNERS,
    AnsweringProject,
    MissingProject,
    OlderExtractor,
    OwnerCount,
)
from indexer.limits import IMPACT_CHANGES, REF_CHARACTERS
from indexer.records.manifests import ManifestProblem
from indexer.records.references import ReferenceKind

TRACE_SITES: Final = 200
TRACE_DEPTH: Final = 5
TRACE_NODES: Final = 500

KINDS: Final = (*map(str, ReferenceKind), "import")
LAST_LINE: Final = 10_000_000


class Confidence(IntEnum):
    """Confidence of a resolution; comparable."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3


class Encoding(StrEnum):
    """The unit in which a column counts: bytes, halves of UTF-16, or characters."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


OF_CALLERS: Final = ("depth", "caller_projects")  # fields of a TraceRequest that callees lack
CONFIDENCES: Final = [value.name.lower() for value in reversed(Confidence)]


def min_confidence() -> Any:
    return argument(
        Confidence.MEDIUM,
        tool="low: also by name alone",
        cli="Minimum confidence; `low` includes matches by name only",
    )


def kinds() -> Any:
    says = "Uses of these kinds only, at every level; imports only if asked for"
    cli = "Only such uses; repeatable. The kinds type and import are shown if named here"
    return argument((), says, tool="Default: all but type, import", cli=cli, choices=KINDS)


def caller_projects() -> Any:
    return argument(
        (),
        "Callers in these projects only",
        tool="Only in these repositories",
        sidecar="",
        cli="Only callers in this repository; repeatable",
        option="--caller-project NAME",
        chars=200,
        most=1_000,
    )


def links_listed() -> Any:
    return argument(
        50,
        tool="At most",
        sidecar="Callers at most",
        cli="Maximum number of results",
        option="--limit -k",
        tool_default=30,
        low=1,
        high=TRACE_SITES,
    )


def cursor() -> Any:
    return argument("", "next_cursor of a page", tool="next_cursor", chars=10_000)


def symbols() -> Any:
    return argument(
        (),
        tool="Who uses these definitions",
        chars=1_500,
        is_trimmed=True,
        fewest=1,
        most=IMPACT_CHANGES,
    )


def ref() -> Any:
    says = "A branch of project, which is required then; others are read by their default branches"
    return argument(
        "",
        says,
        tool="Branch of project",
        sidecar=None,
        chars=REF_CHARACTERS,
        cli="A branch of the repository, which must be named; others by their default branches",
        option="--ref NAME",
    )


@dataclass(frozen=True, slots=True)
class SymbolSelector:
    """Selection of a symbol's definitions; "" and 0 restrict nothing."""

    symbol: str = argument(
        REQUIRED,
        "A name, a qualified name (Auth.verify) or module:name",
        tool="verify, Auth.verify or module:name",
        chars=1_500,
        is_trimmed=True,
    )
    project: str = argument(
        "",
        "Defined in this project",
        tool="Of the definition",
        chars=200,
        cli="Repository of the definition",
        option="--project -p NAME",
    )
    file: str = argument(
        "",
        "Defined in this file",
        tool="Its file",
        chars=1_024,
        cli="File of the definition",
        option="PATH",
    )
    line: int = argument(
        0,
        "Defined around this line",
        tool="Its line",
        low=1,
        high=LAST_LINE,
        cli="A line within the definition",
    )
    ref: str = ref()


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A position in an indexed file."""

    project: str = argument(
        REQUIRED, "The repository of the file", tool="The repository", chars=200
    )
    file: str = argument(
        REQUIRED, "Its path from the repository's root", tool="Path in it", chars=1_024
    )
    line: int = argument(REQUIRED, "1-based", tool="From 1", low=1, high=LAST_LINE)
    column: int = argument(
        REQUIRED,
        "0-based, of any character of a name",
        tool="From 0, in the name",
        low=0,
        high=LAST_LINE,
    )
    encoding: Encoding = argument(
        Encoding.UTF_32, "The unit of column: bytes, UTF-16, or characters"
    )
    ref: str = ref()


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """`GET /trace/callers`; `/trace/callees` has neither depth nor projects of callers."""

    selector: SymbolSelector
    depth: int = argument(
        1,
        "Levels of callers of callers",
        tool="2: callers of callers too",
        sidecar="Levels of callers",
        low=1,
        high=TRACE_DEPTH,
        cli="Levels of transitive callers",
    )
    min_confidence: Confidence = min_confidence()
    caller_projects: tuple[str, ...] = caller_projects()
    kind: tuple[str, ...] = kinds()
    limit: int = links_listed()
    cursor: str = cursor()


@dataclass(frozen=True, slots=True)
class ReferencesRequest:
    """`GET /trace/references`."""

    position: FilePosition
    min_confidence: Confidence = min_confidence()
    caller_projects: tuple[str, ...] = caller_projects()
    kind: tuple[str, ...] = kinds()
    limit: int = links_listed()
    cursor: str = cursor()


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """`GET /trace/graph`."""

    selector: SymbolSelector
    depth: int = argument(
        2,
        "Levels up and levels down",
        tool="Levels up and down",
        sidecar="Levels up and levels down",
        low=1,
        high=TRACE_DEPTH,
        cli="Levels of callers and of callees",
    )
    min_confidence: Confidence = min_confidence()
    limit: int = argument(
        200,
        "Nodes at most",
        tool="Nodes at most",
        low=1,
        high=TRACE_NODES,
        tool_default=50,
        cli="Maximum number of nodes",
        option="--limit -k",
    )


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A changed file with first and last lines of each change; none means the whole file."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactRequest:
    """`POST /trace/impact`: exactly one of `symbols` and `files`."""

    min_confidence: Confidence = min_confidence()
    project: str = argument(REQUIRED, chars=200)
    symbols: tuple[str, ...] = symbols()
    files: tuple[ChangedFile, ...] = ()
    depth: int = argument(1, low=1, high=TRACE_DEPTH)
    limit: int = argument(50, "Callers shown per symbol", low=1, high=TRACE_SITES)
    ref: str = ref()


@dataclass(frozen=True, slots=True)
class CallsRequest:
    """`GET /trace/calls`."""

    cursor: str = cursor()


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
    generated: Annotated[bool, "Whether its file is generated", YOUNGER] = False


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
    generated: Annotated[bool, "Whether its file is generated", YOUNGER] = False


@dataclass(frozen=True, slots=True)
class LastChange:
    """The newest stored commit that changed the lines of a definition."""

    commit: str
    committed_at: Annotated[str, "RFC 3339, in UTC"]
    subject: str
    url: Annotated[str | None, "At the forge"]


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
    owners: Annotated[list[str] | None, OWNERS, YOUNGER] = None
    last_change: Annotated[
        LastChange | None, "Of the caller, in an answer of impact; null: not known", YOUNGER
    ] = None


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

    count: Annotated[int, YOUNGER] = 0
    sample: Annotated[list[PartlyParsedFile], "The first 20", YOUNGER] = field(default_factory=list)
    relevant: Annotated[
        list[PartlyParsedFile],
        "The first 20 of those that the answer may lack something of: what is not understood has "
        "the name that callers are asked of, is inside of the definition that callees are asked "
        "of, or was too much to be looked through",
        YOUNGER,
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
        YOUNGER,
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
    missing_more: Annotated[int, MISSING_MORE, YOUNGER]
    unresolved: Unresolved
    elsewhere: Elsewhere
    cut: Annotated[list[str], "Limits that were met"]
    partly_parsed: Annotated[PartlyParsed, YOUNGER]
    unread_manifests: Annotated[
        list[UnreadManifest],
        "The first 20 of those that decide whether a reference, which leads to nothing visible, "
        "is a part of the answer",
        YOUNGER,
    ]
    older_extractor: Annotated[OlderExtractor, YOUNGER]
    edges_behind: Annotated[
        int | None,
        "Files whose stored edges are not current: they are resolved when asked. null: all, or the "
        "credential sees a part",
        YOUNGER,
    ]
    resolved_by: Annotated[
        list[ResolvedBy],
        "The first 20 projects with a SCIP index; others are resolved by rules",
        YOUNGER,
    ] = field(default_factory=list)
    branches: Annotated[
        str, "What was read by another branch than its default one; empty: nothing", YOUNGER
    ] = ""


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
    owners: Annotated[list[OwnerCount], f"Callers on all pages. {OWNER_COUNTS}", YOUNGER] = field(
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
    generated: Annotated[bool, "Whether its file is generated", YOUNGER] = False


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
    last_changes_left_out: Annotated[
        int, "Callers whose last change was not looked up, as it would take too long", YOUNGER
    ] = 0


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
