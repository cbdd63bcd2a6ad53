"""MCP over standard input and output, and the backend behind it."""

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
from typing import Any, NoReturn

import anyio
import anyio.to_thread
from mcp.server import MCPServer

from agents.backend import LOCAL_HINTS, ToolError
from agents.results import names_in
from agents.tools import INSTRUCTIONS, add_tools
from cli.api import GraphApi, SearchApi
from cli.context import CommandContext, graph_api_for, search_api_for
from cli.target.target import IndexTarget, open_target
from indexer.errors import (
    CentralRefusedError,
    CentralUnreachableError,
    IndexerError,
    UnconfirmedServerError,
)
from indexer.output import log

_Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opened:
    """A place and who answers there."""

    target: IndexTarget
    search_api: SearchApi
    graph: GraphApi


_Ask = Callable[[Opened, Mapping[str, Any]], _Answer]


class TargetBackend:
    """`agents.backend.GraphBackend`, of one organisation.

    A service on this machine may still be starting: who asks waits for it. One that has gone is
    looked for, or started, again. What it holds ends with the process.
    """

    def __init__(self, invocation: CommandContext) -> None:
        self._invocation = invocation
        self._opening = threading.Lock()
        self._opened: Opened | None = None
        self._held = ExitStack()

    async def search(self, body: Mapping[str, Any]) -> _Answer:
        """Search."""
        return await self._answer(body, lambda there, asked: there.search_api.search(asked))

    async def trace(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """Trace."""
        return await self._answer(
            parameters, lambda there, asked: there.search_api.trace(what, asked)
        )

    async def status(self, parameters: Mapping[str, Any]) -> _Answer:
        """What is indexed."""
        return await self._answer(
            parameters, lambda there, asked: there.search_api.status(asked.get("project"))
        )

    async def graph(self, what: str, parameters: Mapping[str, Any]) -> _Answer:
        """The knowledge graph."""
        return await self._answer(parameters, lambda there, asked: there.graph.ask(what, asked))

    async def graph_link(self, body: Mapping[str, Any]) -> _Answer:
        """A link of the knowledge graph."""
        return await self._answer(body, lambda there, asked: there.graph.link(asked))

    def opened(self) -> Opened:
        """The place and who answers there; looked for, or started, by the first who asks.

        Raises IndexerError.
        """
        with self._opening:
            if self._opened is None:
                environ, directory = self._invocation.environ, self._invocation.directory
                target = self._held.enter_context(open_target(environ, directory, may_ask=False))
                self._opened = Opened(target, search_api_for(target), graph_api_for(target))
            return self._opened

    async def _answer(self, parameters: Mapping[str, Any], ask: _Ask) -> _Answer:
        """Who is cancelled waits no longer; the thread is free when there is an answer."""
        asked = partial(self._asked, parameters, ask)
        return await anyio.to_thread.run_sync(asked, abandon_on_cancel=True)

    def _asked(self, parameters: Mapping[str, Any], ask: _Ask) -> _Answer:
        try:
            opened = self.opened()
            try:
                return _answered(opened, parameters, ask)
            except CentralUnreachableError:
                self._forget(opened)
                if not opened.target.is_local:
                    raise
            return _answered(self.opened(), parameters, ask)
        except IndexerError as error:
            raise _refusal(error) from error

    def _forget(self, gone: Opened) -> None:
        with self._opening:
            if self._opened is gone:
                self._opened = None
                self._held.close()


def _answered(opened: Opened, parameters: Mapping[str, Any], ask: _Ask) -> _Answer:
    return ask(opened, _own(parameters, opened.target.organization))


def _own(parameters: Mapping[str, Any], organization: str) -> dict[str, Any]:
    """`parameters` without the organisation, of which there is only one."""
    named = parameters.get("org_id")
    if named and named not in {organization, f"org-{organization}"}:
        raise ToolError(
            f"This server is of the organisation {organization}; leave workspace out.",
            code="organization_not_found",
            status=HTTPStatus.NOT_FOUND,
        )
    return {name: value for name, value in parameters.items() if name != "org_id"}


def _refusal(error: IndexerError) -> ToolError:
    if isinstance(error, CentralRefusedError):
        near = names_in(error.problem.get("near"))
        return ToolError(_told(error), code=error.code, status=error.status, near=near)
    if isinstance(error, CentralUnreachableError):
        return ToolError(
            str(error), code="service_unavailable", status=HTTPStatus.SERVICE_UNAVAILABLE
        )
    if isinstance(error, UnconfirmedServerError):
        return ToolError(str(error), code="server_not_confirmed", status=HTTPStatus.FORBIDDEN)
    return ToolError(str(error), code="service_failed", status=HTTPStatus.BAD_GATEWAY)


def _told(error: CentralRefusedError) -> str:
    detail = error.problem.get("detail")
    if not isinstance(detail, str) or error.status in {401, 403}:  # what to set stands in the error
        return str(error)
    return detail


_log = logging.getLogger(__name__)


def serve(invocation: CommandContext, integrations: Iterable[str] = ()) -> None:
    """Answer until the input ends. A signal ends the process at once.

    `integrations`: packages of `integrations` whose `mcp_tools.add_tools` adds theirs. Raises
    ConfigurationError where one cannot be offered.
    """
    log.to_standard_error()
    logging.getLogger("mcp").setLevel(logging.WARNING)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The thread that waits for a line of input cannot be called off.
        signal.signal(number, _leave)
    backend = TargetBackend(invocation)
    adders = [import_module(f"integrations.{name}.mcp_tools").add_tools for name in integrations]
    # A service on this machine starts while the agent still asks which tools there are.
    threading.Thread(target=_open, args=[backend], daemon=True).start()
    server = MCPServer(
        "codesearch",
        title="Aeterna Code Search",
        instructions=INSTRUCTIONS,
        version=version("aeterna-code-search"),
        subscriptions=False,
    )
    tools = add_tools(server, lambda: backend, hints=LOCAL_HINTS)
    for add_more in adders:
        add_more(tools, invocation.environ, invocation.directory)
    anyio.run(server.run_stdio_async)


def _open(backend: TargetBackend) -> None:
    try:
        backend.opened()
    except IndexerError as error:  # a tool that is called says so too, or finds it mended
        _log.warning("%s", error)


def _leave(number: int, _frame: object) -> NoReturn:
    os._exit(128 + number)
