"""What every command is told: the environment as it was at the start, and where it was called."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.api import Asks, GraphApi
    from cli.target.target import Place


@dataclass(frozen=True, slots=True)
class Invocation:
    """Typer's context object."""

    environ: Mapping[str, str] = field(repr=False)
    directory: Path

    @contextmanager
    def asks(self) -> Iterator["Asks"]:
        """Who answers here, for as long as it is asked. Raises IndexerError."""
        # Imported here: --help and a wrong argument answer at once.
        from cli.target.target import open_place

        with open_place(self.environ, self.directory) as place:
            yield asks_of(place)

    @contextmanager
    def graph(self, *, retry_seconds: float = 0.0) -> Iterator["GraphApi"]:
        """The knowledge graph of the service that answers here. Raises IndexerError.

        `retry_seconds`: how long the service is waited for while it is away, or asks to wait.
        """
        from cli.target.target import open_place

        with open_place(self.environ, self.directory) as place:
            yield graph_of(place, retry_seconds=retry_seconds)


def directory() -> Path:
    """Where the command was called. Raises ConfigurationError if that is gone."""
    from indexer.errors import ConfigurationError

    try:
        return Path.cwd()
    except FileNotFoundError as exc:
        raise ConfigurationError(
            "the directory that this shell is in is gone: go to one that is there"
        ) from exc


def graph_of(place: "Place", *, retry_seconds: float = 0.0) -> "GraphApi":
    """The knowledge graph of a place's service; work that is not committed is no part of it."""
    from cli.api import GraphApi

    service = str(place.data_dir) if place.is_local else place.url  # its port may be another one
    return GraphApi(
        place.transport(retry_seconds=retry_seconds),
        place.organization,
        source=f"{service} {place.organization}",
        project=place.project,
        root=place.root,
    )


def asks_of(place: "Place") -> "Asks":
    """Who answers for a place: its service, with uncommitted work in front where there is any."""
    from cli.api import Api

    api = Api(place.transport(), place.organization)
    if place.is_local:
        return api
    from cli.overlay.search_api import shadowed  # not before it serves: it takes a while to import

    return shadowed(api, place)
