"""The context of every command: the environment at the start, and the working directory."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeterna_code_search.client.api import GraphApi, HttpSearchApi, SearchApi
    from aeterna_code_search.client.target.target import IndexTarget
    from central.runtime.data_directory import ServerRecord


@dataclass(frozen=True, slots=True)
class CommandContext:
    """Typer's context object."""

    environ: Mapping[str, str] = field(repr=False)
    directory: Path

    @contextmanager
    def search_api(self) -> Iterator["SearchApi"]:
        """Open the search API of this directory's target. Raises IndexerError."""
        with self._target() as target:
            yield search_api_for(target)

    @contextmanager
    def service_api(self, *, retry_seconds: float = 0.0) -> Iterator["HttpSearchApi"]:
        """Open the API of the index alone, without uncommitted work. Raises IndexerError.

        `retry_seconds`: how long to wait for a service that is unavailable or asks to wait.
        """
        with self._target() as target:
            yield service_api_for(target, retry_seconds=retry_seconds)

    @contextmanager
    def graph(self, *, retry_seconds: float = 0.0) -> Iterator["GraphApi"]:
        """Open the knowledge graph of this directory's target. Raises IndexerError.

        `retry_seconds`: how long to wait for a service that is unavailable or asks to wait.
        """
        with self._target() as target:
            yield graph_api_for(target, retry_seconds=retry_seconds)

    def local_server(self) -> "ServerRecord | None":
        """Return the record of the service on this machine, if this directory uses that one.

        Raises ConfigurationError.
        """
        from aeterna_code_search.client.target.target import data_dir_of, named_at
        from central.runtime.data_directory import running_server

        if named_at(self.environ, self.directory).url:
            return None
        return running_server(data_dir_of(self.environ))

    def _target(self) -> AbstractContextManager["IndexTarget"]:
        # Imported here, so that --help and argument errors are fast.
        from aeterna_code_search.client.target.target import open_target

        return open_target(self.environ, self.directory)


def directory() -> Path:
    """Return the working directory. Raises ConfigurationError if it was deleted."""
    from indexer.errors import ConfigurationError

    try:
        return Path.cwd()
    except FileNotFoundError as exc:
        raise ConfigurationError(
            "the working directory does not exist any more: change to another one"
        ) from exc


def graph_api_for(target: "IndexTarget", *, retry_seconds: float = 0.0) -> "GraphApi":
    """Return the knowledge graph of a target; it does not include uncommitted work."""
    from aeterna_code_search.client.api import GraphApi

    # The port of a local service changes at each start.
    service = str(target.data_dir) if target.is_local else target.url
    return GraphApi(
        target.transport(retry_seconds=retry_seconds),
        target.organization,
        source=f"{service} {target.organization}",
        project=target.project,
        root=target.root,
    )


def service_api_for(target: "IndexTarget", *, retry_seconds: float = 0.0) -> "HttpSearchApi":
    """Return the API of a target, without uncommitted work."""
    from aeterna_code_search.client.api import HttpSearchApi

    return HttpSearchApi(
        target.transport(retry_seconds=retry_seconds),
        target.organization,
        target.project,
        target.root,
    )


def search_api_for(target: "IndexTarget") -> "SearchApi":
    """Return the search API of a target, with an overlay of uncommitted work if there is any.

    Its answers say so if the checkout is not indexed.
    """
    api: SearchApi = service_api_for(target)
    if not target.root or not target.project:
        return api
    from aeterna_code_search.cli.overlay.checkout import CheckoutSearchApi

    if not target.is_local:
        from aeterna_code_search.cli.overlay.search_api import with_overlay  # slow to import

        api = with_overlay(service_api_for(target), target)
    return CheckoutSearchApi(api, target.project)
