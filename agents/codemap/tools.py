"""The tools that ask an organisation as one: what its projects use of one another."""

from collections.abc import Callable
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import Field

from agents.backend import ServiceBackend
from agents.codemap.text import map_text
from agents.codemap.truncation import truncate_map
from agents.parameters import Confidence, MaxTokens, ProjectName, Workspace, provided
from agents.registry import ToolRegistry
from agents.results import success
from agents.truncation import DEFAULT_TOKENS

_Level = Annotated[
    Literal["project", "package"], Field(description="package: the packages of projects")
]


def add_map_tools(tools: ToolRegistry, backend: Callable[[], ServiceBackend]) -> None:
    """Register the tools; each call gets its own backend, with the caller's credential."""
    of_map = _MapTools(backend)
    tools.add(of_map.code_map, title="Map of the organisation")


class _MapTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    def __init__(self, backend: Callable[[], ServiceBackend]) -> None:
        self._backend = backend

    async def code_map(
        self,
        project: Annotated[
            ProjectName | None, Field(description="Only what it uses and what uses it")
        ] = None,
        level: _Level = "project",
        workspace: Workspace = None,
        min_confidence: Confidence = "medium",
        limit: Annotated[int, Field(ge=1, le=5_000, description="Links at most")] = 100,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> CallToolResult:
        """Show which projects use which: calls, imports, versions that lag, and cycles.

        Use it to see what depends on a project before you plan a change across repositories.
        Example: project="auth-service".
        """
        parameters = provided(
            project=project,
            level=level,
            workspace=workspace,
            min_confidence=min_confidence,
            limit=limit,
        )
        answer = truncate_map(await self._backend().map("map", parameters), max_tokens)
        return success(map_text(answer), answer)
