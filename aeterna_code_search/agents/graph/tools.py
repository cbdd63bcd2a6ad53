"""The tools for the knowledge graph; only `graph_link` writes."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from aeterna_code_search.agents.backend import ServiceBackend
from aeterna_code_search.agents.graph.text import (
    context_text,
    link_text,
    related_text,
    traverse_text,
    unmigrated_text,
    violations_text,
)
from aeterna_code_search.agents.graph.truncation import (
    truncate_context,
    truncate_related,
    truncate_traverse,
    truncate_unmigrated,
    truncate_violations,
)
from aeterna_code_search.agents.parameters import (
    Direction,
    EdgeType,
    GraphCursor,
    MaxTokens,
    NodeId,
    OfProject,
    Target,
    Workspace,
    provided,
)
from aeterna_code_search.agents.registry import ADDS, ToolRegistry
from aeterna_code_search.agents.replies import Reply
from aeterna_code_search.agents.truncation import DEFAULT_TOKENS
from indexer.limits import CONTEXT_TOKENS

_STRUCTURE = 3  # times the tokens of its text has a context as the service counts it


def add_graph_tools(tools: ToolRegistry, backend: Callable[[], ServiceBackend]) -> None:
    """Register the six tools; each call gets its own backend, with the caller's credential."""
    graph = _GraphTools(backend)
    tools.add(graph.graph_context, title="Context of a file")
    tools.add(graph.graph_traverse, title="Walk the graph")
    tools.add(graph.graph_related, title="Related nodes")
    tools.add(graph.graph_violations, title="Policy violations")
    tools.add(graph.graph_unmigrated, title="Code not migrated")
    tools.add(graph.graph_link, title="Link two nodes", effects=ADDS)


class _GraphTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    def __init__(self, backend: Callable[[], ServiceBackend]) -> None:
        self._backend = backend

    async def graph_context(
        self,
        project: OfProject,
        file: Annotated[
            str, Field(min_length=1, max_length=1_024, description="Its path in the repository")
        ],
        workspace: Workspace = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Gather what to know before you change a file. Call it once, before the first edit.

        Returns the policies that apply (and if it violates them), the decisions (ADRs)
        that it implements or resembles, memories about it, and its callers and callees in other
        files and repositories. Example: project="payments-api", file="src/payment/handler.rs".
        """
        structured = min(CONTEXT_TOKENS, _STRUCTURE * max_tokens)
        answer = await self._backend().graph(
            "context",
            provided(project=project, file=file, workspace=workspace, max_tokens=structured),
        )
        return Reply(answer, context_text, truncate_context, max_tokens)

    async def graph_traverse(
        self,
        source: Annotated[NodeId, Field(alias="from")],
        types: Annotated[
            list[EdgeType] | None,
            Field(
                min_length=1,
                max_length=20,
                description="Only these, such as implements, mentions, derived_from, related_to, "
                "violates, migrated_to",
            ),
        ] = None,
        direction: Annotated[
            Direction, Field(description="out: along the edges, in: against them")
        ] = "both",
        depth: Annotated[int, Field(ge=1, le=5, description="Steps at most")] = 1,
        limit: Annotated[int, Field(ge=1, le=1_000, description="Nodes at most")] = 100,
        workspace: Workspace = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Follow the links between decisions, policies, memories and code from a node.

        Use it to see which code implements a decision, or why code is as it is. Returns nodes,
        nearest first, and the edges to them. Examples: from="ADR-042", types=["implements"];
        from="code:src/auth/login.rs", direction="in"; from="ADR-042", depth=2.
        """
        parameters = provided(
            types=types, direction=direction, depth=depth, limit=limit, workspace=workspace
        )
        answer = await self._backend().graph("traverse", {"from": source, **parameters})
        return Reply(answer, traverse_text, truncate_traverse, max_tokens)

    async def graph_related(
        self,
        id: NodeId,
        target_type: Annotated[Target, Field(description="knowledge: ADRs and policies")],
        limit: Annotated[int, Field(ge=1, le=45, description="Nodes at most")] = 10,
        workspace: Workspace = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Find what resembles a node in meaning and words, linked or not.

        Use it for code that a document is about, or documents about code. Examples:
        id="mem-123", target_type="code"; id="code:shop/retry.py#L10-L30", target_type="knowledge".
        """
        parameters = provided(id=id, target_type=target_type, limit=limit, workspace=workspace)
        answer = await self._backend().graph("related", parameters)
        return Reply(answer, related_text, truncate_related, max_tokens)

    async def graph_violations(
        self,
        project: OfProject,
        limit: Annotated[int, Field(ge=1, le=200, description="Violations at most")] = 20,
        cursor: GraphCursor = None,
        workspace: Workspace = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """List the code of a repository that violates the organisation's policies.

        Use it before a release. Returns the place, the policy, its
        severity and message, and the lines that matched. Example: project="payments-service".
        """
        parameters = provided(project=project, limit=limit, cursor=cursor, workspace=workspace)
        answer = await self._backend().graph("violations", parameters)
        return Reply(answer, violations_text, truncate_violations, max_tokens)

    async def graph_unmigrated(
        self,
        project: OfProject,
        path: Annotated[
            str | None, Field(max_length=1_024, description="Start of a file's path")
        ] = None,
        limit: Annotated[int, Field(ge=1, le=200, description="Definitions at most")] = 30,
        cursor: GraphCursor = None,
        workspace: Workspace = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """List a legacy repository's definitions without a link to where they moved.

        graph_link sets migrated_to on a definition, its file or a directory above. Example:
        project="legacy-monolith", path="handlers/".
        """
        parameters = provided(
            project=project, path=path, limit=limit, cursor=cursor, workspace=workspace
        )
        answer = await self._backend().graph("unmigrated", parameters)
        return Reply(answer, unmigrated_text, truncate_unmigrated, max_tokens)

    async def graph_link(
        self,
        source: Annotated[NodeId, Field(alias="from")],
        to: NodeId,
        type: Annotated[
            EdgeType,
            Field(description="Such as implements, derived_from, related_to, migrated_to"),
        ],
        weight: Annotated[float | None, Field(ge=0.0, le=1.0, description="Strength")] = None,
        properties: Annotated[dict[str, Any] | None, Field(description="Anything else")] = None,
        workspace: Workspace = None,
    ) -> Reply:
        """Link two nodes for everybody: this writes, and needs a token with the scope index.

        Use it when you learn how things belong together. The same link again changes only weight
        and properties. Example: from="mem-123", to="code:src/auth/login.rs",
        type="derived_from".
        """
        body = provided(to=to, type=type, weight=weight, properties=properties, workspace=workspace)
        edge = await self._backend().graph_link({"from": source, **body})
        return Reply(edge, link_text)
