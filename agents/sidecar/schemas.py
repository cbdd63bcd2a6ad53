"""The structured output of the sidecar's tools: grepai's members, and ours beside them."""

from pydantic import Field

from agents.schemas import AnswerModel, LeftOut, SearchReceipt, StatusAnswer
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
    left_out: LeftOut | None = None


class CallSite(AnswerModel):
    """Where a call stands; `context` is the evidence for what it means."""

    file: str
    line: int
    context: str


class Call(AnswerModel):
    """Who calls, or what is called, and where."""

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
    left_out: LeftOut | None = None


class Callers(_Calls):
    """A page of callers."""

    callers: list[Call]


class Callees(_Calls):
    """A page of callees."""

    callees: list[Call]


class Graph(AnswerModel):
    """What is around a symbol."""

    root: str
    roots: list[str] = Field(description="Ids of the symbol's own nodes")
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    depth: int
    receipt: TraceReceipt
    hint: str | None = Field(description="Why the answer is empty")
    left_out: LeftOut | None = None


class Status(StatusAnswer):
    """The index of every visible project."""

    total_files: int
