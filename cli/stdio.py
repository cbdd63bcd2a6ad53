"""The MCP server over standard input and output, which are the protocol's alone."""

import logging
import os
import signal
import threading
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version
from typing import NoReturn

import anyio
from mcp.server import MCPServer

from agents.errors import LOCAL_ADVICE
from agents.tools import INSTRUCTIONS, add_tools
from cli.backend import PlaceBackend
from cli.context import Invocation
from indexer.errors import IndexerError
from indexer.output import log

_log = logging.getLogger(__name__)


def serve(invocation: Invocation, integrations: Iterable[str] = ()) -> None:
    """Answer until the input ends. A signal ends the process at once.

    `integrations`: packages of `integrations` whose `mcp_tools.add_tools` adds theirs. Raises
    ConfigurationError where one cannot be offered.
    """
    log.to_standard_error()
    logging.getLogger("mcp").setLevel(logging.WARNING)
    for number in (signal.SIGINT, signal.SIGTERM):
        # The thread that waits for a line of input cannot be called off.
        signal.signal(number, _leave)
    backend = PlaceBackend(invocation)
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
    tools = add_tools(server, lambda: backend, advice=LOCAL_ADVICE)
    for add_more in adders:
        add_more(tools, invocation.environ, invocation.directory)
    anyio.run(server.run_stdio_async)


def _open(backend: PlaceBackend) -> None:
    try:
        backend.opened()
    except IndexerError as error:  # a tool that is called says so too, or finds it mended
        _log.warning("%s", error)


def _leave(number: int, _frame: object) -> NoReturn:
    os._exit(128 + number)
