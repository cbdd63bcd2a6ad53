"""The tools that ask an organisation as one: what its projects use of one another."""

from collections.abc import Callable
from typing import Any, Final

from aeterna_code_search.agents.backend import ServiceBackend
from aeterna_code_search.agents.codemap.text import consumers_text, map_text, unused_text
from aeterna_code_search.agents.parameters import MaxTokens
from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.replies import Reply
from aeterna_code_search.agents.truncation import (
    DEFAULT_TOKENS,
    Answer,
    Budget,
    first_rows,
    truncate,
)
from aeterna_code_search.contract.codemap import ConsumersRequest, MapRequest, UnusedRequest


def add_map_tools(tools: ToolRegistry, backend: Callable[[], ServiceBackend]) -> None:
    """Register the tools; each call gets its own backend, with the caller's credential."""
    of_map = _MapTools(backend)
    tools.add(of_map.code_map, title="Map of the organisation", request=MapRequest)
    tools.add(of_map.code_consumers, title="Consumers of a project", request=ConsumersRequest)
    tools.add(of_map.code_unused, title="Definitions without callers", request=UnusedRequest)


class _MapTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    def __init__(self, backend: Callable[[], ServiceBackend]) -> None:
        self._backend = backend

    async def code_map(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Show which projects use which: calls, imports, versions that lag, and cycles.

        Use it to see what depends on a project before you plan a change across repositories.
        Example: project="auth-service".
        """
        answer = await self._backend().map("map", request)
        return Reply(answer, map_text, truncate_map, max_tokens)

    async def code_consumers(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """List who uses a project: version, whether it lags, and the definitions it uses.

        Use it before you change or remove definitions that others may call or import.
        Example: project="common-utils", symbols=["retry_call"].
        """
        answer = await self._backend().map("map/consumers", request)
        return Reply(answer, consumers_text, truncate_consumers, max_tokens)

    async def code_unused(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """List public definitions that nothing in any repository calls, each with its doubts.

        Use it to find dead code. Never call one safe to delete without its doubts: what a framework
        or reflection calls is not seen. Example: project="auth-service", doubts=["published"].
        """
        answer = await self._backend().map("map/unused", request)
        return Reply(answer, unused_text, truncate_unused, max_tokens)


def truncate_map(answer: Answer, budget: Budget) -> Answer:
    """Keep the first links that fit, and their nodes."""
    links, nodes = answer["links"], answer["nodes"]

    def keep(count: int) -> Answer:
        kept = links[:count]
        ends = {link[end] for link in kept for end in ("source", "target")}
        return {"links": kept, "nodes": [node for node in nodes if node["id"] in ends]}

    advice = "name a project, or lower limit"
    return truncate(answer, budget, keep, len(links), advice=advice)


truncate_consumers: Final = first_rows(
    "consumers", advice="name symbols or a package, or lower limit"
)
truncate_unused: Final = first_rows(
    "definitions", advice="ask for fewer with limit and follow next_cursor"
)
