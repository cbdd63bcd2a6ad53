"""`sidecar`: the tools `codesearch_*` over MCP, for a central service or for agents."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from aeterna_code_search.cli.commands.options import examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from socket import socket

    from indexer.config.settings import ServerSettings

commands = typer.Typer()


@commands.command(
    "sidecar",
    epilog=examples(
        "AETERNA_URL=https://codesearch.example.com codesearch sidecar",
        "codesearch sidecar --bind 0.0.0.0:8765 --allowed-host codesearch-sidecar",
    ),
)
def sidecar(
    ctx: typer.Context,
    bind: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Listen address; port 0: any free port")
    ] = "127.0.0.1:8765",
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Host name that callers may use besides this machine's own; repeatable; also "
            "AETERNA_ALLOWED_HOSTS, separated by commas",
        ),
    ] = None,
) -> Exit:
    """Serve codesearch_* tools over MCP (streamable HTTP) at /mcp.

    Each call is forwarded to the service with the caller's token; the sidecar has none of its own.
    Without AETERNA_URL it uses the service on this machine. The default workspace is the
    organisation of AETERNA_ORGANIZATION.

    /livez and /readyz are for health checks; /readyz reports the readiness of the service. Tokens
    are not encrypted: listen on other interfaces only in a trusted network.
    """
    from aeterna_code_search.cli.mcp.sidecar import PATH, serve
    from central.runtime.listening import reachable_url

    context: CommandContext = ctx.obj
    with _service(context) as named, _listening(bind) as listeners:
        url = reachable_url(listeners[0])
        typer.echo(
            f"The sidecar listens at {url}{PATH} and forwards each caller's token to {named.url}.\n"
            f"To route central's code_* tools through it, set CODESEARCH_SIDECAR_URL={url}{PATH}",
            err=True,
        )
        serve(
            listeners,
            service_url=named.url or "",
            organization=named.organization,
            hosts=[*(allowed_host or ()), *_words(context.environ.get("AETERNA_ALLOWED_HOSTS"))],
        )
    return Exit.OK


@contextmanager
def _listening(bind: str) -> Iterator["list[socket]"]:
    from central.runtime.listening import CannotListenError, bound_sockets
    from indexer.errors import ConfigurationError

    with ExitStack() as stack:
        try:
            listeners = stack.enter_context(bound_sockets(bind))
        except CannotListenError as exc:
            raise ConfigurationError(f"{exc}; choose another --bind") from exc
        yield listeners


@contextmanager
def _service(context: CommandContext) -> Iterator["ServerSettings"]:
    """The configured service, else the local one, which is kept running meanwhile."""
    from dataclasses import replace

    from aeterna_code_search.client.console import print_stderr
    from aeterna_code_search.client.target.embedded import shared_service
    from aeterna_code_search.client.target.target import LOCAL_ORGANIZATION, data_dir_of
    from aeterna_code_search.client.target.trusted_servers import require_trusted
    from indexer.config.settings import ServerSettings

    environ = context.environ
    named = ServerSettings.load(environ, project_dir=context.directory, overrides={})
    if named.url:
        if named.from_project_file:
            require_trusted(named.url, data_dir_of(environ), may_ask=True)
        yield named
        return

    with shared_service(data_dir_of(environ), environ=environ, notify=print_stderr) as server:
        organization = named.organization or LOCAL_ORGANIZATION
        yield replace(named, url=server["url"], organization=organization)


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]
