"""The tools that ask an organisation as one: what its projects use of one another."""

from collections.abc import Callable
from typing import Annotated, Final, Literal

from pydantic import Field

from aeterna_code_search.agents.backend import ServiceBackend
from aeterna_code_search.agents.codemap.text import consumers_text, map_text, unused_text
from aeterna_code_search.agents.parameters import (
    Confidence,
    Cursor,
    MaxTokens,
    OfProject,
    Project,
    ProjectName,
    Symbol,
    Workspace,
    provided,
)
from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.replies import Reply
from aeterna_code_search.agents.truncation import (
    DEFAULT_TOKENS,
    Answer,
    Budget,
    first_rows,
    truncate,
)

_Level = Annotated[
    Literal["project", "package"], Field(description="package: the packages of projects")
]
_Kind = Literal[
    "function",
    "method",
    "class",
    "interface",
    "enum",
    "struct",
    "trait",
    "type",
    "constant",
    "property",
    "module",
]
_Include = Literal["tests", "examples", "docs", "generated", "vendored", "declarations"]
_Doubt = Literal[
    "none",
    "edges_behind",
    "entry_point",
    "generated",
    "missing_projects",
    "name_in_text",
    "older_extractor",
    "outside_base",
    "partly_parsed",
    "published",
    "reexported",
    "unresolved_uses",
]


def add_map_tools(tools: ToolRegistry, backend: Callable[[], ServiceBackend]) -> None:
    """Register the tools; each call gets its own backend, with the caller's credential."""
    of_map = _MapTools(backend)
    tools.add(of_map.code_map, title="Map of the organisation")
    tools.add(of_map.code_consumers, title="Consumers of a project")
    tools.add(of_map.code_unused, title="Definitions without callers")


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
    ) -> Reply:
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
        answer = await self._backend().map("map", parameters)
        return Reply(answer, map_text, truncate_map, max_tokens)

    async def code_consumers(
        self,
        project: OfProject,
        package: Annotated[
            str | None, Field(max_length=1_000, description="Only this package of it")
        ] = None,
        symbols: Annotated[
            list[Symbol] | None,
            Field(min_length=1, max_length=1_000, description="Only who uses these definitions"),
        ] = None,
        lags_only: Annotated[bool, Field(description="Only who pins an older version")] = False,
        workspace: Workspace = None,
        min_confidence: Confidence = "medium",
        limit: Annotated[int, Field(ge=1, le=500, description="Consumers at most")] = 30,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """List who uses a project: version, whether it lags, and the definitions it uses.

        Use it before you change or remove definitions that others may call or import.
        Example: project="common-utils", symbols=["retry_call"].
        """
        parameters = provided(
            project=project,
            package=package,
            symbols=symbols,
            lags_only=lags_only,
            workspace=workspace,
            min_confidence=min_confidence,
            limit=limit,
        )
        answer = await self._backend().map("map/consumers", parameters)
        return Reply(answer, consumers_text, truncate_consumers, max_tokens)

    async def code_unused(
        self,
        project: Project = None,
        kind: Annotated[
            list[_Kind] | None,
            Field(max_length=11, description="Such definitions only; else all but the last three"),
        ] = None,
        include: Annotated[
            list[_Include] | None, Field(max_length=6, description="Such files too")
        ] = None,
        doubts: Annotated[
            list[_Doubt] | None,
            Field(max_length=12, description="Only those without other doubts than these"),
        ] = None,
        workspace: Workspace = None,
        limit: Annotated[int, Field(ge=1, le=200, description="At most")] = 50,
        cursor: Cursor = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """List public definitions that nothing in any repository calls, each with its doubts.

        Use it to find dead code. Never call one safe to delete without its doubts: what a framework
        or reflection calls is not seen. Example: project="auth-service", doubts=["published"].
        """
        parameters = provided(
            project=project,
            kind=kind,
            include=include,
            doubts=doubts,
            workspace=workspace,
            limit=limit,
            cursor=cursor,
        )
        answer = await self._backend().map("map/unused", parameters)
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
