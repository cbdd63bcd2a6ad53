"""The MCP server over standard input and output, and its backend."""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, NoReturn

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from aeterna_code_search.agents.backend import LOCAL_HINTS, ToolError
from aeterna_code_search.agents.parameters import is_structured
from aeterna_code_search.agents.results import names_in
from aeterna_code_search.agents.tools import INSTRUCTIONS, add_tools
from aeterna_code_search.cli.context import CommandContext
from indexer.errors import (
    CentralRefusedError,
    CentralUnreachableError,
    ConfigurationError,
    IndexerError,
    UnconfirmedServerError,
)
from indexer.output.github import log_to_standard_error

STRUCTURED_VARIABLE: Final = "AETERNA_STRUCTURED"

if TYPE_CHECKING:
    from aeterna_code_search.client.api import GraphApi, HttpSearchApi, SearchApi
    from aeterna_code_search.client.target.target import IndexTarget

_Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opened:
    """An open target with its APIs."""

    target: "IndexTarget"
    search_api: "SearchApi"
    service_api: "HttpSearchApi"
    graph: "GraphApi"


_Request = Callable[[Opened, Mapping[str, Any]], _Answer]


class TargetBackend:
    """The `aeterna_code_search.agents.backend.ServiceBackend` of one organisation.

    Calls wait for a local service that is still starting. A local service that has stopped is
    started again. Resources are released when the process ends.
    """

    def __init__(self, context: CommandContext) -> None:
        self._context = context
        self._opening = threading.Lock()
        self._opened: Opened | None = None
        self._resources = ExitStack()

    async def search(self, body: Mapping[str, Any]) -> _Answer:
        """Send a search."""
        return await self._answer(
            body, lambda opened, parameters: opened.search_api.search(parameters)
        )

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Send a trace."""
        return await self._answer(
            parameters, lambda opened, parameters: opened.search_api.trace(what, parameters)
        )

    async def status(self, parameters: Mapping[str, Any]) -> _Answer:
        """Get the index status."""
        return await self._answer(
            parameters,
            lambda opened, parameters: opened.search_api.status(parameters.get("project")),
        )

    async def list_files(self, parameters: Mapping[str, Any]) -> _Answer:
        """List a directory, or the paths that match a glob."""
        return await self._answer(
            parameters, lambda opened, parameters: opened.service_api.list_files(parameters)
        )

    async def read_file(self, parameters: Mapping[str, Any]) -> _Answer:
        """Read lines of a file."""
        return await self._answer(
            parameters, lambda opened, parameters: opened.service_api.read_file(parameters)
        )

    async def graph(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Query the knowledge graph."""
        return await self._answer(
            parameters, lambda opened, parameters: opened.graph.query(what, parameters)
        )

    async def map(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Ask about the organisation as one."""
        return await self._answer(
            parameters, lambda opened, parameters: opened.service_api.map(what, parameters)
        )

    async def graph_link(self, body: Mapping[str, Any]) -> _Answer:
        """Create a link of the knowledge graph."""
        return await self._answer(body, lambda opened, parameters: opened.graph.link(parameters))

    def opened(self) -> Opened:
        """Return the target with its APIs; the first call opens it. Raises IndexerError."""
        # Imported here, so that the tools are listed without them.
        from aeterna_code_search.cli.context import graph_api_for, search_api_for, service_api_for
        from aeterna_code_search.client.target.target import open_target

        with self._opening:
            if self._opened is None:
                environ, directory = self._context.environ, self._context.directory
                target = self._resources.enter_context(
                    open_target(environ, directory, may_ask=False)
                )
                self._opened = Opened(
                    target,
                    search_api_for(target),
                    service_api_for(target),
                    graph_api_for(target),
                )
            return self._opened

    async def _answer(self, parameters: Mapping[str, Any], request: _Request) -> _Answer:
        """Run `request` in a thread; a cancelled call does not wait for it."""
        run = partial(self._run, parameters, request)
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)

    def _run(self, parameters: Mapping[str, Any], request: _Request) -> _Answer:
        try:
            opened = self.opened()
            try:
                return _call(opened, parameters, request)
            except CentralUnreachableError:
                self._forget(opened)
                if not opened.target.is_local:
                    raise
            return _call(self.opened(), parameters, request)
        except IndexerError as error:
            raise _tool_error(error) from error

    def _forget(self, opened: Opened) -> None:
        with self._opening:
            if self._opened is opened:
                self._opened = None
                self._resources.close()


def _call(opened: Opened, parameters: Mapping[str, Any], request: _Request) -> _Answer:
    return request(opened, _without_organization(parameters, opened.target.organization))


def _without_organization(parameters: Mapping[str, Any], organization: str) -> dict[str, Any]:
    """Return `parameters` without the organisation, which must be that of the server."""
    named = parameters.get("org_id")
    if named and named not in {organization, f"org-{organization}"}:
        raise ToolError(
            f"This server serves the organisation {organization} only; omit workspace.",
            code="organization_not_found",
            status=HTTPStatus.NOT_FOUND,
        )
    return {name: value for name, value in parameters.items() if name != "org_id"}


def _tool_error(error: IndexerError) -> ToolError:
    if isinstance(error, CentralRefusedError):
        near = names_in(error.problem.get("near"))
        return ToolError(_error_text(error), code=error.code, status=error.status, near=near)
    if isinstance(error, CentralUnreachableError):
        return ToolError(
            str(error), code="service_unavailable", status=HTTPStatus.SERVICE_UNAVAILABLE
        )
    if isinstance(error, UnconfirmedServerError):
        return ToolError(str(error), code="server_not_confirmed", status=HTTPStatus.FORBIDDEN)
    return ToolError(str(error), code="service_failed", status=HTTPStatus.BAD_GATEWAY)


def _error_text(error: CentralRefusedError) -> str:
    detail = error.problem.get("detail")
    if not isinstance(detail, str) or error.status in {401, 403}:  # the error names the setting
        return str(error)
    return detail


_log = logging.getLogger(__name__)


def serve(context: CommandContext, integrations: Iterable[str] = ()) -> None:
    """Serve until the input ends. A signal ends the process at once.

    `integrations`: packages of `integrations` whose `mcp_tools.add_tools` registers more tools.
    Raises ConfigurationError if one is not available, or a setting is wrong.
    """
    log_to_standard_error()
    logging.getLogger("mcp").setLevel(logging.WARNING)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The thread that reads standard input cannot be cancelled.
        signal.signal(number, _leave)
    wants_structure = _wants_structure(context.environ)
    backend = TargetBackend(context)
    adders = [
        import_module(f"aeterna_code_search.integrations.{name}.mcp_tools").add_tools
        for name in integrations
    ]
    server = MCPServer(
        "codesearch",
        title="Aeterna Code Search",
        instructions=INSTRUCTIONS,
        version=version("aeterna-code-search"),
        middleware=[_opening(backend)],
        subscriptions=False,
    )
    tools = add_tools(
        server, lambda: backend, hints=LOCAL_HINTS, wants_structure=lambda _: wants_structure
    )
    for add_more in adders:
        add_more(tools, context.environ, context.directory)
    anyio.run(server.run_stdio_async)


def _wants_structure(environ: Mapping[str, str]) -> bool:
    try:
        return is_structured(environ.get(STRUCTURED_VARIABLE, ""), STRUCTURED_VARIABLE)
    except ToolError as error:
        raise ConfigurationError(error.message) from error


def _opening(backend: TargetBackend) -> ServerMiddleware[Any]:
    """Return the middleware that opens the target when the tools have been listed.

    A local service starts while the agent reads them, and not before: the list comes sooner.
    """

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        answer = await call_next(ctx)
        if ctx.method == "tools/list":
            threading.Thread(target=_open, args=[backend], daemon=True).start()
        return answer

    return middleware


def _open(backend: TargetBackend) -> None:
    try:
        backend.opened()
    except IndexerError as error:  # a later tool call reports it, or succeeds
        _log.warning("%s", error)


def _leave(number: int, _frame: object) -> NoReturn:
    os._exit(128 + number)
