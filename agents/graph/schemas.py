"""Output schemas of the `graph_*` tools: the shapes of the API, and `left_out`."""

from typing import Any

from pydantic import Field

from agents.schemas import AnsweringProject, AnswerModel, MissingProject, Truncated


class GraphReceipt(AnswerModel):
    """The commits of the answer, and projects that may have missing results."""

    complete: bool = Field(description="Whether nothing is missing")
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]


class PolicyRule(AnswerModel):
    """The rule of a policy."""

    rule: str
    language: str
    include: list[str]
    exclude: list[str]
    severity: str
    message: str


class Node(AnswerModel):
    """A document, a file or a definition. Lines are 1-based and inclusive."""

    id: str
    kind: str = Field(description="knowledge, policy, memory, code_file or code_symbol")
    project: str | None
    title: str
    body: str = Field(description="Markdown; empty in lists and traversals")
    status: str
    properties: dict[str, Any]
    author: str
    version: int | None
    archived: bool
    created_at: str | None
    updated_at: str | None
    policy: PolicyRule | None
    path: str | None
    qualified_name: str | None
    start_line: int | None
    end_line: int | None
    commit: str | None
    missing: bool = Field(description="Code that is no longer in the index")
    url: str | None


class Edge(AnswerModel):
    """An edge: `source` has the relation `type` to `target`."""

    source: str = Field(description="A node's id")
    target: str = Field(description="A node's id")
    type: str
    origin: str = Field(description="explicit, text, policy or semantic")
    weight: float | None
    cosine: float | None
    properties: dict[str, Any]
    author: str
    created_at: str


class FoundNode(AnswerModel):
    """A node of a traversal."""

    node: Node
    distance: int = Field(description="Steps from the nearest root")


class TraverseAnswer(AnswerModel):
    """Nodes, nearest first, and the edges among them."""

    roots: list[str]
    nodes: list[FoundNode]
    edges: list[Edge]
    truncated: bool
    receipt: GraphReceipt
    hint: str | None = Field(description="Why nothing was reached")
    left_out: Truncated | None = None


class Violation(AnswerModel):
    """Code that violates a policy; the edge's `properties.matches` has lines and text."""

    code: Node
    policy: str
    title: str
    severity: str
    message: str
    edge: Edge


class ViolationsAnswer(AnswerModel):
    """A page of violations, in the order of paths."""

    project: str
    count: int
    violations: list[Violation]
    over_limit: int = Field(
        description="Files that were not checked because matching took too long"
    )
    next_cursor: str | None
    receipt: GraphReceipt
    hint: str | None = Field(description="Why there is none")
    left_out: Truncated | None = None


class UnmigratedAnswer(AnswerModel):
    """A page of definitions without a `migrated_to` edge, in the order of paths."""

    project: str
    count: int
    total: int = Field(description="On all pages")
    code: list[Node]
    next_cursor: str | None
    receipt: GraphReceipt
    hint: str | None = Field(description="Why there is none")
    left_out: Truncated | None = None


class RelatedNode(AnswerModel):
    """A node that resembles another."""

    node: Node
    score: float = Field(description="Comparable within the answer")
    similarity: float | None = Field(description="Calibrated, 0.0-1.0")
    start_line: int | None
    end_line: int | None
    content: str


class RelatedAnswer(AnswerModel):
    """Related nodes, best first."""

    id: str
    target_type: str
    count: int
    related: list[RelatedNode]
    receipt: GraphReceipt
    hint: str | None
    left_out: Truncated | None = None


class ContextDocument(AnswerModel):
    """A decision or a memory."""

    node: Node
    why: list[str] = Field(description="Types of the edges, or related")
    similarity: float | None


class ApplicablePolicy(AnswerModel):
    """A policy that applies to the file."""

    node: Node
    severity: str
    message: str
    is_violated: bool
    matches: list[dict[str, Any]]


class Neighbour(AnswerModel):
    """A caller or a callee in another file or repository."""

    project: str
    file: str
    line: int
    name: str
    of: str = Field(description="The definition in this file")
    confidence: str


class ContextAnswer(AnswerModel):
    """Policies, decisions and callers to know before changing a file, most useful first."""

    project: str
    file: str
    commit: str
    decisions: list[ContextDocument]
    policies: list[ApplicablePolicy]
    memories: list[ContextDocument]
    callers: list[Neighbour]
    callees: list[Neighbour]
    truncated: dict[str, int] = Field(description="What did not fit max_tokens, by kind")
    receipt: GraphReceipt
    left_out: Truncated | None = None
