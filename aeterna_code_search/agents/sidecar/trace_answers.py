"""Models of the traces that another server gives: callers, callees and call graphs."""

from aeterna_code_search.agents.sidecar.answers import AnswerModel, SearchReceipt, Truncated


class Definition(AnswerModel):
    """A definition of the symbol."""

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
    generated: bool = False


class Endpoint(AnswerModel):
    """An end of a link; `<module>` is a file's top level."""

    project: str
    file: str
    name: str
    qualified_name: str
    kind: str
    line: int
    generated: bool = False


class Link(AnswerModel):
    """A reference: its location, its caller and its callee."""

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
    owners: list[str] | None = None


class OwnerCount(AnswerModel):
    """How many callers are in files of one owner, or of none."""

    owner: str | None
    count: int
    known: bool = True


class UnresolvedSite(AnswerModel):
    """A reference that is known by name only."""

    project: str
    file: str
    line: int
    name: str


class Unresolved(AnswerModel):
    """The number of references that are known by name only, with a sample."""

    count: int
    more: bool
    sample: list[UnresolvedSite]


class Elsewhere(AnswerModel):
    """The number of further references of the name, which are bound to something else."""

    count: int
    more: bool


class PartlyParsedFile(AnswerModel):
    """A file that its grammar understands only in part."""

    project: str
    file: str


class PartlyParsed(AnswerModel):
    """The number of partly parsed files, and those that the answer may lack something of."""

    count: int = 0
    sample: list[PartlyParsedFile] = []
    relevant: list[PartlyParsedFile] = []


class UnreadManifest(AnswerModel):
    """A manifest that could not be read whole, and that decides a part of the answer."""

    project: str
    file: str
    problem: str


class OlderExtractor(AnswerModel):
    """Projects that an older extractor has read: the answer may lack what a newer one finds."""

    count: int = 0
    sample: list[str] = []


class ResolvedBy(AnswerModel):
    """How many files of a project each SCIP indexer has bound, and how many the rules."""

    project: str
    files: dict[str, int]
    disagreements: int | None = None


class TraceReceipt(SearchReceipt):
    """The commits of the answer, and projects that may have missing results."""

    unresolved: Unresolved
    elsewhere: Elsewhere
    cut: list[str]
    partly_parsed: PartlyParsed = PartlyParsed()
    unread_manifests: list[UnreadManifest] = []
    older_extractor: OlderExtractor = OlderExtractor()
    edges_behind: int | None = None
    resolved_by: list[ResolvedBy] = []


class _Page(AnswerModel):
    symbol: str
    definitions: list[Definition]
    count: int
    next_cursor: str | None
    receipt: TraceReceipt
    hint: str | None
    left_out: Truncated | None = None


class CallersAnswer(_Page):
    """A page of callers."""

    callers: list[Link]
    owners: list[OwnerCount] = []


class CalleesAnswer(_Page):
    """A page of callees."""

    callees: list[Link]


class GraphNode(AnswerModel):
    """A definition, or a file's top level."""

    id: str
    project: str
    file: str
    name: str
    qualified_name: str
    kind: str
    line: int
    distance: int
    generated: bool = False


class GraphEdge(AnswerModel):
    """References of one node to another; the location with the highest confidence."""

    caller: str
    callee: str
    project: str
    file: str
    line: int
    kind: str
    rule: str
    confidence: str
    count: int


class GraphAnswer(AnswerModel):
    """The call graph of a symbol."""

    symbol: str
    root: list[str]
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool
    truncated_reason: str | None
    receipt: TraceReceipt
    hint: str | None
    left_out: Truncated | None = None
