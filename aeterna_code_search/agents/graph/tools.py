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
from aeterna_code_search.agents.parameters import MaxTokens
from aeterna_code_search.agents.registry import ADDS, ToolRegistry
from aeterna_code_search.agents.replies import Reply
from aeterna_code_search.agents.truncation import DEFAULT_TOKENS
from aeterna_code_search.contract.knowledge import (
    ContextRequest,
    Link,
    RelatedRequest,
    Traversal,
    UnmigratedRequest,
    ViolationsRequest,
)
from indexer.limits import CONTEXT_TOKENS

_STRUCTURE = 3  # times the tokens of its text has a context as the service counts it


def add_graph_tools(tools: ToolRegistry, backend: Callable[[], ServiceBackend]) -> None:
    """Register the six tools; each call gets its own backend, with the caller's credential."""
    graph = _GraphTools(backend)
    tools.add(graph.graph_context, title="Context of a file", request=ContextRequest)
    tools.add(graph.graph_traverse, title="Walk the graph", request=Traversal)
    tools.add(graph.graph_related, title="Related nodes", request=RelatedRequest)
    tools.add(graph.graph_violations, title="Policy violations", request=ViolationsRequest)
    tools.add(graph.graph_unmigrated, title="Code not migrated", request=UnmigratedRequest)
    tools.add(graph.graph_link, title="Link two nodes", request=Link, effects=ADDS)


class _GraphTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    def __init__(self, backend: Callable[[], ServiceBackend]) -> None:
        self._backend = backend

    async def graph_context(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Gather what to know before you change a file. Call it once, before the first edit.

        Returns the policies that apply (and if it violates them), the decisions (ADRs)
        that it implements or resembles, memories about it, and its callers and callees in other
        files and repositories. Example: project="payments-api", file="src/payment/handler.rs".
        """
        structured = min(CONTEXT_TOKENS, _STRUCTURE * max_tokens)
        answer = await self._backend().graph("context", {**request, "max_tokens": structured})
        return Reply(answer, context_text, truncate_context, max_tokens)

    async def graph_traverse(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Follow the links between decisions, policies, memories and code from a node.

        Use it to see which code implements a decision, or why code is as it is. Returns nodes,
        nearest first, and the edges to them. Examples: from="ADR-042", types=["implements"];
        from="code:src/auth/login.rs", direction="in"; from="ADR-042", depth=2.
        """
        answer = await self._backend().graph("traverse", request)
        return Reply(answer, traverse_text, truncate_traverse, max_tokens)

    async def graph_related(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Find what resembles a node in meaning and words, linked or not.

        Use it for code that a document is about, or documents about code. Examples:
        id="mem-123", target_type="code"; id="code:shop/retry.py#L10-L30", target_type="knowledge".
        """
        answer = await self._backend().graph("related", request)
        return Reply(answer, related_text, truncate_related, max_tokens)

    async def graph_violations(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """List the code of a repository that violates the organisation's policies.

        Use it before a release. Returns the place, the policy, its
        severity and message, and the lines that matched. Example: project="payments-service".
        """
        answer = await self._backend().graph("violations", request)
        return Reply(answer, violations_text, truncate_violations, max_tokens)

    async def graph_unmigrated(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """List a legacy repository's definitions without a link to where they moved.

        graph_link sets migrated_to on a definition, its file or a directory above. Example:
        project="legacy-monolith", path="handlers/".
        """
        answer = await self._backend().graph("unmigrated", request)
        return Reply(answer, unmigrated_text, truncate_unmigrated, max_tokens)

    async def graph_link(
        self,
        properties: Annotated[dict[str, Any] | None, Field(description="Anything else")] = None,
        **request: Any,
    ) -> Reply:
        """Link two nodes for everybody: this writes, and needs a token with the scope index.

        Use it when you learn how things belong together. The same link again changes only weight
        and properties. Example: from="mem-123", to="code:src/auth/login.rs",
        type="derived_from".
        """
        given = {} if properties is None else {"properties": properties}
        return Reply(await self._backend().graph_link({**request, **given}), link_text)
