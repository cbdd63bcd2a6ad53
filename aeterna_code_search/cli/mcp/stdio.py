"""The MCP server over standard input and output, and its backend."""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, NoReturn

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from aeterna_code_search.agents.backend import LOCAL_HINTS, ToolError
from aeterna_code_search.agents.requests import is_structured
from aeterna_code_search.agents.results import names_in
from aeterna_code_search.agents.tools import INSTRUCTIONS, add_tools
from aeterna_code_search.cli.context import CommandContext, search_api_over
from aeterna_code_search.client.target.kept_service import KeptService, OpenService
from indexer.errors import (
    CentralRefusedError,
    CentralUnreachableError,
    ConfigurationError,
    IndexerError,
    UnconfirmedServerError,
)
from indexer.output.github import log_to_standard_error

STRUCTURED_VARIABLE: Final = "AETERNA_STRUCTURED"

_Answer = dict[str, Any]
_Request = Callable[[OpenService, Mapping[str, Any]], _Answer]


class TargetBackend:
    """The `aeterna_code_search.agents.backend.ServiceBackend` of one organisation.

    Calls wait for a local service that is still starting. Resources are released when the process
    ends.
    """

    def __init__(self, context: CommandContext) -> None:
        self._service = KeptService(context.environ, context.directory, search_api_over)

    async def search(self, body: Mapping[str, Any]) -> _Answer:
        """Send a search."""
        return await self._answer(body, lambda opened, asked: opened.search_api.search(asked))

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Send a trace."""
        return await self._answer(
            parameters, lambda opened, asked: opened.search_api.trace(what, asked)
        )

    async def status(self, parameters: Mapping[str, Any]) -> _Answer:
        """Get the index status."""
        return await self._answer(
            parameters, lambda opened, asked: opened.search_api.status(asked.get("project"))
        )

    async def list_files(self, parameters: Mapping[str, Any]) -> _Answer:
        """List a directory, or the paths that match a glob."""
        return await self._answer(parameters, lambda opened, asked: opened.api.list_files(asked))

    async def read_file(self, parameters: Mapping[str, Any]) -> _Answer:
        """Read lines of a file."""
        return await self._answer(parameters, lambda opened, asked: opened.api.read_file(asked))

    async def history(self, parameters: Mapping[str, Any]) -> _Answer:
        """List the commits that changed a path."""
        return await self._answer(parameters, lambda opened, asked: opened.api.history(asked))

    async def graph(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Query the knowledge graph."""
        return await self._answer(parameters, lambda opened, asked: opened.api.graph(what, asked))

    async def map(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Ask about the organisation as one."""
        return await self._answer(parameters, lambda opened, asked: opened.api.map(what, asked))

    async def graph_link(self, body: Mapping[str, Any]) -> _Answer:
        """Create a link of the knowledge graph."""
        return await self._answer(body, lambda opened, asked: opened.api.link(asked))

    def open(self) -> None:
        """Open the target before the first call. Raises IndexerError."""
        with self._service.used():
            return

    async def _answer(self, parameters: Mapping[str, Any], request: _Request) -> _Answer:
        """Run `request` in a thread; a cancelled call does not wait for it."""
        run = partial(self._run, parameters, request)
        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)

    def _run(self, parameters: Mapping[str, Any], request: _Request) -> _Answer:
        def asked(opened: OpenService) -> _Answer:
            organization = opened.target.organization
            return request(opened, _without_organization(parameters, organization))

        try:
            return self._service.request(asked)
        except IndexerError as error:
            raise _tool_error(error) from error


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
        backend.open()
    except IndexerError as error:  # a later tool call reports it, or succeeds
        _log.warning("%s", error)


def _leave(number: int, _frame: object) -> NoReturn:
    os._exit(128 + number)
