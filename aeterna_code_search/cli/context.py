"""The context of every command: the environment at the start, and the working directory."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeterna_code_search.client.api import SearchApi, ServiceApi
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
            yield search_api_over(target.api(), target)

    @contextmanager
    def service_api(self, *, retry_seconds: float = 0.0) -> Iterator["ServiceApi"]:
        """Open the API of the index alone, without uncommitted work. Raises IndexerError.

        `retry_seconds`: how long to wait for a service that is unavailable or asks to wait.
        """
        with self._target() as target:
            yield target.api(retry_seconds=retry_seconds)

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


def search_api_over(api: "ServiceApi", target: "IndexTarget") -> "SearchApi":
    """Return the search API of a target, with an overlay of uncommitted work if there is any.

    Its answers say so if the checkout is not indexed.
    """
    if not target.root or not target.project:
        return api
    from aeterna_code_search.cli.overlay.checkout import CheckoutSearchApi

    front: SearchApi = api
    if not target.is_local:
        from aeterna_code_search.cli.overlay.search_api import with_overlay  # slow to import

        front = with_overlay(api, target)
    return CheckoutSearchApi(front, target.project)
