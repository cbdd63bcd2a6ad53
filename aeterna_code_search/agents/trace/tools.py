"""The tools that trace a symbol, or the name at a position."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from aeterna_code_search.agents.backend import SYMBOL_NOT_FOUND, ErrorHints, FileBackend, ToolError
from aeterna_code_search.agents.parameters import (
    Confidence,
    Cursor,
    File,
    Kinds,
    Line,
    MaxTokens,
    OfProject,
    Project,
    Projects,
    Symbol,
    Workspace,
    provided,
)
from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.replies import Reply
from aeterna_code_search.agents.results import index_not_found
from aeterna_code_search.agents.trace.text import graph_text, links_text, meaning_text
from aeterna_code_search.agents.trace.truncation import (
    truncate_graph,
    truncate_links,
    truncate_meaning,
)
from aeterna_code_search.agents.truncation import DEFAULT_TOKENS


def add_trace_tools(
    tools: ToolRegistry, backend: Callable[[], FileBackend], hints: ErrorHints
) -> None:
    """Register the tools; each call gets its own backend, with the caller's credential."""
    trace = _TraceTools(backend, hints)
    tools.add(trace.code_trace_callers, title="Find callers")
    tools.add(trace.code_trace_callees, title="Find callees")
    tools.add(trace.code_graph, title="Call graph")
    tools.add(trace.code_definition, title="Go to definition")


class _TraceTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    def __init__(self, backend: Callable[[], FileBackend], hints: ErrorHints) -> None:
        self._backend = backend
        self._hints = hints

    async def code_trace_callers(  # noqa: PLR0913
        self,
        symbol: Symbol,
        workspace: Workspace = None,
        project: Project = None,
        file: File = None,
        line: Line = None,
        depth: Annotated[int, Field(ge=1, le=5, description="2: callers of callers too")] = 1,
        min_confidence: Confidence = "medium",
        caller_projects: Annotated[
            Projects, Field(description="Only in these repositories")
        ] = None,
        kind: Kinds = None,
        limit: Annotated[int, Field(ge=1, le=200, description="At most")] = 30,
        cursor: Cursor = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Find who calls or uses a function, class or value, in every repository.

        Use it before a change or removal. Returns the symbol's definitions and each use of one,
        with rule, evidence, confidence and the caller's pinned version. Of several
        definitions project and file choose one. Example: symbol="Ledger.transfer", depth=2.
        """
        parameters = provided(
            symbol=symbol,
            workspace=workspace,
            project=project,
            file=file,
            line=line,
            depth=depth,
            min_confidence=min_confidence,
            caller_projects=caller_projects,
            kind=kind,
            limit=limit,
            cursor=cursor,
        )
        answer = await self._trace("callers", parameters)
        return _links(answer, "callers", max_tokens)

    async def code_trace_callees(  # noqa: PLR0913
        self,
        symbol: Symbol,
        workspace: Workspace = None,
        project: Project = None,
        file: File = None,
        line: Line = None,
        min_confidence: Confidence = "medium",
        kind: Kinds = None,
        limit: Annotated[int, Field(ge=1, le=200, description="At most")] = 30,
        cursor: Cursor = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Find what a function, method or class calls and uses, and where that is defined,
        in every repository.

        Use it to understand code without opening file after file.
        Example: symbol="ProcessPayment", project="payments-api".
        """
        parameters = provided(
            symbol=symbol,
            workspace=workspace,
            project=project,
            file=file,
            line=line,
            min_confidence=min_confidence,
            kind=kind,
            limit=limit,
            cursor=cursor,
        )
        answer = await self._trace("callees", parameters)
        return _links(answer, "callees", max_tokens)

    async def code_graph(  # noqa: PLR0913
        self,
        symbol: Symbol,
        depth: Annotated[int, Field(ge=1, le=5, description="Levels up and down")] = 2,
        workspace: Workspace = None,
        project: Project = None,
        file: File = None,
        line: Line = None,
        min_confidence: Confidence = "medium",
        limit: Annotated[int, Field(ge=1, le=500, description="Nodes at most")] = 50,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Show the call graph around a symbol: callers and callees, several levels.

        Use it to see how something is wired in; for a list, code_trace_callers is cheaper.
        Example: symbol="AuthMiddleware", depth=2.
        """
        parameters = provided(
            symbol=symbol,
            workspace=workspace,
            project=project,
            file=file,
            line=line,
            depth=depth,
            min_confidence=min_confidence,
            limit=limit,
        )
        answer = await self._trace("graph", parameters)
        return Reply(answer, graph_text, truncate_graph, max_tokens)

    async def code_definition(
        self,
        project: OfProject,
        file: Annotated[str, Field(max_length=1_024, description="Path in it")],
        line: Annotated[int, Field(ge=1, le=10_000_000, description="From 1")],
        column: Annotated[int, Field(ge=0, le=10_000_000, description="From 0, in the name")],
        references: Annotated[bool, Field(description="List all references to it")] = False,
        limit: Annotated[int, Field(ge=1, le=200, description="At most")] = 30,
        cursor: Cursor = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Find what a name in an indexed file means: its definition, in any repository.

        Use it where several things have one name. Lines are those of code_read_file.
        Example: project="auth-service", file="acme_auth/app.py", line=44, column=20.
        """
        place = {"project": project, "file": file, "line": line, "column": column}
        if not references:
            answer = await self._trace("definition", place)
            return Reply(answer, meaning_text, truncate_meaning, max_tokens)
        parameters = {**place, **provided(limit=limit, cursor=cursor)}
        answer = await self._trace("references", parameters)
        return _links(answer, "references", max_tokens)

    async def _trace(self, what: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the backend's answer; raise `index_not_found` if nothing is indexed."""
        try:
            return await self._backend().trace(what, parameters)
        except ToolError as error:
            if error.code != SYMBOL_NOT_FOUND:
                raise
            status = await self._backend().status(provided(workspace=parameters.get("org_id")))
            if not status["total_chunks"]:
                raise index_not_found(self._hints) from error
            raise


def _links(answer: dict[str, Any], what: str, max_tokens: int) -> Reply:
    text, cut = partial(links_text, what=what), partial(truncate_links, what=what)
    return Reply(answer, text, cut, max_tokens)
