"""The tools that trace a symbol, or the name at a position."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final

from pydantic import Field

from aeterna_code_search.agents.backend import SYMBOL_NOT_FOUND, ErrorHints, FileBackend, ToolError
from aeterna_code_search.agents.parameters import MaxTokens
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
from aeterna_code_search.contract.trace import (
    OF_CALLERS,
    GraphRequest,
    ReferencesRequest,
    TraceRequest,
)

_OF_PAGES: Final = frozenset({"limit", "cursor"})


def add_trace_tools(
    tools: ToolRegistry, backend: Callable[[], FileBackend], hints: ErrorHints
) -> None:
    """Register the tools; each call gets its own backend, with the caller's credential."""
    trace = _TraceTools(backend, hints)
    tools.add(trace.code_trace_callers, title="Find callers", request=TraceRequest)
    tools.add(
        trace.code_trace_callees, title="Find callees", request=TraceRequest, without=OF_CALLERS
    )
    tools.add(trace.code_graph, title="Call graph", request=GraphRequest)
    tools.add(
        trace.code_definition,
        title="Go to definition",
        request=ReferencesRequest,
        without=("workspace", "min_confidence", "kind", "caller_projects"),
    )


class _TraceTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    def __init__(self, backend: Callable[[], FileBackend], hints: ErrorHints) -> None:
        self._backend = backend
        self._hints = hints

    async def code_trace_callers(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """Find who calls or uses a function, class or value, in every repository.

        Use it before a change or removal. Returns the symbol's definitions and each use of one,
        with rule, evidence, confidence and the caller's pinned version. Of several
        definitions project and file choose one. Example: symbol="Ledger.transfer", depth=2.
        """
        return _links(await self._trace("callers", request), "callers", max_tokens)

    async def code_trace_callees(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """Find what a function, method or class calls and uses, and where that is defined,
        in every repository.

        Use it to understand code without opening file after file.
        Example: symbol="ProcessPayment", project="payments-api".
        """
        return _links(await self._trace("callees", request), "callees", max_tokens)

    async def code_graph(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Show the call graph around a symbol: callers and callees, several levels.

        Use it to see how something is wired in; for a list, code_trace_callers is cheaper.
        Example: symbol="AuthMiddleware", depth=2.
        """
        answer = await self._trace("graph", request)
        return Reply(answer, graph_text, truncate_graph, max_tokens)

    async def code_definition(
        self,
        references: Annotated[bool, Field(description="List all references to it")] = False,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
        **request: Any,
    ) -> Reply:
        """Find what a name in an indexed file means: its definition, in any repository.

        Use it where several things have one name. Lines are those of code_read_file.
        Example: project="auth-service", file="acme_auth/app.py", line=44, column=20.
        """
        if references:
            return _links(await self._trace("references", request), "references", max_tokens)
        place = {name: value for name, value in request.items() if name not in _OF_PAGES}
        answer = await self._trace("definition", place)
        return Reply(answer, meaning_text, truncate_meaning, max_tokens)

    async def _trace(self, what: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the backend's answer; raise `index_not_found` if nothing is indexed."""
        try:
            return await self._backend().trace(what, parameters)
        except ToolError as error:
            if error.code != SYMBOL_NOT_FOUND:
                raise
            status = await self._backend().status(
                {name: value for name, value in parameters.items() if name == "org_id"}
            )
            if not status["total_chunks"]:
                raise index_not_found(self._hints) from error
            raise


def _links(answer: dict[str, Any], what: str, max_tokens: int) -> Reply:
    text, cut = partial(links_text, what=what), partial(truncate_links, what=what)
    return Reply(answer, text, cut, max_tokens)
