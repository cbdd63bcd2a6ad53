"""The context of every command: the environment at the start, and the working directory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.api import GraphApi, SearchApi
    from cli.target.target import IndexTarget


@dataclass(frozen=True, slots=True)
class CommandContext:
    """Typer's context object."""

    environ: Mapping[str, str] = field(repr=False)
    directory: Path

    @contextmanager
    def search_api(self) -> Iterator["SearchApi"]:
        """Who answers here, for as long as it is asked. Raises IndexerError."""
        # Imported here: --help and a wrong argument answer at once.
        from cli.target.target import open_target

        with open_target(self.environ, self.directory) as target:
            yield search_api_for(target)

    @contextmanager
    def graph(self, *, retry_seconds: float = 0.0) -> Iterator["GraphApi"]:
        """The knowledge graph of the service that answers here. Raises IndexerError.

        `retry_seconds`: how long to wait for a service that is unavailable or asks to wait.
        """
        from cli.target.target import open_target

        with open_target(self.environ, self.directory) as target:
            yield graph_api_for(target, retry_seconds=retry_seconds)


def directory() -> Path:
    """Where the command was called. Raises ConfigurationError if that is gone."""
    from indexer.errors import ConfigurationError

    try:
        return Path.cwd()
    except FileNotFoundError as exc:
        raise ConfigurationError(
            "the directory that this shell is in is gone: go to one that is there"
        ) from exc


def graph_api_for(target: "IndexTarget", *, retry_seconds: float = 0.0) -> "GraphApi":
    """The knowledge graph of a place's service; work that is not committed is no part of it."""
    from cli.api import GraphApi

    service = str(target.data_dir) if target.is_local else target.url  # its port may be another one
    return GraphApi(
        target.transport(retry_seconds=retry_seconds),
        target.organization,
        source=f"{service} {target.organization}",
        project=target.project,
        root=target.root,
    )


def search_api_for(target: "IndexTarget") -> "SearchApi":
    """Who answers for a place: its service, with uncommitted work in front where there is any."""
    from cli.api import HttpSearchApi

    api = HttpSearchApi(target.transport(), target.organization)
    if target.is_local:
        return api
    from cli.overlay.search_api import (
        with_overlay,  # not before it serves: it takes a while to import
    )

    return with_overlay(api, target)
