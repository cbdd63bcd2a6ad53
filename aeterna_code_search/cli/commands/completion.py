"""Names of projects for the shells' completion: at once, or none. No service is started."""

import queue
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import typer

from aeterna_code_search.cli.context import CommandContext

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

WAIT_SECONDS: Final = 2.0  # a shell waits meanwhile


def complete_project(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the projects whose names begin with `incomplete`."""
    context = ctx.find_root().obj
    if not isinstance(context, CommandContext):
        return []
    answer: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    threading.Thread(target=_answer, args=(context, answer), daemon=True).start()
    try:
        names = answer.get(timeout=WAIT_SECONDS)
    except queue.Empty:
        return []
    return [name for name in names if name.startswith(incomplete)]


def _answer(context: CommandContext, answer: "queue.SimpleQueue[list[str]]") -> None:
    from indexer.errors import IndexerError

    try:
        answer.put(sorted(_projects(context)))
    except IndexerError:  # a shell has no place for messages
        answer.put([])


def _projects(context: CommandContext) -> Iterable[str]:
    """Return the projects of the configured or the running service, else those indexed here."""
    from aeterna_code_search.client.target.embedded import api_of
    from aeterna_code_search.client.target.projects import local_projects
    from aeterna_code_search.client.target.target import (
        LOCAL_ORGANIZATION,
        data_dir_of,
        named_at,
        open_target,
    )
    from central.runtime.data_directory import running_server

    named = named_at(context.environ, context.directory)
    if named.url:
        with open_target(context.environ, context.directory, may_ask=False) as target:
            return _names(target.api())
    directory = data_dir_of(context.environ)
    server = running_server(directory)
    if server is None:
        return local_projects(directory)
    return _names(api_of(server, directory, named.organization or LOCAL_ORGANIZATION))


def _names(api: "ServiceApi") -> list[str]:
    return [str(project["project"]) for project in api.status()["projects"]]
