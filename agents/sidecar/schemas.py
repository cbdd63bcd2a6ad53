"""Output schemas of the sidecar's tools: grepai's members, extended."""

from pydantic import Field

from agents.schemas import AnswerModel, SearchReceipt, StatusAnswer, Truncated
from agents.trace.schemas import Definition, Endpoint, GraphEdge, GraphNode, TraceReceipt


class Result(AnswerModel):
    """A hit."""

    file_path: str
    start_line: int
    end_line: int
    score: float = Field(description="0.0-1.0, comparable within the answer")
    content: str
    project: str
    commit: str


class SearchResults(AnswerModel):
    """A page of hits, best first."""

    query: str
    results: list[Result]
    next_cursor: str | None
    receipt: SearchReceipt
    hint: str | None = Field(description="Why the answer is empty")
    left_out: Truncated | None = None


class CallSite(AnswerModel):
    """The location of a call; `context` is its source line."""

    file: str
    line: int
    context: str


class Call(AnswerModel):
    """A caller or callee, with the call site."""

    symbol: Endpoint
    call_site: CallSite
    project: str
    commit: str
    target: int = Field(description="Index in definitions")
    depth: int
    rule: str
    confidence: str = Field(description="high, medium or low")


class _Calls(AnswerModel):
    query: str
    mode: str
    symbol: Endpoint | None = Field(description="The first of definitions")
    definitions: list[Definition]
    next_cursor: str | None
    receipt: TraceReceipt
    hint: str | None = Field(description="Why the answer is empty")
    left_out: Truncated | None = None


class Callers(_Calls):
    """A page of callers."""

    callers: list[Call]


class Callees(_Calls):
    """A page of callees."""

    callees: list[Call]


class Graph(AnswerModel):
    """The call graph of a symbol."""

    root: str
    roots: list[str] = Field(description="Ids of the symbol's own nodes")
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    depth: int
    receipt: TraceReceipt
    hint: str | None = Field(description="Why the answer is empty")
    left_out: Truncated | None = None


class Status(StatusAnswer):
    """The index of every visible project."""

    total_files: int
