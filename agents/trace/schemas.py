"""Output schemas of the tools that trace a symbol."""

from pydantic import Field

from agents.schemas import AnswerModel, LeftOut, SearchReceipt


class Definition(AnswerModel):
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


class Endpoint(AnswerModel):
    """An end of a link; `<module>` is a file's top level."""

    project: str
    file: str
    name: str
    qualified_name: str
    kind: str
    line: int


class Link(AnswerModel):
    """A use of a name, where it stands and what it means."""

    project: str
    commit: str
    file: str
    line: int
    column: int
    kind: str
    caller: Endpoint
    callee: Endpoint
    target: int = Field(description="Index in definitions")
    depth: int
    rule: str
    confidence: str = Field(description="high, medium or low")
    evidence: str
    candidates: int
    pinned_version: str | None
    required_version: str | None
    indexed_version: str | None
    lags: bool | None
    url: str | None


class UnresolvedSite(AnswerModel):
    """A reference of which nothing is known but the name."""

    project: str
    file: str
    line: int
    name: str


class Unresolved(AnswerModel):
    """How many references there are of which nothing is known but the name."""

    count: int
    more: bool
    sample: list[UnresolvedSite]


class TraceReceipt(SearchReceipt):
    """Which commits answered, and what the answer may lack."""

    unresolved: Unresolved
    cut: list[str] = Field(description="Limits that were met")


class _Page(AnswerModel):
    symbol: str
    definitions: list[Definition]
    count: int
    next_cursor: str | None
    receipt: TraceReceipt
    hint: str | None = Field(description="Why the answer is empty")
    left_out: LeftOut | None = None


class CallersAnswer(_Page):
    """A page of callers."""

    callers: list[Link]


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


class GraphEdge(AnswerModel):
    """One node uses another; the surest place where it does."""

    caller: str = Field(description="A node's id")
    callee: str = Field(description="A node's id")
    project: str
    file: str
    line: int
    kind: str
    rule: str
    confidence: str
    count: int


class GraphAnswer(AnswerModel):
    """What is around a symbol."""

    symbol: str
    root: list[str]
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool
    truncated_reason: str | None
    receipt: TraceReceipt
    hint: str | None
    left_out: LeftOut | None = None
